"""`tur learn` and `tur refute`: knowledge that is added, replaced, merged or withdrawn.

A successor is written before what it replaces is marked, so that at every moment at least one of
the two is found; repeating an interrupted command finishes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tur import faults
from tur.codec.memory_file import derive_title
from tur.codec.seal import memory_id, memory_seal
from tur.errors import Conflict, InvalidInput, Refused
from tur.ids import memory_uri, note_of_uri, note_uri, session_uri, short_id
from tur.model.memory import LifecycleEntry, Memory, MemoryLink, MemoryType, Relation, Scope, Status
from tur.policy.lifecycle import may_become
from tur.service.intake import known_and_gone, take_tags, take_text
from tur.store.store import Store

_LEAVING = {Relation.SUPERSEDES: Status.SUPERSEDED, Relation.MERGES: Status.MERGED}


@dataclass(frozen=True, slots=True)
class LearnReceipt:
    """What `learn` did. `created` is False when the same content was known; `replaced` are full ids."""

    memory: Memory
    created: bool
    again: bool = False
    replaced: list[str] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)


def learn(
    store: Store,
    content: str,
    *,
    author: str,
    type: MemoryType = MemoryType.FACT,
    scope: Scope = Scope.INCARNATION,
    title: str | None = None,
    tags: Sequence[str] = (),
    supersedes: Sequence[str] = (),
    merges: Sequence[str] = (),
    session_links: Sequence[str] = (),
    again: bool = False,
) -> LearnReceipt:
    """Store a memory under its content address, and mark what it replaces.

    Learning what is known is no change. What was superseded, refuted or merged comes back only
    with `again`; what a human forgot or rejected does not come back from here at all.
    Raises InvalidInput, NotFound, Ambiguous, Conflict, Refused; then nothing was changed.
    """
    if type is MemoryType.CORE:
        raise Refused(
            "a core memory cannot be learned: it is staged by the agent and approved by a human",
            hint="Learn it as an insight or axiom, then stage it with `tur evolve`.",
        )
    clean, redacted = take_text(content, "a memory")
    shown_title, title_secrets = (
        take_text(title, "a title", one_line=True, limit=400) if title is not None else ("", [])
    )
    leaving = _leaving(store, supersedes, merges)
    links = [*_session_links(store, session_links), *_links_to(store, leaving)]
    identity = memory_id(scope, type, clean)
    if identity in leaving:
        raise InvalidInput("a memory cannot replace itself", hint="The new content is the same as the old.")
    for old, status in leaving.items():
        _check_may_leave(store.memories.get(old), status, successor=identity)
    clean_tags, tag_secrets = take_tags(tags)
    now, session = store.clock.now(), store.sessions.active()
    memory = Memory(
        id=identity,
        seal=memory_seal(identity, now, links),
        type=type,
        scope=scope,
        title=shown_title or derive_title(clean),
        content=clean,
        timestamp=now,
        author=author,
        session=session,
        tags=clean_tags,
        links=tuple(links),
        lifecycle=(LifecycleEntry(now, Status.ACTIVE, author, session),),
    )
    stored, created = store.memories.add(memory)
    revived = False
    if not created:
        stored, revived = _meet_known(store, stored, author=author, again=again)
    faults.reached("learn.added")
    for old, status in leaving.items():
        mark_replaced(store, old, status, successor=identity, author=author, session=session)
        faults.reached("learn.marked")
    return LearnReceipt(stored, created, revived, list(leaving), sorted({*redacted, *title_secrets, *tag_secrets}))


def _meet_known(store: Store, known: Memory, *, author: str, again: bool) -> tuple[Memory, bool]:
    if known.status is Status.ACTIVE:
        return known, False
    last = known.lifecycle[-1]
    why = f" ({last.reason})" if last.reason else ""
    if not may_become(known.status, Status.ACTIVE, relearned=True) or known.status in (
        Status.ARCHIVED,
        Status.PENDING_APPROVAL,
    ):
        raise known_and_gone(known)
    if not again:
        raise Conflict(
            f"{short_id(known.id)} is known and was {known.status} by {last.by}{why}",
            hint="Pass --again to hold it true once more. Nothing was changed.",
            id=known.id,
            status=known.status.value,
        )
    entry = LifecycleEntry(store.clock.now(), Status.ACTIVE, author, store.sessions.active(), reason="learned again")
    return store.memories.append(known.id, lambda found: None if found.status is Status.ACTIVE else entry)


def _leaving(store: Store, supersedes: Sequence[str], merges: Sequence[str]) -> dict[str, Status]:
    leaving: dict[str, Status] = {}
    for given, status in [*((one, Status.SUPERSEDED) for one in supersedes), *((one, Status.MERGED) for one in merges)]:
        memory = store.memories.find(given)
        if memory.type is MemoryType.CORE:
            raise Refused(f"{short_id(memory.id)} is a core memory; only a human decides on those")
        if memory.id in leaving and leaving[memory.id] is not status:
            raise InvalidInput(f"{short_id(memory.id)} cannot be both superseded and merged")
        leaving[memory.id] = status
    return leaving


def _links_to(store: Store, leaving: dict[str, Status]) -> list[MemoryLink]:
    relation = {status: name for name, status in _LEAVING.items()}
    return [MemoryLink(memory_uri(one), relation[status], one) for one, status in leaving.items()]


def _session_links(store: Store, given: Sequence[str]) -> list[MemoryLink]:
    links = []
    for one in given:
        named = note_of_uri(one)
        if named is None:
            links.append(MemoryLink(session_uri(store.sessions.resolve(one)), Relation.OBSERVED_IN))
            continue
        session_id, idx = named
        note = next((note for note in store.sessions.load(session_id).notes if note.idx == idx), None)
        if note is None:
            raise InvalidInput(f"session {session_id} has no note {idx}", hint=f"`tur show {session_id}` lists them.")
        links.append(MemoryLink(note_uri(session_id, idx), Relation.OBSERVED_IN, note.hash))
    return links


def mark_replaced(
    store: Store, memory_id: str, status: Status, *, successor: str, author: str, session: str | None
) -> bool:
    """Mark a memory as superseded or merged by `successor`; says whether that was news.

    Raises Conflict when something else happened to it.
    """

    def decide(memory: Memory) -> LifecycleEntry | None:
        if not _check_may_leave(memory, status, successor=successor):
            return None
        return LifecycleEntry(store.clock.now(), status, author, session, successor=successor)

    return store.memories.append(memory_id, decide)[1]


def _check_may_leave(memory: Memory, status: Status, *, successor: str) -> bool:
    """Whether a memory is still to be marked as replaced. Raises Conflict when it cannot be."""
    if memory.status is status and memory.lifecycle[-1].successor == successor:
        return False
    if not may_become(memory.status, status):
        last = memory.lifecycle[-1]
        by = f" by {short_id(last.successor)}" if last.successor else ""
        raise Conflict(
            f"{short_id(memory.id)} is no longer in force: it is {memory.status}{by}",
            hint="Replace what is in force now; `tur show` tells its history. Nothing was changed.",
            id=memory.id,
        )
    return True


def refute(store: Store, given: str, reason: str, *, author: str) -> tuple[Memory, bool, list[str]]:
    """Withdraw a memory. Gives it as it is now, whether that was news, and redacted kinds.

    Raises NotFound, Ambiguous, InvalidInput, Conflict, or Refused for a core memory.
    """
    clean, redacted = take_text(reason, "a reason", limit=4_000)
    memory = store.memories.find(given)
    if memory.type is MemoryType.CORE:
        raise Refused(
            f"{short_id(memory.id)} is a core memory; only a human decides on those",
            hint="Ask the Architect: `tur-adm memory forget`.",
        )
    session = store.sessions.active()

    def decide(found: Memory) -> LifecycleEntry | None:
        if found.status is Status.REFUTED:
            return None
        if not may_become(found.status, Status.REFUTED):
            raise Conflict(f"{short_id(found.id)} is {found.status} and cannot be refuted", id=found.id)
        return LifecycleEntry(store.clock.now(), Status.REFUTED, author, session, reason=clean)

    changed, news = store.memories.append(memory.id, decide)
    return changed, news, redacted
