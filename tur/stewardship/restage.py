"""A steward puts a pending core memory into other words, or makes one of it and an approved one.

Nothing is approved here: the new memory is staged and goes through the same review as any other.
The pending one is turned down with a reason that names its successor, so that the agent is told.

The new memory is written first, then the old one is turned down: after a crash in between both are
pending, and doing the same again finishes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tur import faults
from tur.codec.memory_file import core_title
from tur.codec.seal import memory_id, memory_seal
from tur.errors import Conflict
from tur.ids import memory_uri, short_id
from tur.model.audit import Act
from tur.model.memory import Core, LifecycleEntry, Memory, MemoryLink, MemoryType, Relation, Scope, Status
from tur.service.evolve import take_words
from tur.service.intake import take_text
from tur.stewardship.decide import Decision, told_conflict, unchanged
from tur.stewardship.ledger import Ledger, Steward, open_ledger
from tur.stewardship.review import Review
from tur.store.store import Store


@dataclass(frozen=True, slots=True)
class Restaged:
    """`memory` awaits approval; `decision` turned the one down that it came from. `redacted` are kinds of secrets."""

    memory: Memory
    decision: Decision
    redacted: list[str] = field(default_factory=list)


def reword(store: Store, shown: Review, steward: Steward, principle: str, covenant: str) -> Restaged:
    """Stage a pending core memory in other words, and turn the one down that was shown.

    Raises InvalidInput for words that cannot be taken, Conflict when nothing differs, when the words
    are known already, or when the memory is not as it was shown.
    """
    core, kinds = take_words(shown.check_restaging().core_type, principle, covenant)
    with open_ledger(store, steward) as ledger:
        memory = unchanged(ledger, shown)
        links = (*memory.links, MemoryLink(memory_uri(memory.id), Relation.SUPERSEDES, memory.id))
        made = _made(ledger, memory, core, memory.content, links)
        if made.id == memory.id:
            raise told_conflict(ledger, memory, "says exactly that already")
        stored = _stage(store, made)
        faults.reached("reword.staged")
        decision = _turn_down(ledger, shown, memory, stored, f"reworded as {short_id(stored.id)}")
    return Restaged(stored, decision, sorted(set(kinds)))


def merge(store: Store, shown: Review, steward: Steward, into: str, principle: str, covenant: str) -> Restaged:
    """Stage one core memory in place of the pending one that was shown and of the approved one `into` (its id).

    The approved one stays in force until the new one is approved. Raises InvalidInput, Conflict when
    `into` is not approved (any more), when the words are known, or when the pending one changed.
    """
    shown.check_restaging()
    with open_ledger(store, steward) as ledger:
        memory = unchanged(ledger, shown)
        old = next((one for one in ledger.verdict.trusted if one.id == into), None)
        if old is None or old.core is None or old.id == memory.id:
            raise Conflict(
                f"{short_id(into)} is not approved, so nothing can be merged into it",
                hint="Nothing was changed. `tur-adm memory show` tells which approved ones are near.",
                id=into,
            )
        core, kinds = take_words(old.core.core_type, principle, covenant)
        lived = old.content if old.content.strip() == memory.content.strip() else f"{old.content}\n\n{memory.content}"
        content, more = take_text(lived, "the lived context of both")
        links = [MemoryLink(memory_uri(one.id), Relation.MERGES, one.id) for one in (old, memory)]
        made = _made(ledger, memory, core, content, links)
        if made.id in (old.id, memory.id):
            said = short_id(made.id)
            raise Conflict(
                f"that is exactly what {said} says: there is nothing to merge",
                hint="Nothing was changed. Reject the pending one, or say what both mean.",
                id=made.id,
            )
        stored = _stage(store, made)
        faults.reached("merge.staged")
        decision = _turn_down(ledger, shown, memory, stored, f"merged into {short_id(stored.id)}")
    return Restaged(stored, decision, sorted({*kinds, *more}))


def _made(ledger: Ledger, memory: Memory, core: Core, content: str, links: Sequence[MemoryLink]) -> Memory:
    """The new memory: by the steward, awaiting approval like any other."""
    identity = memory_id(Scope.UNIVERSAL, MemoryType.CORE, content, core)
    now, actor = ledger.store.clock.now(), ledger.steward.actor
    return replace(
        memory,
        id=identity,
        seal=memory_seal(identity, now, links),
        scope=Scope.UNIVERSAL,
        title=core_title(identity),
        content=content,
        timestamp=now,
        author=actor,
        links=tuple(links),
        lifecycle=(LifecycleEntry(now, Status.PENDING_APPROVAL, actor),),
        core=core,
    )


def _stage(store: Store, made: Memory) -> Memory:
    """Write the new memory. Raises Conflict for one that is known, unless an interrupted act left it there."""
    stored, created = store.memories.add(made)
    ours = (
        stored.status is Status.PENDING_APPROVAL and stored.core == made.core and set(stored.links) == set(made.links)
    )
    if not created and not ours:
        raise Conflict(
            f"{short_id(stored.id)} says exactly that, and is {stored.status}",
            hint="Nothing was changed. Say it in other words, or reject the pending one.",
            id=stored.id,
            status=stored.status.value,
        )
    return stored


def _turn_down(ledger: Ledger, shown: Review, memory: Memory, successor: Memory, why: str) -> Decision:
    change = LifecycleEntry(
        ledger.store.clock.now(), Status.REJECTED, ledger.steward.actor, reason=why, successor=successor.id
    )
    entry = ledger.carry_out(Act.REJECT, memory, change, reason=why, shown=shown.data)
    return Decision(memory.appended(change), entry)
