"""The decisions of a human on memories: approve, reject, forget, restore, undo, accept an edit.

Each is one line of the audit log and one change of a file, carried out whole (`ledger`). A
decision on a core memory is bound to the bytes that were shown.
"""

import os
from dataclasses import dataclass, replace

from tur import faults
from tur.codec.memory_file import core_title, derive_title, parse_memory, render_memory
from tur.codec.seal import memory_id, memory_seal
from tur.codec.text import check_text
from tur.errors import Conflict, NotFound, Refused
from tur.ids import memory_uri, short_id
from tur.model.audit import Act, AuditEntry
from tur.model.memory import LifecycleEntry, Memory, MemoryLink, MemoryType, Relation, Status
from tur.policy.lifecycle import may_be_restored, may_become
from tur.policy.undoing import check_undo, to_undo
from tur.service.intake import take_text
from tur.stewardship.edits import check_edit, edit_of
from tur.stewardship.effect import effect_of
from tur.stewardship.ledger import Ledger, Steward, open_ledger, retire_merged, stamp
from tur.stewardship.review import REASON_LIMIT, Review, read_for_decision, rivals
from tur.store.files import move_file
from tur.store.replaced import edit_reason
from tur.store.store import Store


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided: the memory as it is now, and the line of the audit log.

    `retired` are core memories that went out of force with it, each by a line of its own.
    """

    memory: Memory
    entry: AuditEntry
    retired: tuple[Memory, ...] = ()


def approve(store: Store, shown: Review, steward: Steward) -> Decision:
    """Make a pending core memory active, exactly as it was shown.

    An active one that log or key do not vouch for can be approved too. What it merges goes out of
    force, as the review said: by the same act, or after a crash by the next one. Raises Refused for what is
    blocked, Conflict when the file or its standing changed since it was shown, StewardRequired
    without the unlocked steward key, StoreCorrupt when log, key or pins are not in order.
    """
    if shown.blocked:
        raise Refused(
            f"{short_id(shown.memory.id)} cannot be approved: {'; '.join(shown.blocked)}",
            hint="Nothing was changed. Reject it with a reason, so that it is staged anew.",
            id=shown.memory.id,
        )
    with open_ledger(store, steward) as ledger:
        memory = unchanged(ledger, shown)
        if any(one.id == memory.id for one in ledger.verdict.trusted):
            raise told_conflict(ledger, memory, "is approved already")
        _same_effect(ledger, shown)
        again = memory.status is Status.ACTIVE
        change = LifecycleEntry(store.clock.now(), Status.ACTIVE, steward.actor, verified=again)
        entry = ledger.carry_out(Act.APPROVE, memory, change, shown=shown.data)
        retired = retire_merged(store)
    return Decision(memory.appended(change), entry, tuple(retired))


def reject(store: Store, shown: Review, steward: Steward, reason: str) -> Decision:
    """Turn a pending core memory down, with the reason that its author will be told.

    Raises InvalidInput for a reason that says nothing, Conflict when it is not pending (any more).
    """
    why, _ = take_text(reason, "a reason", limit=REASON_LIMIT)
    with open_ledger(store, steward) as ledger:
        memory = unchanged(ledger, shown)
        if memory.status is not Status.PENDING_APPROVAL:
            raise told_conflict(ledger, memory, f"is {memory.status}, not pending")
        change = LifecycleEntry(store.clock.now(), Status.REJECTED, steward.actor, reason=why)
        entry = ledger.carry_out(Act.REJECT, memory, change, reason=why, shown=shown.data)
    return Decision(memory.appended(change), entry)


def forget(store: Store, given: str, steward: Steward, reason: str | None = None) -> Decision:
    """Put a memory out of force and into the archive; nothing of it is deleted.

    Raises Conflict for one that is archived already, or pending or rejected.
    """
    why = None if reason is None else take_text(reason, "a reason", limit=REASON_LIMIT)[0]
    wanted = store.memories.resolve(given)
    with open_ledger(store, steward) as ledger:
        memory, _ = read_for_decision(store, wanted)
        if not may_become(memory.status, Status.ARCHIVED):
            raise told_conflict(ledger, memory, f"is {memory.status} and cannot be forgotten")
        change = LifecycleEntry(store.clock.now(), Status.ARCHIVED, steward.actor, reason=why)
        entry = ledger.carry_out(Act.FORGET, memory, change, reason=why, folder="archive")
    return Decision(memory.appended(change), entry)


def restore(store: Store, shown: Review, steward: Steward) -> Decision:
    """Bring a forgotten memory back as it was before, or a core memory that was merged, exactly as it was shown.

    A core memory comes back into force, so it is approved by this, with all that approving asks.
    Raises Conflict when it is neither, Refused for a core memory that could not be approved.
    """
    with open_ledger(store, steward) as ledger:
        memory = unchanged(ledger, shown)
        if not may_be_restored(memory):
            raise told_conflict(ledger, memory, f"is {memory.status}, not forgotten")
        if shown.blocked_from_return:
            why = "; ".join(shown.blocked_from_return)
            raise Refused(f"{short_id(memory.id)} cannot be restored: {why}", id=memory.id)
        is_core = memory.type is MemoryType.CORE
        if is_core:
            _same_effect(ledger, shown)
        status = Status.ACTIVE if is_core else _before(memory)
        change = LifecycleEntry(store.clock.now(), status, steward.actor, reason="restored")
        entry = ledger.carry_out(Act.RESTORE, memory, change, folder="active", shown=shown.data)
        retired = retire_merged(store) if is_core else []
    return Decision(memory.appended(change), entry, tuple(retired))


def undo(store: Store, steward: Steward, line: int | None = None) -> Decision:
    """Take back the last decision on a memory: what it was before, it is again.

    `line` is the line of the log that was shown: Conflict when another decision came after it. An
    approval goes back to pending. A forgotten core memory is not brought back so: that takes
    `restore`, which shows it first. Raises NotFound when there is nothing to take back, Refused when
    the last decision is of a kind that cannot be.
    """
    with open_ledger(store, steward) as ledger:
        decided, last = to_undo(ledger.log, line)
        memory, _ = read_for_decision(store, decided)
        check_undo(last, memory)
        status, folder, successor = Status.PENDING_APPROVAL, None, None
        if last.act is Act.FORGET:
            status, folder = _before(memory), "active"
        elif last.act is Act.RESTORE:
            earlier = memory.lifecycle[-2] if len(memory.lifecycle) > 1 else None
            merged = earlier is not None and earlier.status is Status.MERGED
            status, folder = (Status.MERGED, None) if merged else (Status.ARCHIVED, "archive")
            successor = earlier.successor if merged and earlier is not None else None
        change = LifecycleEntry(
            store.clock.now(), status, steward.actor, reason=f"{last.act.value} undone", successor=successor
        )
        why = f"line {last.seq}: {last.act.value}"
        entry = ledger.carry_out(Act.UNDO, memory, change, reason=why, folder=folder)
    return Decision(memory.appended(change), entry)


def accept_edit(store: Store, given: str, steward: Steward) -> tuple[Memory, Decision]:
    """Make a hand edit a memory of its own, which supersedes the one it was made in.

    Where git knows the text as it was, the old file gets it back and is marked superseded.
    Otherwise that text is lost, and the edited file goes into quarantine, where
    `tur.store.replaced` finds what took its place. A core memory's edit is staged and awaits
    approval. Raises Conflict when there is no edit, or the memory is not in force.
    """
    wanted = store.memories.resolve(given)
    with open_ledger(store, steward) as ledger:
        memory, _ = read_for_decision(store, wanted)
        old = check_edit(memory, edit_of(store, memory)).written
        successor = _of_edit(store, memory, steward, kept=old is not None)
        stored, _ = store.memories.add(successor)
        faults.reached("accept_edit.added")
        change = LifecycleEntry(
            store.clock.now(), Status.SUPERSEDED, steward.actor, reason="edited by hand", successor=stored.id
        )
        text = None if old is None else render_memory(old.appended(change)).decode()
        folder = "quarantine" if old is None else None
        if folder is not None:
            _make_room(store, memory.id)
        why = edit_reason(stored.id)
        entry = ledger.carry_out(Act.ACCEPT_EDIT, memory, change, reason=why, text=text, folder=folder)
    return stored, Decision(memory.appended(change), entry)


def _make_room(store: Store, memory_id: str) -> None:
    """Rename what lies in quarantine under this id: the text was lost before, and learned again since."""
    path = store.memories.path_of(memory_id)
    there = None if path is None else path.parent.parent / "quarantine" / path.name
    if there is not None and os.path.lexists(there):
        move_file(there, there.with_name(f"{memory_id}-{stamp(store)}.md"))


def _of_edit(store: Store, memory: Memory, steward: Steward, *, kept: bool) -> Memory:
    """The edit as a memory of its own; it links to the old one where that is kept."""
    check_text(memory.content, "the edited text")
    identity = memory_id(memory.scope, memory.type, memory.content, memory.core)
    now = store.clock.now()
    is_core = memory.type is MemoryType.CORE
    replaced = (MemoryLink(memory_uri(memory.id), Relation.SUPERSEDES, memory.id),) if kept else ()
    links = (*memory.links, *replaced)
    return replace(
        memory,
        id=identity,
        seal=memory_seal(identity, now, links),
        links=links,
        title=core_title(identity) if is_core else derive_title(memory.content),
        timestamp=now,
        author=steward.actor,
        lifecycle=(LifecycleEntry(now, Status.PENDING_APPROVAL if is_core else Status.ACTIVE, steward.actor),),
    )


def unchanged(ledger: Ledger, shown: Review) -> Memory:
    """The memory as shown, or Conflict: someone else decided, or the file is another one now."""
    try:
        _, data = read_for_decision(ledger.store, shown.memory.id)
    except NotFound:
        raise Conflict(f"{short_id(shown.memory.id)} is gone since it was shown", id=shown.memory.id) from None
    if data == shown.data:
        return parse_memory(data)
    now = parse_memory(data)
    if now.lifecycle != shown.memory.lifecycle:
        raise told_conflict(ledger, now, f"is {now.status} since you looked")
    raise Conflict(
        f"the file of {short_id(now.id)} changed between showing and deciding",
        hint="Nothing was changed. Look at it again.",
        id=now.id,
    )


def _same_effect(ledger: Ledger, shown: Review) -> None:
    """Raise Conflict when approving has another effect by now than the one that was shown."""
    for why in rivals(shown.memory, ledger.verdict.trusted):
        raise Conflict(
            f"{short_id(shown.memory.id)} cannot be approved: {why}", hint="Nothing was changed.", id=shown.memory.id
        )
    retired = effect_of(ledger.verdict.trusted, [shown.memory]).retired
    if {one.id for one in retired} != {one.id for one in shown.retires}:
        raise Conflict(
            f"what {short_id(shown.memory.id)} would take out of force is not what was shown",
            hint="Nothing was changed. Look at it again.",
            id=shown.memory.id,
        )


def told_conflict(ledger: Ledger, memory: Memory, what: str) -> Conflict:
    """A Conflict that says who decided before."""
    last = ledger.verdict.decisions.get(memory.id)
    by = f" ({last.act.value} by {last.actor}, {last.at:%Y-%m-%d %H:%M:%S})" if last else ""
    return Conflict(f"{short_id(memory.id)} {what}{by}", hint="Nothing was changed.", id=memory.id)


def _before(memory: Memory) -> Status:
    """What a memory was before its last change."""
    earlier = [entry.status for entry in memory.lifecycle[:-1] if entry.status is not Status.ARCHIVED]
    return earlier[-1] if earlier else Status.ACTIVE
