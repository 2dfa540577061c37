"""Several pending core memories decided on in one sitting: laid out as a list first, then one act after the other.

A batch saves typing, not reading: each memory must have been shown whole, each approval is bound
to the bytes of its own review and is one line of the log, and what is flagged is decided on alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tur.errors import Refused, TurError
from tur.ids import short_id
from tur.service.core_trust import core_trust
from tur.stewardship.decide import Decision, approve, reject
from tur.stewardship.effect import Effect, effect_of
from tur.stewardship.ledger import Steward
from tur.stewardship.review import Review, review
from tur.store.store import Store


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory of a batch, as it was shown. `problem` says why it cannot be approved with others."""

    shown: Review
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that a batch would approve, and what the core section becomes by it."""

    entries: tuple[Entry, ...]
    effect: Effect

    @property
    def stops_at(self) -> Entry | None:
        """The first one that cannot be approved with others: the batch stops there, before anything is done."""
        return next((entry for entry in self.entries if entry.problem is not None), None)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a batch did: the decisions in order, then where it stopped and why, and what was left as it is."""

    done: tuple[Decision, ...]
    failed: Review | None = None
    error: TurError | None = None
    left: tuple[Review, ...] = ()


def manifest(store: Store, ids: Iterable[str], seen: Mapping[str, Review]) -> Manifest:
    """Lay out what approving these would do. `seen` holds the reviews of which all was on screen."""
    entries = []
    for one in ids:
        now = review(store, one)
        problem = _problem(now, seen.get(now.memory.id))
        entries.append(Entry(seen.get(now.memory.id, now), problem))
    trusted = core_trust(store, []).trusted
    return Manifest(tuple(entries), effect_of(trusted, [entry.shown.memory for entry in entries]))


def approve_each(store: Store, shown: Sequence[Review], steward: Steward) -> Outcome:
    """Approve one after the other until one fails; what was approved before stays.

    Raises Refused, before anything is done, when one of them is flagged or blocked.
    """
    for one in shown:
        problem = _problem(one, one)
        if problem is not None:
            raise Refused(f"{short_id(one.memory.id)} {problem}", hint="Nothing was changed.", id=one.memory.id)
    return _each(shown, lambda one: approve(store, one, steward))


def reject_each(store: Store, shown: Sequence[Review], steward: Steward, reason: str) -> Outcome:
    """Turn down one after the other, all with the same reason, until one fails."""
    return _each(shown, lambda one: reject(store, one, steward, reason))


def _each(shown: Sequence[Review], do: Callable[[Review], Decision]) -> Outcome:
    done: list[Decision] = []
    for at, one in enumerate(shown):
        try:
            done.append(do(one))
        except TurError as error:
            return Outcome(tuple(done), one, error, tuple(shown[at + 1 :]))
    return Outcome(tuple(done))


def _problem(now: Review, seen: Review | None) -> str | None:
    """Why a memory cannot be approved with others, or None."""
    if now.blocked:
        return f"cannot be approved: {now.blocked[0]}"
    if now.remarks:
        return f"{now.remarks[0]}: decide on it alone"
    if seen is None:
        return "was not on screen to its end"
    if seen.data != now.data or [one.id for one in seen.retires] != [one.id for one in now.retires]:
        return "changed since it was on screen"
    return None
