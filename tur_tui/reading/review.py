"""Core memories laid out for a decision."""

from collections.abc import Iterator
from datetime import datetime

from tur.clock import format_time
from tur.ids import short_id
from tur.model.memory import Memory, Status
from tur.policy.display import one_line
from tur.policy.words import word_diff
from tur.service.core_trust import core_trust
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
    shown = [one for one in (*pending, *doubtful) if not words or has_words(words, _core_text(one))]
    now = desk.store.clock.now()
    rows = [_review_row(memory, memory in doubtful, now) for memory in shown]
    summary = line(f"{len(pending)} pending", ("warn", f", {len(doubtful)} active but not trusted" if doubtful else ""))
    return Listing(
        [memory.id for memory in shown],
        rows,
        summary=summary,
        empty=empty_page(
            words,
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
    from tur.policy.display import hidden_characters, instruction_like

    text = _core_text(memory)
    mark = ("bad", "‼") if instruction_like(text) else ("warn", "!") if hidden_characters(text) else ("dim", " ")
    told = memory.core.derived_principle if memory.core else memory.content
    return Row(
        memory.id,
        line(
            mark,
            (" "),
            ("bad" if doubtful else "text", f"{memory.id[:8]} "),
            ("dim", f"{told_age(memory.timestamp, now):>4} "),
            one_line(told, 300),
        ),
    )


def review_detail(desk: Stewardship, memory_id: str) -> Detail:
    """A core memory laid out for a decision, with everything that speaks for and against it."""
    shown = desk.review(memory_id)
    return Detail(short_id(memory_id), list(_review_lines(desk, shown)), facts=shown)


def _review_lines(desk: Stewardship, shown: "Review") -> Iterator[Line]:
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
    yield heading("If approved the agent will read exactly this", f"about {len(shown.injected) // 4 + 1:,} tokens")
    for part in shown.injected.split("\n"):
        yield line(("key", "  │ "), part, indent=4)
    yield BLANK
    yield heading("Checks")
    yield from _checks(shown)
    yield BLANK
    yield heading("Nearest approved")
    yield from _nearest(desk, shown)
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
    yield line(("bad" if shown.hidden else "good", f"  hidden characters {len(shown.hidden)}"))
    for one in shown.hidden[:40]:
        yield line(("bad", f"    {one}"), indent=4)
    yield line(("bad" if shown.remarks else "good", f"  instruction-like {len(shown.remarks)}"))
    for one in shown.remarks:
        yield line(("bad", f"    it {one}: read it twice"), indent=4)
    unsound = sum(not step.sound for step in shown.lineage)
    yield line(("bad" if unsound else "good", f"  broken lineage {unsound}"))
    yield line(("warn" if shown.similar else "good", f"  near-identical {len(shown.similar)}"))
    for other in shown.similar:
        yield line(f"    {short_id(other.id)} ({other.status})")


def _nearest(desk: Stewardship, shown: "Review") -> Iterator[Line]:
    """The approved core memories whose principle and covenant share most words, with a word diff of the nearest."""
    mine = shown.memory.core
    approved = [one for one in core_trust(desk.store).trusted if one.id != shown.memory.id and one.core is not None]
    if mine is None or not approved:
        yield line(("dim", "  no core memory is approved yet"))
        return
    words = set(f"{mine.derived_principle} {mine.ethical_covenant}".casefold().split())
    scored = sorted(((_overlap(words, one), one) for one in approved), key=lambda pair: (-pair[0], pair[1].id))
    for at, (score, other) in enumerate(scored[:3]):
        core = other.core
        if core is None:
            continue
        yield line(f"  {short_id(other.id)}  ", ("warn" if score > 0.5 else "dim", f"{score:.0%} of the words shared"))
        if at == 0:
            spans = [Span("dim", "    ")]
            for op, text in word_diff(core.derived_principle, mine.derived_principle):
                role = {"same": "text", "old": "removed-word", "new": "added-word"}[op]
                spans.append(Span(role, {"same": text, "old": f"[-{text}-]", "new": f"{{+{text}+}}"}[op]))
            yield Line(tuple(spans), indent=4)
        else:
            yield line(("dim", f"    {one_line(core.derived_principle, 300)}"), indent=4)


def _overlap(words: set[str], other: Memory) -> float:
    core = other.core
    theirs = set(f"{core.derived_principle} {core.ethical_covenant}".casefold().split()) if core else set()
    return len(words & theirs) / len(words | theirs) if words | theirs else 0.0
