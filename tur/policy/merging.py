"""Which core memories another one in force takes the place of: those that its `merges` links name. Pure.

The links are under the seal that an approval is bound to, so what it takes out of force was shown.
"""

from collections.abc import Sequence

from tur.ids import memory_of_uri
from tur.model.memory import Memory, MemoryType, Relation


def merged_by(memory: Memory) -> frozenset[str]:
    """The ids that a core memory merges."""
    return _linked(memory, Relation.MERGES)


def superseded_by(memory: Memory) -> frozenset[str]:
    """The ids that a core memory says the same as, in other words."""
    return _linked(memory, Relation.SUPERSEDES)


def next_to_retire(trusted: Sequence[Memory]) -> tuple[Memory, Memory] | None:
    """The first core memory in force that another one in force merges, with that one; None when there is none.

    `trusted` is in order of approval. Whoever acts on it asks again afterwards: of two that merge
    each other only the older one goes.
    """
    for old in trusted:
        successor = next((one for one in trusted if one.id != old.id and old.id in merged_by(one)), None)
        if successor is not None:
            return old, successor
    return None


def with_approved(trusted: Sequence[Memory], added: Sequence[Memory]) -> tuple[list[Memory], list[Memory]]:
    """What is in force, in order, once these are approved one after the other; and what that takes out of force."""
    standing, retired = list(trusted), []
    for memory in added:
        if all(one.id != memory.id for one in standing):
            standing.append(memory)
        while (pair := next_to_retire(standing)) is not None:
            standing = [one for one in standing if one.id != pair[0].id]
            retired.append(pair[0])
    return standing, retired


def _linked(memory: Memory, relation: str) -> frozenset[str]:
    if memory.type is not MemoryType.CORE:
        return frozenset()
    targets = ((memory_of_uri(link.uri), link) for link in memory.links if link.relation == relation)
    return frozenset(one for one, link in targets if one is not None and link.hash in (None, one))
