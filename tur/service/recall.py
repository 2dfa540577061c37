"""`tur recall`: ranked full-text search over memories."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tur.errors import InvalidInput
from tur.model.memory import Memory, MemoryType, Scope
from tur.service.core_trust import core_trust
from tur.store.files import Unreadable
from tur.store.index import open_index
from tur.store.store import Store

MAX_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Recalled:
    """One hit. `edited`: its text was changed by hand and no longer answers to its id.

    `untrusted`: a core memory that no valid approval stands behind, whatever its file says.
    """

    memory: Memory
    edited: bool
    untrusted: bool = False


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
        hits = [Recalled(index.load(entry), entry.edited) for entry in entries]
        return _judged(store, hits, all_statuses=all_statuses), index.unreadable


def _judged(store: Store, hits: list[Recalled], *, all_statuses: bool) -> list[Recalled]:
    """Core memories only as far as they are trusted; with `all_statuses` the others too, marked."""
    cores = [hit.memory for hit in hits if hit.memory.type is MemoryType.CORE]
    if not cores:
        return hits
    trusted = {memory.id for memory in core_trust(store, cores).trusted}
    judged = []
    for hit in hits:
        sound = hit.memory.type is not MemoryType.CORE or hit.memory.id in trusted
        if sound or all_statuses:
            judged.append(hit if sound else replace(hit, untrusted=True))
    return judged
