"""Memories: search, filters, one in full."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from tur.clock import format_time
from tur.errors import TurError
from tur.ids import note_of_uri, short_id
from tur.model.memory import Memory, MemoryType, Relation, Status
from tur.policy.decay import HalfLives, is_stale
from tur.policy.display import one_line
from tur.policy.look_alikes import written_out
from tur.service.show import show_memory
from tur.store.index import open_index
from tur.store.store import Store
from tur_tui.lines import BLANK, Line, Row, fields, heading, line, paragraph
from tur_tui.reading.diff import moment
from tur_tui.reading.shared import (
    SEARCH_LIMIT,
    Detail,
    Listing,
    cut,
    empty_page,
    history_lines,
    lineage_lines,
    type_word,
)


def list_memories(store: Store, words: str, kind: MemoryType | None, status: Status | None) -> Listing:
    """Memories, newest first, or the best matches for the words."""
    types = [kind.value] if kind else []
    with open_index(store.terrain.index, store.memories, refresh=False) as index:
        total = index.count()
        if words:
            hits = index.search(words, types=types, all_statuses=True, limit=SEARCH_LIMIT)
            ids = [entry.id for entry in hits if status is None or entry.status is status]
        else:
            ids = index.ids(types=types, status=status, now=format_time(store.clock.now()))
        unreadable = len(index.unreadable)
        by_status = index.status_counts()
    told = line(
        f"{len(ids):,} of {total:,} memories",
        ("dim", "  " + ", ".join(f"{count} {name}" for name, count in by_status.items())),
        ("bad", f"  {unreadable} unreadable" if unreadable else ""),
    )
    return Listing(
        ids,
        summary=told,
        empty=empty_page(
            bool(words or kind or status),
            "Nothing is remembered yet.",
            "An agent learns with `tur learn`, and dreams its notes into memories with `tur sleep`.",
        ),
    )


_STATUS_ROLES: Mapping[Status, tuple[str, str]] = {
    Status.ACTIVE: ("good", " "),
    Status.PENDING_APPROVAL: ("warn", "?"),
    Status.SUPERSEDED: ("dim", "~"),
    Status.REFUTED: ("removed", "-"),
    Status.MERGED: ("dim", "&"),
    Status.REJECTED: ("removed", "x"),
    Status.ARCHIVED: ("dim", "#"),
}


def memory_rows(store: Store, ids: Sequence[str]) -> list[Row]:
    """The rows of these memories; one that cannot be read says so."""
    now = store.clock.now()
    half_lives = HalfLives.of(store.persona.settings.half_life_days)
    return [_memory_row(store, one, now, half_lives) for one in ids]


def _memory_row(store: Store, memory_id: str, now: datetime, half_lives: HalfLives) -> Row:
    try:
        memory = store.memories.get(memory_id)
    except (TurError, OSError):
        return Row(memory_id, line(f"  {memory_id[:8]} ", ("bad", "! unreadable or gone")))
    role, sign = _STATUS_ROLES[memory.status]
    stale = is_stale(memory, now, half_lives)
    told = memory.headline if memory.core else memory.content
    return Row(
        memory_id,
        line(
            (role, f"{sign} "),
            ("dim", f"{memory_id[:8]} {type_word(memory.type)} "),
            ("warn", "stale " if stale else ""),
            ("text" if memory.status is Status.ACTIVE else "dim", one_line(told, 400)),
        ),
    )


def memory_detail(store: Store, memory_id: str) -> Detail:
    """One memory in full: text, standing, lineage down to the notes, history."""
    view = show_memory(store, memory_id)
    memory = view.memory
    role, sign = _STATUS_ROLES[memory.status]
    marks = [("bad", "  edited by hand")] if view.edited else []
    if is_stale(memory, store.clock.now(), HalfLives.of(store.persona.settings.half_life_days)):
        marks.append(("warn", "  stale"))
    shown = [
        line(
            ("title", short_id(memory.id)),
            (role, f"  {sign} {memory.status}"),
            ("dim", f"  {memory.type}, {memory.scope}"),
            *marks,
        ),
        BLANK,
        *paragraph(cut(memory.content)),
    ]
    if memory.core is not None:
        shown += [
            BLANK,
            *fields(
                [
                    ("core type", memory.core.core_type.value),
                    ("principle", memory.core.derived_principle),
                    ("covenant", memory.core.ethical_covenant),
                ]
            ),
        ]
    shown += [
        BLANK,
        *fields(
            [
                ("by", memory.author + (f" in {memory.session}" if memory.session else "")),
                ("at", format_time(memory.timestamp)),
                ("tags", ", ".join(memory.tags) or "none"),
                ("id", memory.id),
                ("seal", memory.seal or "none"),
            ]
        ),
        BLANK,
        heading("Rests on", "" if view.lineage else "nothing that is linked"),
        *lineage_lines(view.lineage),
        BLANK,
        heading("History"),
        *history_lines(memory),
    ]
    return Detail(short_id(memory.id), shown, facts=memory)


def core_words(memory: Memory) -> list[Line]:
    """The words of a core memory that take effect, as far as a dialog has room for them."""
    core = memory.core
    if core is None:
        return []
    return [
        line(("dim", "principle  "), written_out(core.derived_principle)[:600], indent=11),
        line(("dim", "covenant   "), written_out(core.ethical_covenant)[:600], indent=11),
    ]


def last_changed(memory: Memory) -> str:
    """What to compare to see the last change of a memory: the session that made it, else the second it was made in."""
    last = memory.lifecycle[-1]
    return last.session or moment(last.at)


def first_note(memory: Memory) -> tuple[str, int] | None:
    """The first note that a memory rests on, if it is linked to one."""
    wanted = (Relation.CONSOLIDATED_FROM, Relation.REFINES, Relation.OBSERVED_IN)
    links = [link for link in memory.links if link.relation in wanted] or list(memory.links)
    return next((named for link in links if (named := note_of_uri(link.uri))), None)
