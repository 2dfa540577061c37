"""Core memories laid out for a decision."""

from collections.abc import Iterator
from datetime import datetime

from tur.clock import format_time
from tur.ids import short_id
from tur.model.memory import Memory, Status
from tur.policy.budget import estimate_tokens
from tur.policy.display import one_line
from tur.policy.nearness import Verdict
from tur.policy.words import word_diff
from tur_tui.compose import Stewardship
from tur_tui.lines import BLANK, Line, Row, Span, fields, heading, line
from tur_tui.reading.shared import Detail, Listing, empty_page, has_words, history_lines, lineage_lines, told_age

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur.stewardship.review import Review


def list_review(desk: Stewardship, words: str) -> Listing:
    """Core memories that await a decision, oldest first, then active ones that nothing vouches for."""
    cores = desk.core_memories()
    standing = desk.standing(cores)
    pending = [memory for memory in cores if memory.status is Status.PENDING_APPROVAL]
    doubtful = [one for one in cores if one.status is Status.ACTIVE and one.id in standing and standing[one.id].alarm]
    alarming = {one.id for one in doubtful}
    shown = {one.id: one for one in (*pending, *doubtful) if not words or has_words(words, _core_text(one))}
    now = desk.store.clock.now()
    age = told_age(pending[0].timestamp, now) if pending else "now"
    summary = line(
        f"{len(pending)} pending" + (f", oldest {age}" if age != "now" else ""),
        ("warn", f", {len(doubtful)} active but not trusted" if doubtful else ""),
    )
    return Listing(
        list(shown),
        row_of=lambda one: _review_row(shown[one], one in alarming, now),
        summary=summary,
        empty=empty_page(
            bool(words),
            "Nothing awaits a decision.",
            "An agent stages a core memory with `tur evolve`; it reaches no prompt until you approve it here.",
        ),
    )


def _core_text(memory: Memory) -> str:
    core = memory.core
    return f"{short_id(memory.id)} {memory.content} " + (
        f"{core.derived_principle} {core.ethical_covenant}" if core else ""
    )


def _review_row(memory: Memory, doubtful: bool, now: datetime) -> Row:
    from tur.policy.display import instruction_like
    from tur.policy.look_alikes import deceptive_characters, written_out

    text = _core_text(memory)
    mark = ("bad", "‼") if instruction_like(text) else ("warn", "!") if deceptive_characters(text) else ("dim", " ")
    told = memory.core.derived_principle if memory.core else memory.content
    return Row(
        memory.id,
        line(
            mark,
            (" "),
            ("bad" if doubtful else "text", f"{memory.id[:8]} "),
            ("dim", f"{told_age(memory.timestamp, now):>4} "),
            one_line(written_out(told), 300),
        ),
    )


def review_detail(desk: Stewardship, memory_id: str) -> Detail:
    """A core memory laid out for a decision, with everything that speaks for and against it."""
    shown = desk.review(memory_id)
    return Detail(short_id(memory_id), list(_review_lines(shown)), facts=shown)


def _review_lines(shown: "Review") -> Iterator[Line]:
    memory = shown.memory
    yield line(("title", short_id(memory.id)), ("dim", f"  {memory.type}, {memory.scope}, {memory.status}"))
    yield from fields(
        [
            ("staged by", memory.author + (f" in {memory.session}" if memory.session else "")),
            ("at", format_time(memory.timestamp)),
            (
                "size",
                f"{len(memory.content.encode('utf-8', 'replace')):,} bytes, {len(memory.content.split()):,} words",
            ),
        ]
    )
    if shown.blocked:
        yield BLANK
        yield line(("bad", "BLOCKED  it cannot be approved as it is"))
        for why in shown.blocked:
            yield line(("bad", f"  {why}"), indent=2)
    yield BLANK
    yield from _effect(shown)
    yield BLANK
    yield heading("Checks")
    yield from _checks(shown)
    yield BLANK
    yield heading("Nearest approved")
    yield from nearest_lines(shown)
    yield BLANK
    yield heading("Rests on", "" if shown.lineage else "nothing that is linked")
    yield from lineage_lines(shown.lineage)
    if shown.source_lineage:
        yield line(("dim", "  which rests on"))
        yield from lineage_lines(shown.source_lineage, 4)
    yield BLANK
    yield heading("History")
    yield from history_lines(memory)
    yield BLANK
    yield line(
        ("dim", "Bound to "), f"id {memory.id[:16]}… seal {memory.seal[:16]}… digest {(shown.digest or '')[:16]}…"
    )


def _checks(shown: "Review") -> Iterator[Line]:
    yield line(("bad" if shown.hidden else "good", f"  hidden or look-alike characters {len(shown.hidden)}"))
    for one in shown.hidden[:40]:
        yield line(("bad", f"    {one}"), indent=4)
    yield line(("bad" if shown.remarks else "good", f"  instruction-like {len(shown.remarks)}"))
    for one in shown.remarks:
        yield line(("bad", f"    it {one}: read it twice"), indent=4)
    unsound = sum(not step.sound for step in shown.lineage)
    yield line(("bad" if unsound else "good", f"  broken lineage {unsound}"))
    if elsewhere := sum(step.elsewhere for step in shown.lineage):
        yield line(("warn", f"  lineage not in this project {elsewhere}: it cannot be checked here"), indent=2)
    yield line(("warn" if shown.outlived else "good", f"  evidence no longer in force {len(shown.outlived)}"))
    for gone in shown.outlived:
        yield line(f"    {short_id(gone.id)} ({gone.status})")
    yield line(("warn" if shown.similar else "good", f"  near-identical {len(shown.similar)}"))
    for other in shown.similar:
        yield line(f"    {short_id(other.id)} ({other.status})")


def _effect(shown: "Review") -> Iterator[Line]:
    """The core section as it would be, in place: what comes and goes, with its neighbours."""
    effect = shown.effect
    if effect is None:
        return
    tokens = estimate_tokens(shown.injected)
    yield heading("If approved the agent will read exactly this", f"about {tokens:,} tokens")
    yield line(("dim", f"  {effect.told}"), indent=2)
    for retired in effect.retired:
        yield line(("warn", f"  approving it retires {short_id(retired.id)}, which it merges"))
    for one in effect.changed_lines():
        number = "" if one.number is None else str(one.number)
        if one.op == "gap":
            yield line(("dim", f"       … {one.number:,} {'line' if one.number == 1 else 'lines'} as before"))
        elif one.op == "same":
            yield line(("dim", f"{number:>5}   │ {one_line(one.text, 300)}"), indent=10)
        elif one.op == "new":
            yield line(("added", f"{number:>5} + "), ("key", "│ "), one.text, indent=10)
        else:
            yield line(("removed", f"{number:>5} - │ {one_line(one.text, 300)}"), indent=10)


def nearest_lines(shown: "Review") -> Iterator[Line]:
    """The approved core memories that are nearest, what each means, and a word diff of the first."""
    mine = shown.memory.core
    if mine is None or not shown.nearest:
        yield line(("dim", "  no core memory is approved yet"))
        return
    for at, near in enumerate(shown.nearest):
        core = near.memory.core
        if core is None:
            continue
        role = _VERDICT_ROLES[near.verdict]
        yield line(f"  {short_id(near.memory.id)}  ", (role, f"likeness {near.score:.2f}"))
        if near.told:
            yield line((role, f"    {near.told}{_ADVICE[near.verdict]}"), indent=4)
        if at == 0:
            for before, after in (
                (core.derived_principle, mine.derived_principle),
                (core.ethical_covenant, mine.ethical_covenant),
            ):
                yield Line((Span("dim", "    "), *_words(before, after)), indent=4)
        else:
            yield line(("dim", f"    {one_line(core.derived_principle, 300)}"), indent=4)


_VERDICT_ROLES = {Verdict.SAME: "bad", Verdict.CONTRADICTS: "bad", Verdict.OVERLAPS: "warn", Verdict.APART: "dim"}
_ADVICE = {
    Verdict.SAME: ": reject it",
    Verdict.CONTRADICTS: "; only one of the two can hold",
    Verdict.OVERLAPS: ": merge the two instead of adding a second",
    Verdict.APART: "",
}


def _words(before: str, after: str) -> Iterator[Span]:
    for op, text in word_diff(before, after):
        role = {"same": "text", "old": "removed-word", "new": "added-word"}[op]
        yield Span(role, {"same": text, "old": f"[-{text}-]", "new": f"{{+{text}+}}"}[op])
