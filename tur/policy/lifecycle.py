"""The state of a memory at a moment, as a pure fold of its lifecycle, and which change may follow which.

Nothing is snapshotted: two calls of `state_at` and a `compare` (tur.policy.diff) are a diff.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from tur.model.memory import LifecycleEntry, Memory, MemoryType, Status
from tur.policy.decay import DEFAULT_HALF_LIVES, HalfLives, age, as_utc, stale_since

DatedBy = Literal["lifecycle", "timestamp", "file"]
"""What the birth of a memory was dated by: its lifecycle, its timestamp, or its file's time."""

_ALLOWED: Mapping[Status, frozenset[Status]] = {
    Status.PENDING_APPROVAL: frozenset({Status.ACTIVE, Status.REJECTED}),
    # active -> active is a verification.
    Status.ACTIVE: frozenset({Status.ACTIVE, Status.SUPERSEDED, Status.REFUTED, Status.MERGED, Status.ARCHIVED}),
    Status.ARCHIVED: frozenset({Status.ACTIVE}),
    Status.REJECTED: frozenset({Status.PENDING_APPROVAL}),
    Status.SUPERSEDED: frozenset({Status.ARCHIVED}),
    Status.REFUTED: frozenset({Status.ARCHIVED}),
    Status.MERGED: frozenset({Status.ARCHIVED}),
}
GONE_BY = frozenset({Status.SUPERSEDED, Status.REFUTED, Status.MERGED})
"""Statuses of knowledge that something else put out of force; only learning it again brings it back."""


def may_become(status: Status, new: Status, *, relearned: bool = False) -> bool:
    """Whether a memory that stands at `status` may go to `new`. The one place of this rule.

    What was superseded, refuted or merged becomes active only as an explicit re-learning.
    """
    if status in GONE_BY and new is Status.ACTIVE:
        return relearned
    return new in _ALLOWED[status]


def may_be_restored(memory: Memory) -> bool:
    """Whether a human may bring a memory back: one that was forgotten, or a core memory that was merged.

    For a core memory that is an approval, with all that approving asks.
    """
    if memory.status is Status.MERGED and memory.type is MemoryType.CORE:
        return may_become(memory.status, Status.ACTIVE, relearned=True)
    return memory.status is Status.ARCHIVED


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A moment in the life of a store.

    `at` None is everything there is. Entries written by a session in `sessions` count, those of
    a session in `later` never do, whatever their clocks said; all others count by time.
    """

    at: datetime | None = None
    sessions: frozenset[str] | None = None
    later: frozenset[str] = frozenset()

    def counts(self, session: str | None, effective: datetime) -> bool:
        """Whether an entry of that session, at that effective time, has happened by now."""
        if session is not None and session in self.later:
            return False
        if session is not None and self.sessions is not None and session in self.sessions:
            return True
        return self.at is None or effective <= as_utc(self.at)


EVERYTHING = Checkpoint()


@dataclass(frozen=True, slots=True)
class HandEdit:
    """A body that no longer matches its id. `old` is the text the id stands for, when it is known."""

    at: datetime | None = None
    old: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryState:
    """One memory as it stood at a checkpoint.

    `memory` has its lifecycle cut to what counted; `history` is the same with the birth that a
    historical record leaves unsaid. `at` is the effective time of the last entry. `edit` is set
    once the content was changed by hand. `age` and `stale_since` are for showing: two states
    that differ in nothing else are the same.
    """

    memory: Memory
    status: Status
    at: datetime
    stale: bool = False
    dated_by: DatedBy = "lifecycle"
    history: tuple[LifecycleEntry, ...] = ()
    edit: HandEdit | None = None
    age: timedelta | None = field(default=None, compare=False)
    stale_since: datetime | None = field(default=None, compare=False)

    @property
    def estimated(self) -> bool:
        """Whether its birth was dated by the time of its file, for want of anything better."""
        return self.dated_by == "file"


def state_at(
    memories: Iterable[Memory],
    checkpoint: Checkpoint = EVERYTHING,
    *,
    now: datetime | None = None,
    half_lives: HalfLives = DEFAULT_HALF_LIVES,
    edits: Mapping[str, HandEdit] | None = None,
) -> dict[str, MemoryState]:
    """Fold each lifecycle up to the checkpoint: id -> state, without those not yet born.

    Staleness is judged at the checkpoint's time, or at `now` for one that has none (without
    either, nothing is stale). `edits` names the memories whose content was changed by hand.
    Of two records with one id, as a crash between two folders leaves them, the one with the
    longer lifecycle counts.
    """
    states: dict[str, MemoryState] = {}
    lengths: dict[str, int] = {}
    judged = checkpoint.at if checkpoint.at is not None else now
    for memory in memories:
        if lengths.get(memory.id, -1) >= len(memory.lifecycle):
            continue
        lengths[memory.id] = len(memory.lifecycle)
        state = _fold(memory, checkpoint, judged, half_lives, (edits or {}).get(memory.id))
        if state is None:
            states.pop(memory.id, None)
        else:
            states[memory.id] = state
    return states


def history_of(memory: Memory) -> tuple[LifecycleEntry, ...]:
    """The lifecycle, begun with the birth that a historical record leaves unsaid."""
    unsaid = _unsaid_birth(memory)
    return memory.lifecycle if unsaid is None else (unsaid, *memory.lifecycle)


def _fold(
    memory: Memory, checkpoint: Checkpoint, judged: datetime | None, half_lives: HalfLives, edit: HandEdit | None
) -> MemoryState | None:
    unsaid = _unsaid_birth(memory)
    dated = list(_effective(memory.lifecycle if unsaid is None else (unsaid, *memory.lifecycle)))
    counted = [pair for pair in dated if checkpoint.counts(pair[0].session, pair[1])]
    # Nothing befalls what is not born: an earlier session that is dreamt late may touch a later one's memory.
    if not counted or counted[0] is not dated[0]:
        return None
    history = tuple(entry for entry, _ in counted)
    then = replace(memory, lifecycle=tuple(entry for entry in history if entry is not unsaid))
    if edit is not None and not _edited_by(edit, checkpoint):
        then = then if edit.old is None else replace(then, content=edit.old)
        edit = None
    status = history[-1].status
    since = stale_since(then, half_lives)
    return MemoryState(
        memory=then,
        status=status,
        at=counted[-1][1],
        stale=since is not None and judged is not None and since <= as_utc(judged),
        dated_by="lifecycle" if unsaid is None else "file" if memory.extra.get("timestamp_from") else "timestamp",
        history=history,
        edit=edit,
        age=None if judged is None else age(then, judged),
        stale_since=since,
    )


def _edited_by(edit: HandEdit, checkpoint: Checkpoint) -> bool:
    """Whether the hand edit was there at the checkpoint; one of unknown time always was."""
    return edit.at is None or checkpoint.at is None or as_utc(edit.at) <= as_utc(checkpoint.at)


def _effective(entries: Iterable[LifecycleEntry]) -> Iterator[tuple[LifecycleEntry, datetime]]:
    """Each entry with the latest time written up to it: the order of writing is what happened."""
    latest: datetime | None = None
    for entry in entries:
        at = as_utc(entry.at)
        latest = at if latest is None else max(latest, at)
        yield entry, latest


def _unsaid_birth(memory: Memory) -> LifecycleEntry | None:
    """The birth entry of a record from before lifecycles, or None when the lifecycle tells it.

    Such a record may have got later entries since; it was there, and active, before them.
    """
    first = memory.lifecycle[0] if memory.lifecycle else None
    if first is not None and not first.verified and first.status in (Status.ACTIVE, Status.PENDING_APPROVAL):
        return None
    born = as_utc(memory.timestamp)
    if first is not None and memory.extra.get("timestamp_from"):
        # A file's time is that of its last copy or checkout: it cannot be later than what is written in it.
        born = min(born, as_utc(first.at))
    return LifecycleEntry(at=born, status=Status.ACTIVE, by=memory.author, session=memory.session)
