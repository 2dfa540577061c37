"""What changed between two moments, how a change reads, and what it does to the wake prompt."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from tur.clock import format_time
from tur.errors import InvalidInput
from tur.ids import short_id
from tur.model.memory import MemoryType, Status
from tur.policy.budget import byte_size
from tur.policy.diff import KINDS, Kind, MemoryDelta, counts
from tur.policy.display import one_line
from tur.policy.prompt_effect import PromptEffect, Step, around, left_out, order_kept
from tur.policy.words import Segment, block_diff
from tur.service.diff import DiffReport, DiffSelection, diff, is_time
from tur.service.prompt_effect import prompt_effect
from tur.store.store import Store
from tur_tui.lines import BLANK, Beside, ChangedText, Line, Row, Span, fields, heading, line, paragraph
from tur_tui.reading.shared import Listing, cut, empty_page, has_words, told_time, type_word

SIGNS: Mapping[Kind, str] = {
    "ADDED": "+",
    "SUPERSEDED": "~",
    "REFUTED": "-",
    "MERGED": "&",
    "DECAYED": "*",
    "MODIFIED": "!",
}
KIND_ROLES: Mapping[Kind, str] = {
    "ADDED": "added",
    "SUPERSEDED": "warn",
    "REFUTED": "removed",
    "MERGED": "agent-5",
    "DECAYED": "info",
    "MODIFIED": "agent-4",
}


@dataclass(frozen=True, slots=True)
class DiffFacts:
    """What was compared, what came of it, and which of its changes are listed, by the id of each."""

    selection: DiffSelection
    report: DiffReport
    listed: Mapping[str, MemoryDelta]


def parse_selection(text: str) -> DiffSelection:
    """What a human typed to compare; nothing is the default. Raises InvalidInput for what cannot be compared.

    One word is a session, a time, or a git revision (also after `since` and `git`); two are two ends.
    """
    words = text.split()
    if not words:
        return DiffSelection()
    if words[0] == "since":
        return DiffSelection(since=" ".join(words[1:]))
    if words[0] == "git":
        return DiffSelection(git="..".join(words[1:3]) if len(words) == 3 else " ".join(words[1:]))
    if is_time(text):
        return DiffSelection(since=text.strip())
    if len(words) > 2:
        raise InvalidInput(f"two ends are compared, not {len(words)}")
    revisions = [not is_time(word) and not _is_session(word) for word in words]
    if all(revisions):
        return DiffSelection(git="..".join(words))
    if any(revisions):
        raise InvalidInput("a git revision is compared with another one, or alone with what is there now")
    if len(words) == 2 and any(map(is_time, words)):
        return DiffSelection(ends=(words[0], words[1]))
    return DiffSelection(sessions=tuple(words))


def moment(at: datetime) -> str:
    """What to type to compare the state after a second with the one before it."""
    return f"{format_time(at - timedelta(seconds=1))} {format_time(at)}"


def _is_session(word: str) -> bool:
    return word.startswith("@") or word[:8].isdecimal()


def list_diff(store: Store, selection: DiffSelection, kind: Kind | None, words: str) -> Listing:
    """The deltas of a selection; without one, of the active session, else of the last."""
    if selection == DiffSelection(types=selection.types, scopes=selection.scopes) and store.sessions.active() is None:
        if store.sessions.state().last_session is None:
            return Listing(
                [], empty=empty_page(False, "Nothing to compare yet.", "No session has begun in this project.")
            )
        selection = replace(selection, sessions=("@~1",))
    report = diff(store, selection)
    found = {_delta_id(delta): delta for delta in report.deltas if kind is None or delta.status == kind}
    if words:
        found = {key: delta for key, delta in found.items() if has_words(words, _delta_text(delta))}
    shown = counts(report.deltas)
    spans: list[tuple[str, str]] = []
    for one in KINDS:
        if shown[one]:
            spans.append((KIND_ROLES[one], f"{SIGNS[one]}{shown[one]} "))
    warned = ("warn", f" {len(report.warnings)} warnings") if report.warnings else ("dim", "")
    return Listing(
        list(found),
        row_of=lambda key: Row(key, _delta_line(found[key])),
        summary=line(f"{report.heading}  ", *spans, warned),
        empty=empty_page(
            bool(words or kind or selection.types or selection.scopes),
            "No change.",
            f"{report.heading}: both ends know the same. Press c to compare others.",
        ),
        facts=DiffFacts(selection, report, found),
    )


def _delta_id(delta: MemoryDelta) -> str:
    return delta.record.id


def _delta_text(delta: MemoryDelta) -> str:
    return f"{short_id(delta.record.id)} {delta.old_text or ''} {delta.new_text or ''} {delta.record.title}"


def _delta_line(delta: MemoryDelta) -> Line:
    return line(
        (KIND_ROLES[delta.status], f"{SIGNS[delta.status]} "),
        ("dim", f"{type_word(delta.record.type)} "),
        one_line(delta.new_text or delta.record.content, 300),
        ("dim", f"  {short_id(delta.record.id)}"),
    )


def delta_detail(
    report: DiffReport, delta: MemoryDelta, effect: PromptEffect | str | None = None, *, words: bool = True
) -> ChangedText:
    """One change in full; with `words` those that differ stand out, else whole lines do.

    `effect` is what all changes do to the wake prompt, why that is not known, or None while it is worked out.
    """
    role = KIND_ROLES[delta.status]
    head = [
        line((role, f"{SIGNS[delta.status]} {delta.status}"), f"  {short_id(delta.record.id)}"),
        line(("dim", f"{delta.record.type}, {delta.record.scope}, {delta.record.status}")),
        BLANK,
    ]
    core = delta.record.core
    pairs = []
    if core is not None:
        pairs += [("principle", core.derived_principle), ("covenant", core.ethical_covenant)]
    if delta.successor_id is not None:
        pairs.append(("successor", short_id(delta.successor_id)))
    pairs += [
        ("reason", delta.reason or "none given"),
        ("by", f"{delta.actor or 'nobody on record'}" + (f" in {delta.session}" if delta.session else "")),
        ("at", told_time(delta.at)),
    ]
    tail = [BLANK, *fields(pairs), BLANK, heading("Effect on the wake prompt", "as `tur wake` renders it")]
    tail += effect_lines(report, delta, effect)
    if delta.sources:
        tail += [BLANK, heading("Rests on")]
        for uri in delta.sources:
            tail.append(line(f"  {uri}"))
            if text := report.note_texts.get(uri):
                tail += paragraph(cut(text), "dim", 4)
    if len(delta.steps) > 1:
        tail += [BLANK, heading("Steps")]
        tail += [line(f"  {format_time(step.at)}  {step.status} by {step.by}") for step in delta.steps]
    return ChangedText(tuple(head), tuple(text_pairs(*_texts(delta), words=words)), tuple(tail))


def _texts(delta: MemoryDelta) -> tuple[str | None, str | None]:
    """The text before and after; the same twice where only the standing of a memory changed."""
    old, new = delta.old_text, delta.new_text
    if old is not None or delta.status == "ADDED":
        return old, new
    return (new, None) if delta.status == "REFUTED" else (new, new)


def text_pairs(old: str | None, new: str | None, *, words: bool = True) -> Iterator[Beside]:
    """Old beside new, line by line, with the words that differ in roles of their own.

    The lines of all left sides joined, without their gutters, are the old text, those of all right sides the new.
    """
    blocks = block_diff(cut(old or ""), cut(new or ""))
    if old == "" or new == "":
        blocks = blocks or [[]]
    for at, block in enumerate(blocks):
        last = at == len(blocks) - 1
        if not block or [op for op, _ in block] == ["same"]:
            same = tuple(_side(block, "same", "  ", "dim", "text", last=last))
            yield Beside(same, same)
            continue
        both = words and len({op for op, _ in block}) > 1
        yield Beside(
            tuple(_side(block, "old", "- ", "removed", "text" if both else "removed", last=last)),
            tuple(_side(block, "new", "+ ", "added", "text" if both else "added", last=last)),
        )


def _side(block: Sequence[Segment], op: str, gutter: str, role: str, same_role: str, *, last: bool) -> Iterator[Line]:
    """One side of a block as lines, nothing when the block has nothing for it."""
    segments = [(kind, text) for kind, text in block if kind in ("same", op)]
    if block and not segments:
        return
    highlighted = f"{role}-word" if same_role == "text" and role != "dim" else same_role
    spans: list[Span] = [Span(role, gutter)]
    rows: list[Line] = []
    for kind, text in segments:
        for at, part in enumerate(text.split("\n")):
            if at:
                rows.append(Line(tuple(spans), indent=2))
                spans = [Span(role, gutter)]
            if part:
                spans.append(Span(same_role if kind == "same" else highlighted, part))
    # What ends with a line break in the middle of a text ends there; at its end an empty line follows.
    if last or len(spans) > 1 or not rows:
        rows.append(Line(tuple(spans), indent=2))
    yield from rows


# -- the effect on the prompt ------------------------------------------------------------------


def read_effect(store: Store, facts: DiffFacts) -> PromptEffect:
    """What all changes of a report do to the wake prompt."""
    return prompt_effect(store, facts.selection, facts.report)


def effect_lines(report: DiffReport, delta: MemoryDelta, effect: PromptEffect | str | None) -> Iterator[Line]:
    """The lines of the prompt that come and go by this change, and how the whole of it changes."""
    if effect is None:
        yield line(("dim", "  working it out…"))
        return
    if isinstance(effect, str):
        yield line(("warn", f"  {effect}"), indent=2)
        return
    yield from _sizes(effect)
    steps = around(effect.steps, delta.covers)
    if effect.before is None:
        steps = [Step(" ", part) for part in effect.after.parts if part.subject in delta.covers]
    elif not steps:
        yield line("  no line comes or goes by this change")
    for step in steps:
        yield from _step(step, delta.covers)
    active = [one.id for one in delta.changes if one.after is not None and one.after.status is Status.ACTIVE]
    core = {change.id for change in delta.changes if change.after and change.after.memory.type is MemoryType.CORE}
    for one, why in left_out(effect.after, active):
        if one in core:
            told = "not in it: no valid approval stands behind this text"
        else:
            told = f"left out by the budget: {why}" if why else "left out: the budget is used up before it is reached"
        yield line(("warn", f"  {short_id(one)} {told}"), indent=2)
    if delta.pending:
        yield line("  it awaits a human's approval, and is in no prompt until then", indent=2)
    yield from _whole(report, effect)
    for caveat in effect.caveats:
        yield line(("dim", f"  {caveat}"), indent=2)


def _sizes(effect: PromptEffect) -> Iterator[Line]:
    before, after = effect.before or effect.after, effect.after
    arrow = "" if effect.before is None else "-> "

    def change(one: int, other: int) -> str:
        return f"{one:,} {arrow}{other:,}" if arrow else f"{other:,}"

    memories = change(byte_size(before.memories), byte_size(after.memories))
    tokens = change(before.tokens, after.tokens)
    yield line(("dim", "  memories  "), f"{memories} bytes, {tokens} of {effect.budget:,} tokens")
    if before.core or after.core:
        core = change(byte_size(before.core), byte_size(after.core))
        yield line(("dim", "  core      "), f"{core} bytes", ("dim", ", which the budget does not limit"))


def _step(step: Step | None, covers: Sequence[str]) -> Iterator[Line]:
    if step is None:
        yield line(("dim", "    …"))
        return
    own = step.part.subject in covers
    role = {"-": "removed", "+": "added", " ": "text"}[step.sign] if own else "dim"
    for part in step.part.text.split("\n"):
        yield line((role, f"  {step.sign} "), ("dim", "│ "), (role, part), indent=6)


def _whole(report: DiffReport, effect: PromptEffect) -> Iterator[Line]:
    """What all changes together do, and what only the budget does."""
    if effect.before is None:
        return
    moved = [step for step in effect.steps if step.sign != " " and step.part.subject]
    came, went = (sum(step.sign == sign for step in moved) for sign in "+-")
    changed = {change.id for change in report.changes}
    others = len({step.part.subject for step in moved} - changed)
    order = "unchanged" if order_kept(effect.before.parts, effect.after.parts) else "changed"
    told = f"  all changes: +{came} -{went} lines; order of the rest {order}"
    yield line(("dim", told + (f"; {others} only by the budget" if others else "")), indent=2)
