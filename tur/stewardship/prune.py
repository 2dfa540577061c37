"""Prune and what goes with it: archive, delete, restore and end sessions, and reclaim free pages.

Only a human decides these. A prune first writes down what it is about to do (its intent), then
does it session by session in steps that may be repeated, and takes the intent away at the end;
whatever steward act comes next finishes one that died in between.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from tur.clock import format_time, parse_time
from tur.codec.yamlio import dump_mapping, load_mapping
from tur.errors import Conflict, NotFound, SleepInProgress, StoreCorrupt, TurError
from tur.faults import reached
from tur.ids import SESSION_ID
from tur.model.audit import Act
from tur.model.session import SessionNotes, SessionState
from tur.policy.retention import Plan, RetentionPolicy, SessionRecord, plan_prune, plan_single, state_hash
from tur.progress import Progress, silent
from tur.stewardship.ledger import About, Ledger, Steward, open_ledger
from tur.store.files import move_file, read_file, remove_file, write_file
from tur.store.known import KnownRecords
from tur.store.locks import locked, try_locked
from tur.store.retire import (
    LEASE,
    Outcome,
    archive_session,
    delete_session,
    end_database,
    is_dreaming,
    look_at,
    same_file_content,
    survey,
)
from tur.store.store import Store
from tur.store.tombstones import find_tombstone

NAMED = 500
"""How many sessions a line of the audit log names."""

RESTORE = "restore"
"""The act of an intent that brings a session back; the others are those of a plan."""

INTENT_LIMIT = 16 * 1024 * 1024
"""Largest intent that is read, in bytes."""


@dataclass(frozen=True, slots=True)
class Intent:
    """A prune that was begun: its file, what it does, and for each session whether it may be ended and its head."""

    path: Path
    act: str
    sentence: str
    made_at: datetime
    sessions: dict[str, tuple[bool, str]]
    """Session id -> may it be ended first, and the hash of its last note as the plan saw it."""


@dataclass(frozen=True, slots=True)
class PruneReport:
    """What a prune did: one outcome for each session that was to go, oldest first. `freed` is bytes on disk."""

    act: str
    outcomes: tuple[Outcome, ...]

    @property
    def done(self) -> tuple[Outcome, ...]:
        return tuple(one for one in self.outcomes if one.done)

    @property
    def left(self) -> tuple[Outcome, ...]:
        """Those that should have gone and stay, each with the reason."""
        return tuple(one for one in self.outcomes if not one.done)

    @property
    def freed(self) -> int:
        return sum(one.freed for one in self.outcomes)


@dataclass(frozen=True, slots=True)
class VacuumResult:
    """One database before and after, in bytes on disk with its write-ahead log. `skipped` says why nothing was done."""

    name: str
    before: int
    after: int
    skipped: str | None = None


# -- prune -----------------------------------------------------------------------------------


def preview_prune(
    store: Store, policy: RetentionPolicy, *, known: KnownRecords | None = None, progress: Progress = silent
) -> Plan:
    """What a prune would do now; nothing is written. Raises Conflict when the clock cannot be trusted with ages.

    `known` has what earlier surveys read; `progress` counts sessions looked at.
    """
    act = "delete" if policy.delete else "archive"
    return plan_prune(_scope(store, act, known, progress), policy, store.clock.now())


def preview_single(store: Store, given: str, act: str, *, include_unconsolidated: bool = False) -> Plan:
    """The plan to `archive` or `delete` the one session that `given` names.

    Raises NotFound, Ambiguous, Conflict when it is archived already, or Refused when it must stay.
    """
    record = session_record(store, given)
    if act == "archive" and not record.in_primary:
        raise Conflict(f"session {record.id} is archived already", hint="Nothing was changed.")
    sessions = _scope(store, act)
    return plan_single(sessions, record.id, act, store.clock.now(), include_unconsolidated=include_unconsolidated)


def _scope(
    store: Store, act: str, known: KnownRecords | None = None, progress: Progress = silent
) -> list[SessionRecord]:
    """The sessions that a plan looks at: what is in the archive only matters to one that deletes."""
    return survey(store, archived=act == "delete", known=known, progress=progress)


def apply_prune(
    store: Store,
    plan: Plan,
    steward: Steward,
    *,
    known: KnownRecords | None = None,
    progress: Progress = silent,
) -> PruneReport:
    """Carry out a plan that a human saw, with a line in the audit log. `progress` counts sessions done.

    Raises Conflict when the sessions are not as the plan saw them, StoreCorrupt when the audit log
    is not in order; nothing was changed then. A session that is in use or in the way of something
    stays, and the report says why. Safe to kill at any moment: the next steward act finishes it.
    """
    finish_pending(store, steward)
    if not plan.goes:
        return PruneReport(plan.act, ())
    with open_ledger(store, steward) as ledger:
        with locked(store.terrain.lock):
            if pending_prunes(store) or state_hash(_scope(store, plan.act, known)) != plan.seen:
                raise Conflict(
                    "the sessions changed since this plan was made",
                    hint="Nothing was changed. Look at the new plan and decide again.",
                )
            reached("prune.checked")
            named = {
                one.session.id: {"end": "yes" if one.session.state == "open" else "no", "head": one.session.head}
                for one in plan.goes
            }
            intent = _begin(store, plan.act, plan.sentence, named, plan.made_at or store.clock.now())
            reached("prune.intent")
            _log(ledger, intent)
        return PruneReport(plan.act, tuple(_carry_out(store, intent, progress)))


def finish_pending(store: Store, steward: Steward) -> list[Outcome]:
    """Finish every prune of this persona that died half way.

    Raises StoreCorrupt for an intent that cannot be read, or when the audit log is not in order.
    """
    outcomes: list[Outcome] = []
    for known in pending_prunes(store):
        with open_ledger(store, steward) as ledger:
            # Whoever held the ledger may have been at work on it, and be done now.
            if known.path in [intent.path for intent in pending_prunes(store)]:
                _log(ledger, known)
                outcomes += _carry_out(store, known)
    return outcomes


def _log(ledger: Ledger, intent: Intent) -> None:
    """One line for a prune, however often it takes to finish it."""
    name = intent.path.stem
    if any((entry.reason or "").startswith(f"{name}: ") for entry in ledger.log.entries):
        return
    named = list(intent.sessions)
    more = f" and {len(named) - NAMED:,} more" if len(named) > NAMED else ""
    sessions = f"{', '.join(named[:NAMED])}{more}"
    ledger.record(Act.PRUNE, About(reason=f"{name}: {intent.sentence} {intent.act}: {sessions}"))
    reached("prune.logged")


def log_act(store: Store, steward: Steward, what: str) -> None:
    """One line in the audit log for an act on sessions. Raises StoreCorrupt when the log is not in order."""
    with open_ledger(store, steward) as ledger:
        ledger.record(Act.PRUNE, About(reason=what))


def pending_prunes(store: Store) -> list[Intent]:
    """Prunes of this persona on this terrain that were begun and are not finished, in the order of their names."""
    folder = _intents_folder(store)
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = (_read_intent(store, folder / name) for name in names if name.startswith("prune-"))
    return [intent for intent in found if intent.sessions]


def _intents_folder(store: Store) -> Path:
    # In the home, not in the terrain: a cloned project must not bring acts that wait to be finished.
    return store.home.persona(store.persona_id) / "prunes"


def _carry_out(store: Store, intent: Intent, progress: Progress = silent) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for session_id, (end_open, head) in intent.sessions.items():
        # The lock is let go between sessions, so that agents need not wait for a long prune to begin one.
        with locked(store.terrain.lock):
            outcomes.append(_carry_out_one(store, intent, session_id, end_open=end_open, head=head))
        reached("prune.session-done")
        progress(len(outcomes), len(intent.sessions))
    remove_file(intent.path)
    reached("prune.done")
    return outcomes


def _carry_out_one(store: Store, intent: Intent, session_id: str, *, end_open: bool, head: str) -> Outcome:
    if intent.act == RESTORE:
        return _move_back(store, session_id)
    if session_id == store.sessions.active() or is_dreaming(store, session_id):
        return Outcome(session_id, False, "it is in use")
    if intent.act == "delete":
        return delete_session(store, session_id, intent.sentence, end_open=end_open, head=head)
    return archive_session(store, session_id, end_open=end_open)


def _begin(store: Store, act: str, sentence: str, sessions: Mapping[str, object], made_at: datetime) -> Intent:
    """Write down what is going to be done, with all that it takes to finish it."""
    facts = {
        "type": "Tur prune",
        "terrain": str(store.terrain.root.resolve()),
        "act": act,
        "sentence": sentence,
        "made_at": made_at,
        "sessions": sessions,
    }
    path = _intents_folder(store) / f"prune-{store.clock.token()}.yaml"
    write_file(path, dump_mapping(facts).encode())
    return _read_intent(store, path)


def _read_intent(store: Store, path: Path) -> Intent:
    text = read_file(path, limit=INTENT_LIMIT).decode("utf-8", errors="replace")
    facts = load_mapping(text, limit=INTENT_LIMIT, what=str(path))
    sessions = facts.get("sessions")
    act = facts.get("act")
    if not isinstance(sessions, dict) or act not in ("archive", "delete", RESTORE):
        raise StoreCorrupt(f"{path} is no intent of a prune", hint="`tur-adm doctor` says what can be done.")
    found: dict[str, tuple[bool, str]] = {}
    for session_id, one in sessions.items():
        if not SESSION_ID.fullmatch(session_id) or not isinstance(one, dict):
            raise StoreCorrupt(f"{path}: {session_id!r} is no session", hint="`tur-adm doctor` says what can be done.")
        found[session_id] = (one.get("end") == "yes", str(one.get("head") or ""))
    if facts.get("terrain") != str(store.terrain.root.resolve()):
        found = {}
    try:
        made_at = parse_time(str(facts.get("made_at")))
    except ValueError as error:
        raise StoreCorrupt(f"{path}: made_at is no time") from error
    return Intent(path, str(act), str(facts.get("sentence") or ""), made_at, found)


# -- one session -----------------------------------------------------------------------------


def restore_session(store: Store, given: str, steward: Steward) -> SessionNotes:
    """Move a session's timeline back from the archive, byte for byte.

    Raises NotFound when there is none (saying so when it was deleted), Conflict when it is not archived,
    StoreCorrupt when the audit log is not in order. Safe to kill at any moment, as a prune is.
    """
    finish_pending(store, steward)
    session_id = _resolve(store, given)
    with open_ledger(store, steward) as ledger:
        with locked(store.terrain.lock):
            _check_archived(store, session_id)
            named = {session_id: {"end": "no", "head": ""}}
            intent = _begin(store, RESTORE, "restore session from the archive.", named, store.clock.now())
            reached("restore.intent")
            _log(ledger, intent)
        (outcome,) = _carry_out(store, intent)
    if not outcome.done:
        raise Conflict(f"session {session_id} was not restored: {outcome.reason}")
    return store.sessions.load(session_id)


def _check_archived(store: Store, session_id: str) -> None:
    source = store.terrain.timeline(store.persona_id, session_id, archived=True)
    target = store.terrain.timeline(store.persona_id, session_id)
    # A move that died after the new name and before the old one went leaves both.
    if not os.path.lexists(source) or (os.path.lexists(target) and not same_file_content(source, target)):
        raise Conflict(f"session {session_id} is not in the archive", hint="Nothing was changed.")


def _move_back(store: Store, session_id: str) -> Outcome:
    """The timeline out of the archive; doing it twice is doing it once."""
    source = store.terrain.timeline(store.persona_id, session_id, archived=True)
    target = store.terrain.timeline(store.persona_id, session_id)
    if not os.path.lexists(source):
        there = os.path.lexists(target)
        return Outcome(session_id, there, None if there else "its timeline is gone")
    if not os.path.lexists(target):
        move_file(source, target)
    elif same_file_content(source, target):
        remove_file(source)
    else:
        return Outcome(session_id, False, "something else lies in its place")
    reached("restore.moved")
    return Outcome(session_id, True)


def _resolve(store: Store, given: str) -> str:
    """The session's id. Raises NotFound, which for a deleted session says when it was."""
    try:
        return store.sessions.resolve(given)
    except NotFound:
        session_id = given.strip().removeprefix("tur://session/")
        if SESSION_ID.fullmatch(session_id):
            stone = find_tombstone(store.terrain, store.persona_id, session_id)
            if stone is not None:
                raise NotFound(
                    f"session {session_id} was deleted on {format_time(stone.pruned_at)}: only the hashes "
                    "of its notes are left",
                    hint="A backup or git may still have its timeline.",
                ) from None
        raise


def end_session(store: Store, given: str | None, steward: Steward) -> tuple[SessionNotes, bool]:
    """End a session (the active one unless named) without dreaming it; says whether it was open until now.

    It takes no more notes and stays unconsolidated; the next note begins a new session. Raises
    NotFound, SleepInProgress.
    """
    if given is None:
        active = store.sessions.active()
        if active is None:
            raise NotFound("no session is active", hint="`tur-adm session list` names the sessions there are.")
        given = active
    session_id = store.sessions.resolve(given)
    session = store.sessions.load(session_id)
    was_open = session.state is SessionState.OPEN
    if session.state is SessionState.SEALED or is_dreaming(store, session_id):
        raise SleepInProgress(f"session {session_id} is being dreamt, which ends it", hint="Nothing was changed.")
    if was_open:
        with locked(store.terrain.lock):
            if not store.sessions.has_database(session_id):
                store.sessions.rebuild_database(session_id)
        with try_locked(store.terrain.session(session_id) / LEASE) as free:
            if not free:
                raise SleepInProgress(f"session {session_id} is being dreamt, which ends it")
            with store.sessions.database(session_id) as database, database.writing():
                if database.state() == "open":
                    end_database(database, format_time(store.clock.now()))
            reached("end.sealed")
            session = store.sessions.project(session_id)
            reached("end.projected")
    store.sessions.leave(session_id)
    if was_open:
        log_act(store, steward, f"end session {session_id} without a dream")
    return session, was_open


def list_sessions(
    store: Store, *, archived: bool = False, known: KnownRecords | None = None, progress: Progress = silent
) -> list[SessionRecord]:
    """The sessions outside of the archive, or with `archived` those in it, oldest first."""
    if not archived:
        return survey(store, archived=False, known=known, progress=progress)
    return [one for one in survey(store, known=known, progress=progress) if one.archived]


def session_record(store: Store, given: str) -> SessionRecord:
    """What retention knows of one session. Raises NotFound or Ambiguous."""
    session_id = _resolve(store, given)
    record = look_at(store, session_id, active=store.sessions.active())
    if record is None:
        raise NotFound(f"session {session_id} has no timeline of this persona")
    return record


# -- free pages ------------------------------------------------------------------------------


def vacuum(store: Store) -> list[VacuumResult]:
    """Reclaim the free pages of the session databases that remain and of the index.

    A database that is busy, cannot be read, or for which the disk has less than twice its size
    free is skipped with the reason, and unchanged.
    """
    paths = [store.terrain.session_db(session_id) for session_id in store.sessions.with_database()]
    return [_vacuum(store, path) for path in _existing([*paths, store.terrain.index])]


def _existing(paths: Iterable[Path]) -> list[Path]:
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def _vacuum(store: Store, path: Path) -> VacuumResult:
    name = str(path.relative_to(store.terrain.root))
    before = _database_bytes(path)
    try:
        free = shutil.disk_usage(path.parent).free
        if free < 2 * before:
            return VacuumResult(
                name, before, before, f"only {free:,} bytes are free on the disk, and it needs twice its size"
            )
        skipped = _vacuum_pages(path)
    except (OSError, sqlite3.Error, TurError) as error:
        skipped = str(error)
    return VacuumResult(name, before, _database_bytes(path), skipped)


def _vacuum_pages(path: Path) -> str | None:
    """VACUUM a database; why not, or None."""
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True, isolation_level=None, timeout=0.5)
    try:
        try:
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("VACUUM")
            reached("vacuum.done")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                return "it is in use"
            raise
        return "a reader holds its log; the rest is reclaimed when that one is done" if busy else None
    finally:
        connection.close()


def _database_bytes(path: Path) -> int:
    total = 0
    for suffix in ("", "-wal", "-shm", "-journal"):
        try:
            total += Path(f"{path}{suffix}").lstat().st_size
        except FileNotFoundError:
            continue
    return total
