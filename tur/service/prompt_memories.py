"""The lines of memories that compete for a place in the wake prompt: now, or as they stood at an earlier moment.

Both come from here, so that what a human is told of a change's effect is what an agent is told.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

from tur.clock import format_time
from tur.codec.memory_file import is_edited
from tur.model.memory import Memory, MemoryType, Status
from tur.policy.decay import HalfLives, is_stale
from tur.policy.lifecycle import MemoryState
from tur.policy.wake import memory_line
from tur.store.index import Entry, Index

ORDER = (MemoryType.AXIOM, MemoryType.PREFERENCE, MemoryType.INSIGHT, MemoryType.FACT, MemoryType.EVENT)
"""The types in the order in which they get their places."""

NOTHING: Mapping[str, MemoryState | None] = MappingProxyType({})


def memory_lines(
    index: Index, at: datetime, half_lives: HalfLives, states: Mapping[str, MemoryState | None] = NOTHING
) -> Iterator[tuple[str, str, str]]:
    """Id, line and rank of each active memory, in the order of the prompt; each is read when it is asked for.

    `states` tells of those that stood otherwise at the moment `at` than the index has them: their
    state then, or None when they were not there.
    """
    for kind in ORDER:
        for rank, one in enumerate(_ranked(index, kind, format_time(at), states), start=1):
            if isinstance(one, Memory):
                memory, edited = one, is_edited(one)
            else:
                memory, edited = index.load(one), one.edited
            line = memory_line(memory, edited=edited, stale=is_stale(memory, at, half_lives))
            yield memory.id, line, f"{kind.value} {rank}, newest first"


def _ranked(
    index: Index, kind: MemoryType, at: str, states: Mapping[str, MemoryState | None]
) -> Iterator[Entry | Memory]:
    """Those of one type, newest first, as `Index.entries` orders them."""
    differing = [
        state.memory
        for state in states.values()
        if state is not None and state.status is Status.ACTIVE and state.memory.type is kind
    ]
    differing.sort(key=lambda memory: memory.id)
    differing.sort(key=lambda memory: min(format_time(memory.timestamp), at), reverse=True)
    for entry in index.entries(types=[kind], now=at):
        if entry.id in states:
            continue
        born = min(entry.timestamp, at)
        while differing:
            other = min(format_time(differing[0].timestamp), at)
            if other < born or (other == born and differing[0].id > entry.id):
                break
            yield differing.pop(0)
        yield entry
    yield from differing
