"""Rotation at the end of a sleep: consolidated sessions beyond the horizon go to the archive.

This is the part of retention that is safe in an agent's hands: it moves and unlinks only what is
proven complete, and loses nothing. What may lose something is in `tur.stewardship`.
"""

from dataclasses import dataclass

from tur.errors import Conflict
from tur.faults import reached
from tur.policy.retention import Plan, plan_rotation, state_hash
from tur.store.locks import locked
from tur.store.retire import Outcome, archive_session, archived_ids, primary_ids, survey
from tur.store.store import Store


@dataclass(frozen=True, slots=True)
class RotationReport:
    """What a rotation did. `archived` and `skipped` are in the order of the sessions, oldest first."""

    archived: tuple[Outcome, ...] = ()
    skipped: tuple[Outcome, ...] = ()
    """Sessions that should have gone and stay for now, each with the reason."""

    @property
    def freed(self) -> int:
        """Bytes on disk."""
        return sum(one.freed for one in self.archived)


def rotate_sessions(store: Store, horizon: int) -> RotationReport:
    """Archive the consolidated sessions of the primary folder beyond the newest `horizon`.

    Safe to repeat after a crash anywhere; the caller holds no lock. A session that is held open or
    in the way of something is skipped and named. Raises InvalidInput for a horizon under 1, and
    StoreUnavailable when the terrain's lock is not to be had.
    """
    if horizon >= 1 and not _may_exceed(store, horizon):
        return RotationReport()
    with locked(store.terrain.lock):
        plan = plan_rotation(survey(store, archived=False), horizon)
        reached("rotation.planned")
        return _carry_out(store, plan)


def apply_rotation(store: Store, plan: Plan) -> RotationReport:
    """Carry out a plan of `plan_rotation`. Raises Conflict when the sessions are not as the plan saw them."""
    with locked(store.terrain.lock):
        if state_hash(survey(store, archived=False)) != plan.seen:
            raise Conflict("the sessions changed since the rotation was planned", hint="Nothing was changed.")
        reached("rotation.checked")
        return _carry_out(store, plan)


def _carry_out(store: Store, plan: Plan) -> RotationReport:
    outcomes = []
    for verdict in plan.goes:
        outcomes.append(archive_session(store, verdict.session.id))
        reached("rotation.session-done")
    return RotationReport(tuple(one for one in outcomes if one.done), tuple(one for one in outcomes if not one.done))


def _may_exceed(store: Store, horizon: int) -> bool:
    """Whether there can be anything to do, by names alone: most sleeps need not read every session."""
    primary = primary_ids(store)
    return len(primary) > horizon or not archived_ids(store).isdisjoint(primary)
