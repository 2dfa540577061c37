"""The composition root of `tur-adm`: the one importer of `tur.stewardship`, and the one reader of the environment."""

import os
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from tur.clock import Clock, SystemClock
from tur.errors import NotFound
from tur.ids import check_agent_name
from tur.paths import HomePaths, config_from, find_terrain, home_from, state_from
from tur.policy.harness import detect_harness
from tur.progress import Progress, silent
from tur.store.known import KnownRecords
from tur.store.store import Store, open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tur.model.audit import AuditEntry
    from tur.model.memory import Memory
    from tur.model.session import SessionNotes
    from tur.policy.retention import Plan, RetentionPolicy, SessionRecord
    from tur.policy.trust import LeftOut, TrustVerdict
    from tur.stewardship.batch import Manifest
    from tur.stewardship.batch import Outcome as BatchOutcome
    from tur.stewardship.decide import Decision
    from tur.stewardship.doctor import Examination, Treatment
    from tur.stewardship.keys import StewardKey
    from tur.stewardship.ledger import Steward
    from tur.stewardship.prune import Intent as PendingPrune
    from tur.stewardship.prune import PruneReport, VacuumResult
    from tur.stewardship.restage import Restaged
    from tur.stewardship.review import Review
    from tur.stewardship.steward import KeyState
    from tur.store.retire import Outcome
    from tur.store.tombstones import Tombstone

ARCHITECT = "architect"


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a human works: the home, their folders for configuration and for what the app leaves, clock and name."""

    home: HomePaths
    config: Path
    state: Path
    clock: Clock
    name: str

    def store(self, *, damaged: bool = False) -> Store:
        """The store of the terrain around the working folder. Raises NotFound, ConfigError or StoreCorrupt.

        With `damaged`, also when the terrain's `state.yaml` cannot be read.
        """
        here = Path.cwd()
        terrain = find_terrain(here, self.home)
        if terrain is None:
            raise NotFound(f"no terrain at or above {here}", hint="`tur-adm init` makes one here.")
        return open_store(self.home, terrain, self.clock, self.config, damaged=damaged)


def open_desk() -> Desk:
    """The desk that the environment describes; the name is `TUR_ARCHITECT`, else `architect`."""
    environment = os.environ
    name = check_agent_name(environment.get("TUR_ARCHITECT") or ARCHITECT)
    return Desk(home_from(environment), config_from(environment), state_from(environment), SystemClock(), name)


def harness_here() -> tuple[str, str] | None:
    """The variable and the name of the agent harness that this process runs in, if it does."""
    return detect_harness(os.environ)


@dataclass(frozen=True, slots=True)
class Stewardship:
    """What only a human may do, for command line and app alike; each act is one of `tur.stewardship`.

    `argv` goes into the audit log. Acts that must be signed take the unlocked `key`.
    """

    store: Store
    name: str
    argv: tuple[str, ...] = ()

    def review(self, given: str) -> "Review":
        """A memory laid out for a decision."""
        from tur.stewardship.review import review

        return review(self.store, given)

    def core_memories(self) -> "list[Memory]":
        """Every core memory, oldest first."""
        from tur.stewardship.review import core_memories

        return core_memories(self.store)

    def standing(self, memories: "list[Memory]") -> "dict[str, LeftOut]":
        """For each of these core memories that the prompt does not get, why."""
        from tur.stewardship.review import standing

        return standing(self.store, memories)

    def approve(self, shown: "Review", key: "StewardKey | None" = None) -> "Decision":
        """Make a core memory active, exactly as it was shown."""
        from tur.stewardship.decide import approve

        return approve(self.store, shown, self._steward(key))

    def reject(self, shown: "Review", reason: str) -> "Decision":
        """Turn a pending core memory down."""
        from tur.stewardship.decide import reject

        return reject(self.store, shown, self._steward(), reason)

    def forget(self, given: str, reason: str | None = None) -> "Decision":
        """Put a memory into the archive."""
        from tur.stewardship.decide import forget

        return forget(self.store, given, self._steward(), reason)

    def restore(self, shown: "Review", key: "StewardKey | None" = None) -> "Decision":
        """Bring a forgotten memory back, exactly as it was shown."""
        from tur.stewardship.decide import restore

        return restore(self.store, shown, self._steward(key))

    def reword(self, shown: "Review", principle: str, covenant: str) -> "Restaged":
        """Stage a pending core memory in other words, and turn the one down that was shown."""
        from tur.stewardship.restage import reword

        return reword(self.store, shown, self._steward(), principle, covenant)

    def merge(self, shown: "Review", into: str, principle: str, covenant: str) -> "Restaged":
        """Stage one core memory in place of a pending one and of the approved one `into`."""
        from tur.stewardship.restage import merge

        return merge(self.store, shown, self._steward(), into, principle, covenant)

    def manifest(self, ids: "Iterable[str]", seen: "Mapping[str, Review]") -> "Manifest":
        """What approving several would do, and why it cannot be done as it stands."""
        from tur.stewardship.batch import manifest

        return manifest(self.store, ids, seen)

    def approve_each(self, shown: "Sequence[Review]", key: "StewardKey | None" = None) -> "BatchOutcome":
        """Approve one after the other, until one fails."""
        from tur.stewardship.batch import approve_each

        return approve_each(self.store, shown, self._steward(key))

    def reject_each(self, shown: "Sequence[Review]", reason: str) -> "BatchOutcome":
        """Turn down one after the other, until one fails."""
        from tur.stewardship.batch import reject_each

        return reject_each(self.store, shown, self._steward(), reason)

    def last_decision(self) -> "tuple[str, AuditEntry]":
        """The decision that an undo would take back: id of its memory, and its line. Raises NotFound or Refused."""
        from tur.policy.undoing import to_undo
        from tur.service.core_trust import audit_file
        from tur.stewardship.ledger import recover

        recover(self.store)
        return to_undo(audit_file(self.store).read())

    def undo(self, line: int | None = None) -> "Decision":
        """Take back the last decision on a memory; `line` is the line of the log that was shown."""
        from tur.stewardship.decide import undo

        return undo(self.store, self._steward(), line)

    def accept_edit(self, given: str) -> "tuple[Memory, Decision]":
        """Make a hand edit a memory of its own; gives that memory and what became of the old one."""
        from tur.stewardship.decide import accept_edit

        return accept_edit(self.store, given, self._steward())

    def key_state(self) -> "KeyState":
        """What there is of a steward key."""
        from tur.stewardship.steward import key_state

        return key_state(self.store)

    def has_private_key(self) -> bool:
        """Whether the private half of a steward key lies on this machine. Raises StoreCorrupt."""
        from tur.stewardship.keys import present_public_key

        return present_public_key(self.store.home, self.store.persona_id) is not None

    def unlock(self, passphrase: str) -> "StewardKey":
        """The steward key. Raises Refused for a wrong passphrase, NotFound when it is not on this machine."""
        from tur.stewardship.keys import unlock_key

        return unlock_key(self.store.home, self.store.persona_id, passphrase)

    def init_key(self, passphrase: str) -> "tuple[StewardKey, list[Memory]]":
        """Make the first steward key; gives it and what must be approved once more."""
        from tur.stewardship.steward import init_key

        return init_key(self.store, self._steward(), passphrase)

    def rotate_key(self, passphrase: str, *, old: "StewardKey | None", lost: bool) -> "StewardKey":
        """Make a new steward key, handed over by the old one unless that is lost."""
        from tur.stewardship.steward import rotate_key

        return rotate_key(self.store, self._steward(old), passphrase, lost=lost)

    def trust(
        self, key: "StewardKey | None", reason: str | None = None, *, cut: bool = False
    ) -> "tuple[TrustVerdict, str | None]":
        """Take audit log and key as they stand; gives the verdict and the name of the old log's copy."""
        from tur.stewardship.steward import trust

        return trust(self.store, self._steward(key), reason, cut=cut)

    def _steward(self, key: "StewardKey | None" = None) -> "Steward":
        from tur.stewardship.ledger import Steward

        return Steward(self.name, self.argv, key)


def open_stewardship(argv: tuple[str, ...] = ()) -> Stewardship:
    """Stewardship over the terrain around the working folder. Raises NotFound or ConfigError."""
    desk = open_desk()
    return Stewardship(desk.store(), desk.name, argv)


# -- sessions: what is kept, for how long, and in what order it is on disk -----------------------


@dataclass(frozen=True, slots=True)
class SessionKeeping:
    """Retention and the doctor, for command line and app alike; `argv` goes into the audit log.

    `known` keeps what was read of sessions whose files have not changed since. `progress` counts sessions.
    """

    store: Store
    name: str
    argv: tuple[str, ...] = ()
    known: KnownRecords = field(default_factory=KnownRecords)

    def sessions(self, *, archived: bool = False, progress: Progress = silent) -> "list[SessionRecord]":
        """The sessions outside of the archive, or with `archived` those in it, oldest first."""
        from tur.stewardship.prune import list_sessions

        return list_sessions(self.store, archived=archived, known=self.known, progress=progress)

    def pruned(self) -> "tuple[Tombstone, ...]":
        """The tombstones of sessions that were deleted, oldest first."""
        from tur.service.archive import pruned_sessions

        return pruned_sessions(self.store)

    def survey(self) -> "list[SessionRecord]":
        """Every session, in the archive and outside, oldest first: what `plan_prune` takes."""
        from tur.store.retire import survey

        return survey(self.store)

    def session(self, given: str) -> "SessionRecord":
        """What retention knows of one session."""
        from tur.stewardship.prune import session_record

        return session_record(self.store, given)

    def preview(self, policy: "RetentionPolicy", *, progress: Progress = silent) -> "Plan":
        """What a prune would do now; nothing is written."""
        from tur.stewardship.prune import preview_prune

        return preview_prune(self.store, policy, known=self.known, progress=progress)

    def preview_archive(self, given: str, *, include_unconsolidated: bool = False) -> "Plan":
        """The plan to archive one session."""
        from tur.stewardship.prune import preview_single

        return preview_single(self.store, given, "archive", include_unconsolidated=include_unconsolidated)

    def apply(self, plan: "Plan", *, progress: Progress = silent) -> "PruneReport":
        """Carry out a plan that was shown. Raises Conflict when the sessions changed since."""
        from tur.stewardship.prune import apply_prune

        return apply_prune(self.store, plan, self._steward(), known=self.known, progress=progress)

    def pending(self) -> "list[PendingPrune]":
        """Prunes that died half way."""
        from tur.stewardship.prune import pending_prunes

        return pending_prunes(self.store)

    def finish_pending(self) -> "list[Outcome]":
        """Finish them; one outcome for each session."""
        from tur.stewardship.prune import finish_pending

        return finish_pending(self.store, self._steward())

    def restore(self, given: str) -> "SessionNotes":
        """Move a session's timeline back from the archive."""
        from tur.stewardship.prune import restore_session

        return restore_session(self.store, given, self._steward())

    def end(self, given: str | None = None) -> "tuple[SessionNotes, bool]":
        """End a session without dreaming it; says whether it was open until now."""
        from tur.stewardship.prune import end_session

        return end_session(self.store, given, self._steward())

    def vacuum(self) -> "list[VacuumResult]":
        """Reclaim free pages of the databases that remain and of the index."""
        from tur.stewardship.prune import vacuum

        return vacuum(self.store)

    def examine(self) -> "Examination":
        """What is not as it should be on disk; nothing is written."""
        from tur.stewardship.doctor import examine

        return examine(self.store, self._steward())

    def treat(self, examination: "Examination") -> "list[Treatment]":
        """Carry out every remedy that the examination named."""
        from tur.stewardship.doctor import treat

        return treat(self.store, self._steward(), examination)

    def _steward(self) -> "Steward":
        from tur.stewardship.ledger import Steward

        return Steward(self.name, self.argv)


def open_keeping(argv: tuple[str, ...] = (), *, damaged: bool = False) -> SessionKeeping:
    """The sessions of the terrain around the working folder. Raises as `Desk.store` does."""
    desk = open_desk()
    return SessionKeeping(desk.store(damaged=damaged), desk.name, argv)


_USED_IN_WORKERS = (
    *("cryptography.hazmat.primitives.asymmetric.ed25519", "cryptography.hazmat.primitives.kdf.scrypt", "filelock"),
    *("tur.service.sleep", "tur.service.verify", "tur.store.personas"),
    *("tur.stewardship.decide", "tur.stewardship.doctor", "tur.stewardship.effect", "tur.stewardship.keys"),
    *("tur.stewardship.prune", "tur.stewardship.restage", "tur.stewardship.review", "tur.stewardship.steward"),
)


def preload() -> None:
    """Load what the app's workers use before any of them runs.

    Two threads that import modules of one cycle at the same moment can each find the other's half loaded.
    """
    for name in _USED_IN_WORKERS:
        import_module(name)


# -- the app -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TerminalFacts:
    """What the environment says about the terminal: unable to be drawn on, or to be left without colours."""

    dumb: bool
    no_color: bool


def terminal_facts() -> TerminalFacts:
    """The terminal as TERM and NO_COLOR describe it."""
    environment = os.environ
    return TerminalFacts(environment.get("TERM", "") in ("", "dumb"), bool(environment.get("NO_COLOR")))
