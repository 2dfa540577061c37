"""What changed between two moments, and how a change reads in one column or two."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tur.clock import format_time
from tur.ids import short_id
from tur.model.memory import Memory, Status
from tur.policy.diff import KINDS, Kind, MemoryDelta, counts
from tur.policy.display import as_prompt_data, one_line
from tur.policy.words import word_diff
from tur.service.core_section import render_core_memory
from tur.service.diff import DiffReport, DiffSelection, diff
from tur.store.store import Store
from tur_tui.lines import BLANK, Line, Row, Span, fields, heading, line, paragraph
from tur_tui.reading.shared import Listing, cut, empty_page, has_words, told_time

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


def parse_selection(text: str) -> DiffSelection:
    """What a human typed to compare: sessions, `since 2h`, `git REV..REV`; nothing is the default."""
    words = text.split()
    if not words:
        return DiffSelection()
    if words[0] == "since":
        return DiffSelection(since=" ".join(words[1:]))
    if words[0] == "git":
        return DiffSelection(git=" ".join(words[1:]))
    if len(words) == 1 and not words[0].startswith("@") and not words[0][:8].isdecimal():
        if words[0][:1].isdecimal() and words[0][-1:] in "wdhms":
            return DiffSelection(since=words[0])
        return DiffSelection(git=words[0])
    return DiffSelection(sessions=tuple(words))


def list_diff(store: Store, selection: DiffSelection, kind: Kind | None, words: str) -> Listing:
    """The deltas of a selection; without one, of the active session, else of the last."""
    if selection == DiffSelection(types=selection.types, scopes=selection.scopes) and store.sessions.active() is None:
        if store.sessions.state().last_session is None:
            return Listing([], empty=empty_page("", "Nothing to compare yet.", "No session has begun in this project."))
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
        [Row(key, _delta_line(delta)) for key, delta in found.items()],
        summary=line(f"{report.heading}  ", *spans, ("dim", _kept(kind, selection, words)), warned),
        empty=empty_page(words, "No change.", f"{report.heading}: both ends know the same. Press c to compare others."),
        facts=(report, found),
    )


def _delta_id(delta: MemoryDelta) -> str:
    return delta.record.id


def _delta_text(delta: MemoryDelta) -> str:
    return f"{short_id(delta.record.id)} {delta.old_text or ''} {delta.new_text or ''} {delta.record.title}"


def _kept(kind: Kind | None, selection: DiffSelection, words: str) -> str:
    kept = [kind.lower() if kind else "", *selection.types, *selection.scopes, f"/{words}" if words else ""]
    return "only " + ", ".join(filter(None, kept)) if any(kept) else ""


def _delta_line(delta: MemoryDelta) -> Line:
    return line(
        (KIND_ROLES[delta.status], f"{SIGNS[delta.status]} "),
        ("dim", f"{delta.record.id[:8]} {delta.record.type.value:<10} "),
        one_line(delta.new_text or delta.record.content, 300),
    )


def delta_detail(report: DiffReport, delta: MemoryDelta, *, split: int = 0) -> list[Line]:
    """One change in full. `split` is the width of a column for old and new side by side, 0 for one under the other."""
    role = KIND_ROLES[delta.status]
    shown = [
        line((role, f"{SIGNS[delta.status]} {delta.status}"), f"  {short_id(delta.record.id)}"),
        line(("dim", f"{delta.record.type}, {delta.record.scope}, {delta.record.status}")),
        BLANK,
    ]
    shown += side_by_side(delta.old_text, delta.new_text, split) if split else unified(delta.old_text, delta.new_text)
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
    shown += [BLANK, *fields(pairs), BLANK, heading("Effect on the wake prompt")]
    shown += prompt_effect(delta)
    if delta.sources:
        shown += [BLANK, heading("Rests on")]
        for uri in delta.sources:
            shown.append(line(f"  {uri}"))
            if text := report.note_texts.get(uri):
                shown += paragraph(cut(text), "dim", 4)
    if len(delta.steps) > 1:
        shown += [BLANK, heading("Steps")]
        shown += [line(f"  {format_time(step.at)}  {step.status} by {step.by}") for step in delta.steps]
    return shown


def unified(old: str | None, new: str | None) -> list[Line]:
    """Old above new, the words that differ highlighted and marked in the gutter."""
    if old is None or new is None or old == new:
        gone = new is None
        text, role, sign = (old or "", "removed", "-") if gone else (new or "", "added" if old is None else "text", "+")
        return [
            line((role, f"{sign if role != 'text' else ' '} "), (role, part), indent=2)
            for part in cut(text).split("\n")
        ]
    segments = word_diff(cut(old), cut(new))
    return [*_one_side(segments, "old", "-", "removed"), *_one_side(segments, "new", "+", "added")]


def _one_side(segments: Sequence[tuple[str, str]], op: str, sign: str, role: str) -> Iterator[Line]:
    spans: list[Span] = [Span(role, f"{sign} ")]
    for kind, text in segments:
        if kind not in ("same", op):
            continue
        for at, part in enumerate(text.split("\n")):
            if at:
                yield Line(tuple(spans), indent=2)
                spans = [Span(role, f"{sign} ")]
            if part:
                spans.append(Span(f"{role}-word" if kind == op else "text", part))
    yield Line(tuple(spans), indent=2)


def side_by_side(old: str | None, new: str | None, width: int) -> list[Line]:
    """Old on the left, new on the right, each wrapped to its column."""
    from tur.policy.display import visible

    column = max(width, 12)
    sides = []
    for text, role, sign in ((old, "removed", "-"), (new, "added", "+")):
        pieces: list[str] = []
        for part in visible(cut(text)).split("\n") if text is not None else []:
            pieces += _folded(part, column - 3)
        sides.append((pieces, role, sign))
    (left, left_role, left_sign), (right, right_role, right_sign) = sides
    shown = []
    for at in range(max(len(left), len(right), 1)):
        one = f"{left_sign} {left[at]}" if at < len(left) else ""
        other = f"{right_sign} {right[at]}" if at < len(right) else ""
        shown.append(line((left_role, one + " " * max(0, column - _cells(one))), ("dim", "│ "), (right_role, other)))
    return shown


def _folded(text: str, width: int) -> list[str]:
    pieces, current = [], ""
    for word in text.split(" "):
        while _cells(word) > width:
            pieces.append(current) if current else None
            current, cut = "", max(1, width // 2)
            pieces.append(word[:cut])
            word = word[cut:]
        if current and _cells(current) + 1 + _cells(word) > width:
            pieces.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    return [*pieces, current]


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def prompt_effect(delta: MemoryDelta) -> list[Line]:
    """Which lines of the prompt's memories come and go by this change, before the budget cuts."""
    shown = []
    for change in delta.changes:
        for state, sign, role in ((change.before, "-", "removed"), (change.after, "+", "added")):
            if state is None or state.status is not Status.ACTIVE:
                continue
            other = change.after if sign == "-" else change.before
            same = (
                other is not None
                and other.status is Status.ACTIVE
                and (other.memory.content, other.stale) == (state.memory.content, state.stale)
            )
            if not same:
                shown += [
                    line((role, f"  {sign} "), (role, part), indent=4)
                    for part in _prompt_line(state.memory, state.stale)
                ]
    return shown or [line(("dim", "  none: the prompt's memories stay as they were"))]


def _prompt_line(memory: Memory, stale: bool) -> list[str]:
    if memory.core is not None:
        return render_core_memory(memory).split("\n")
    marks = memory.type.value + (", stale, verify it" if stale else "")
    return f"- [{marks}] {as_prompt_data(cut(memory.content))} ({short_id(memory.id)})".split("\n")
