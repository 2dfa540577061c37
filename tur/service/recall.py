"""`tur recall`: ranked full-text search over memories."""

from collections.abc import Sequence
from dataclasses import dataclass

from tur.errors import InvalidInput
from tur.model.memory import Memory, MemoryType, Scope
from tur.store.index import open_index
from tur.store.memories import Unreadable
from tur.store.store import Store

MAX_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Recalled:
    """One hit. `edited`: its text was changed by hand and no longer answers to its id."""

    memory: Memory
    edited: bool


def check_query(query: str, limit: int) -> None:
    """Raises InvalidInput for a blank query or a limit out of range."""
    if not query.strip():
        raise InvalidInput("empty query", hint="Say some words of what you look for.")
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"a limit is 1 to {MAX_LIMIT}, not {limit}")


def recall(
    store: Store,
    query: str,
    *,
    types: Sequence[MemoryType] = (),
    scopes: Sequence[Scope] = (),
    limit: int = 10,
    all_statuses: bool = False,
) -> tuple[list[Recalled], list[Unreadable]]:
    """The best matches first, and what could not be read. Every text is a valid query but a blank one."""
    check_query(query, limit)
    with open_index(store.terrain.index, store.memories) as index:
        entries = index.search(query, types=types, scopes=scopes, all_statuses=all_statuses, limit=limit)
        return [Recalled(index.load(entry), entry.edited) for entry in entries], index.unreadable
