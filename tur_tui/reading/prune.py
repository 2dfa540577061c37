"""The plan of a prune as a list and a page, and the archive."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from tur.errors import TurError
from tur.ids import short_id
from tur.model.memory import Memory
from tur.policy.display import counted, one_line
from tur.policy.retention import RULES, Plan, RetentionPolicy, Verdict
from tur.progress import Progress
from tur.service.wake import session_before
from tur.store.index import open_index
from tur.store.store import Store
from tur_tui.compose import SessionKeeping
from tur_tui.lines import BLANK, Line, Row, heading, line, paragraph
from tur_tui.reading.shared import Listing, count_line, empty_page, has_words

LISTED = 200
"""How many of them are named."""


def list_prune(keeping: SessionKeeping, policy: RetentionPolicy, words: str, progress: Progress) -> Listing:
    """The live plan: what goes and what stays, each with its reason; what goes comes first."""
    plan = keeping.preview(policy, progress=progress)
    shown = {
        one.session.id: one
        for one in (*plan.goes, *reversed(plan.keeps))
        if not words or has_words(words, f"{one.session.id} {one.reason}")
    }
    summary = line(("warn" if plan.goes else "good", told_going(len(plan.goes), len(plan.verdicts))))
    return Listing(
        list(shown),
        row_of=lambda session_id: _verdict_row(shown[session_id]),
        summary=summary,
        empty=empty_page(
            bool(words), "No session to decide on.", "Sessions in the archive are not touched by an archiving prune."
        ),
        facts=plan,
    )


def told_going(going: int, seen: int) -> str:
    """`1 of 4 sessions goes`."""
    return f"{going} of {counted(seen, 'session')} {'goes' if 1 in (going, seen) else 'go'}"


def _verdict_row(one: Verdict) -> Row:
    mark = ("removed", "x ") if one.goes else ("dim", "  ")
    held = one.rule in ("active", "dreaming", "unconsolidated", "open", "damaged")
    return Row(
        one.session.id,
        line(
            mark,
            f"{one.session.id[4:6]}-{one.session.id[6:8]} {one.session.id[9:11]}:{one.session.id[11:13]} ",
            ("dim", f"{one.session.notes:>4}n "),
            ("removed" if one.goes else "warn" if held else "good", "goes " if one.goes else "stays"),
            ("dim", f" {one.reason}"),
        ),
    )


def prune_detail(store: Store, plan: Plan) -> list[Line]:
    """The plan as a page: before and after, what is held back and why, and whose lineage it touches."""
    records = [one.session for one in plan.verdicts]
    going = [one.session for one in plan.goes]
    live = sum(one.yaml_bytes + one.db_bytes for one in records if not one.archived)
    moved = sum(one.yaml_bytes for one in going)
    notes = sum(one.notes for one in going)
    after = live - sum(one.db_bytes + (one.yaml_bytes if not one.archived else 0) for one in going)
    shown = [
        line(("title", "Preview"), ("dim", "  nothing has been changed")),
        *paragraph(plan.sentence, "text", 0),
        BLANK,
        line(("head", f"{'':<16}{'now':>12}{'after':>12}{'change':>12}")),
        _amount("sessions here", sum(one.in_primary for one in records), -len(going)),
        _amount("notes here", sum(one.notes for one in records), -notes),
        _amount("memories", _count_memories(store), 0),
        _amount("bytes here", live, after - live),
        _amount("bytes freed", 0, plan.freed),
        BLANK,
    ]
    if plan.act == "archive":
        shown.append(line(("good", f"{moved:,} bytes of timelines go to the archive, from where each can come back.")))
    else:
        shown.append(
            line(("bad", f"{moved:,} bytes of timelines are deleted for good; a tombstone with hashes stays."))
        )
    affected = _affected(store, {one.id for one in going})
    shown.append(
        line(
            f"{affected.count:,} {'memory rests' if affected.count == 1 else 'memories rest'} on notes that go; ",
            (
                "dim",
                "their links still verify" if plan.act == "archive" else "their links verify by hash, the text is gone",
            ),
        )
    )
    shown.append(_prompt_effect(store, plan))
    if plan.warnings:
        shown += [BLANK, heading("Mind")]
        shown += [line(("warn", f"  {one}"), indent=2) for one in plan.warnings]
    groups: dict[str, list[Verdict]] = {}
    for one in plan.keeps:
        groups.setdefault(one.rule, []).append(one)
    shown += [BLANK, heading("Held back", counted(len(plan.keeps), "session"))]
    shown += [
        line(f"  {len(some):>5}  ", ("dim", f"{rule}: {_shared_reason(rule, some)}"), indent=9)
        for rule, some in groups.items()
    ]
    if affected.first:
        shown += [BLANK, heading("Lineage affected")]
        for memory in affected.first:
            shown.append(line(f"  {short_id(memory.id)} ", ("dim", one_line(memory.headline, 200)), indent=4))
        if affected.count > len(affected.first):
            shown.append(line(("dim", f"  and {affected.count - len(affected.first):,} more")))
    shown += [BLANK, line(("dim", f"plan {plan.fingerprint[:12]}; it is void once any of these sessions changes"))]
    return shown


def _shared_reason(rule: str, some: Sequence[Verdict]) -> str:
    """What holds for each of them: the reason they have in common, else their rule in words."""
    reasons = {one.reason for one in some}
    return some[0].reason if len(reasons) == 1 else RULES[rule]


def _prompt_effect(store: Store, plan: Plan) -> Line:
    """What the prompt of the next `tur wake` loses: no memory, but the closing notes of a session may be deleted."""
    told = None
    if plan.act == "delete":
        with contextlib.suppress(TurError, OSError):
            active = store.sessions.active()
            told = session_before(store, None if active is None else store.sessions.load(active))
    if told in {one.session.id for one in plan.goes}:
        return line(("bad", f"The prompt loses its open threads: the closing notes of {told} go."))
    return line(("good", "The prompt that the agent sees stays as it is."))


def _count_memories(store: Store) -> int:
    with open_index(store.terrain.index, store.memories, refresh=False) as index:
        return index.count()


def _amount(name: str, now: int, change: int) -> Line:
    role = "removed" if change < 0 else "added" if change > 0 else "dim"
    return line(
        ("dim", f"{name:<16}"), f"{now:>12,}{now + change:>12,}", (role, f"{change:>+12,}" if change else f"{0:>12}")
    )


@dataclass(frozen=True, slots=True)
class _Affected:
    """Memories that rest on notes of sessions that go: how many, and the first of them."""

    count: int
    first: Sequence[Memory]


def _affected(store: Store, going: set[str]) -> _Affected:
    with open_index(store.terrain.index, store.memories, refresh=False) as index:
        ids = index.resting_on_any(sorted(going))
    found: list[Memory] = []
    for one in ids[:LISTED]:
        with contextlib.suppress(TurError, OSError):
            found.append(store.memories.get(one))
    return _Affected(len(ids), found)


def list_archive(keeping: SessionKeeping, words: str, progress: Progress) -> Listing:
    """The sessions in the archive, newest first."""
    ids = [one.id for one in reversed(keeping.sessions(archived=True, progress=progress))]
    shown = [one for one in ids if not words or words in one]
    return Listing(
        shown,
        summary=count_line(len(shown), len(ids), "archived session", filtered=bool(words)),
        empty=empty_page(bool(words), "The archive is empty.", "What a prune archives can be brought back from here."),
    )
