"""The doctor: what is not as it should be on disk, what would help, and doing that.

Examining writes nothing. A remedy finishes what was begun, writes a timeline from its database, or
moves what is in the way into `quarantine/` beside a JSON file that says why. Only what is proven
redundant is removed: a second name of the same bytes, a lock file without a session, a lease whose
holder is dead.
"""

import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from tur.clock import format_time
from tur.codec.seal import verify_chain
from tur.codec.timeline import parse_timeline
from tur.errors import ConfigError, Conflict, NotFound, StoreCorrupt, StoreUnavailable, TurError
from tur.faults import reached
from tur.ids import PERSONA_ID, SESSION_ID
from tur.model.session import SessionNotes, SessionState
from tur.policy.display import counted
from tur.stewardship.ledger import Steward
from tur.stewardship.prune import finish_pending, log_act, pending_prunes
from tur.store.files import (
    TEMPORARY,
    make_folder,
    read_file,
    remove_file,
    storage_errors,
    sync_folder,
    told_without,
    write_file,
)
from tur.store.index import open_index
from tur.store.locks import locked, try_locked
from tur.store.personas import list_personas, load_personas
from tur.store.retire import (
    LEASE,
    SIDE_FILES,
    SLEEPER,
    archive_session,
    clear_folder,
    is_dreaming,
    is_side_file,
    prove_complete,
    same_file_content,
)
from tur.store.sessions import snapshot
from tur.store.state import persona_of_folders
from tur.store.store import Store
from tur.store.tombstones import SUFFIX, read_tombstone

ROUNDS = 4
"""How often a treatment looks again: what a remedy laid bare, as an empty folder, is seen to as well."""

TEMPORARY_SECONDS = 3_600
"""How old a temporary file is before it counts as left over, in seconds."""

NAMED = 100
"""How many remedies the line of the audit log names."""

SAFE_SQLITE = (3, 51, 3)
"""From this version on, SQLite is free of a rare corruption by two connections that checkpoint at once."""


@dataclass(frozen=True, slots=True)
class Ailment:
    """One thing that is wrong. `code` is stable, `subject` is a path or an id.

    `remedy` says what a fix would do; None where only a human can decide, and `message` says what.
    """

    code: str
    subject: str
    message: str
    remedy: str | None = None
    fix: Callable[[], object] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Examination:
    """What an examination found, and facts worth knowing: `quarantined` counts what lies aside."""

    ailments: tuple[Ailment, ...]
    sqlite_version: str
    sqlite_safe: bool
    quarantined: int


@dataclass(frozen=True, slots=True)
class Treatment:
    """What became of one ailment: `failed` is why its remedy did not work, or None."""

    ailment: Ailment
    failed: str | None = None


def examine(store: Store, steward: Steward) -> Examination:
    """Look at everything in the terrain and at the persona in the home. Nothing is written."""
    found: list[Ailment] = []
    for check in (_state, _personas, _temporary, _prunes, _pointer, _folders, _timelines, _memories, _index):
        found += check(store, steward)
    return Examination(
        tuple(found),
        sqlite3.sqlite_version,
        sqlite3.sqlite_version_info >= SAFE_SQLITE,
        sum(len(_names(folder)) for folder in _quarantines(store)),
    )


def treat(store: Store, steward: Steward, examination: Examination) -> list[Treatment]:
    """Carry out every remedy there is, each by itself: one that fails does not stop the others.

    Then look again, and see to what came to light. What was done gets one line in the audit log; a
    log that is not in order is one more failure.
    """
    done: list[Treatment] = []
    for _ in range(ROUNDS):
        tried = [one.ailment for one in done]
        todo = [one for one in examination.ailments if one.fix is not None and one not in tried]
        if not todo:
            break
        done += map(_treated, todo)
        examination = examine(store, steward)
    if worked := [one.ailment for one in done if one.failed is None]:
        named = "; ".join(f"{one.code} {one.subject}" for one in worked[:NAMED])
        try:
            log_act(store, steward, f"doctor: {counted(len(worked), 'remedy', 'remedies')}: {named}")
        except TurError as error:
            done.append(
                Treatment(Ailment("audit", str(store.home.audit(store.persona_id)), error.message), error.message)
            )
    return done


def _treated(one: Ailment) -> Treatment:
    failed = None
    try:
        if one.fix is not None:
            one.fix()
    except (TurError, OSError) as error:
        failed = str(error)
    reached("doctor.treated")
    return Treatment(one, failed)


# -- quarantine ------------------------------------------------------------------------------


def quarantine(store: Store, code: str, paths: list[Path], why: str) -> Path:
    """Move files or folders aside, with a `reason.json` that says where they were and why; gives the folder."""
    base = store.home.persona(store.persona_id)
    if all(path.is_relative_to(store.terrain.root) for path in paths):
        base = store.terrain.root
    folder = base / "quarantine" / f"{store.clock.now():%Y%m%dT%H%M%SZ}-{code}-{store.clock.token()}"
    make_folder(folder)
    reason = {
        "code": code,
        "why": why,
        "at": format_time(store.clock.now()),
        "moved": [{"from": str(path), "to": path.name} for path in paths],
    }
    write_file(folder / "reason.json", json.dumps(reason, ensure_ascii=False, indent=1).encode() + b"\n")
    reached("doctor.reason")
    for path in paths:
        with storage_errors(path):
            os.rename(path, folder / path.name)
            sync_folder(folder)
            sync_folder(path.parent)
        reached("doctor.moved")
    return folder


def _quarantines(store: Store) -> list[Path]:
    return [base / "quarantine" for base in (store.terrain.root, store.home.persona(store.persona_id))]


def _aside(store: Store, code: str, path: Path, message: str) -> Ailment:
    return Ailment(
        code,
        str(path),
        message,
        "move it into quarantine",
        lambda: _quarantine_if_there(store, code, path, message),
    )


def _quarantine_if_there(store: Store, code: str, path: Path, message: str) -> None:
    if os.path.lexists(path):
        quarantine(store, code, [path], message)


# -- checks ----------------------------------------------------------------------------------


def _state(store: Store, _: Steward) -> Iterator[Ailment]:
    path = store.terrain.state
    try:
        store.sessions.state()
    except StoreUnavailable as error:
        yield Ailment("unavailable", str(path), told_without(path, error))
    except (StoreCorrupt, ConfigError) as error:
        message = f"cannot be read: {told_without(path, error)}"
        if persona_of_folders(store.terrain) is None:
            message += "; then `tur-adm persona use` says whose terrain this is"
        yield _aside(store, "unreadable-state", path, message)


def _personas(store: Store, _: Steward) -> Iterator[Ailment]:
    # Its words are a human's own, and it has no copy: nothing moves it.
    for bad in load_personas(store.home)[1]:
        hint = f". {bad.error.hint}" if bad.error.hint else ""
        yield Ailment("unreadable-persona", str(bad.path), f"cannot be read: {bad.problem}{hint}")
    if store.persona_id not in list_personas(store.home):
        path = store.home.persona_file(store.persona_id)
        yield Ailment("missing-persona", str(path), "is not there; `tur-adm init` takes the persona up in this home")


def _temporary(store: Store, _: Steward) -> Iterator[Ailment]:
    now = store.clock.now().timestamp()
    for root in (store.terrain.root, store.home.root):
        for folder, folders, files in os.walk(root):
            left = [name for name in (*folders, *files) if TEMPORARY.fullmatch(name)]
            folders[:] = [name for name in folders if name not in left and name != "quarantine"]
            for name in sorted(left):
                path = Path(folder) / name
                with contextlib.suppress(FileNotFoundError):
                    if now - path.lstat().st_mtime > TEMPORARY_SECONDS:
                        yield _aside(store, "temp-file", path, "was left by a process that died while writing")


def _prunes(store: Store, steward: Steward) -> Iterator[Ailment]:
    try:
        pending = pending_prunes(store)
    except (StoreCorrupt, OSError) as error:
        yield Ailment("unreadable-intent", str(store.home.persona(store.persona_id) / "prunes"), str(error))
        return
    for intent in pending:
        of = counted(len(intent.sessions), "session")
        yield Ailment(
            "half-moved",
            str(intent.path),
            f"{intent.act} of {of}, begun {format_time(intent.made_at)}, was not finished",
            "finish it",
            lambda: finish_pending(store, steward),
        )


def _active(store: Store) -> str | None:
    """The active session; None too where the pointer cannot be read, of which `_state` tells."""
    try:
        return store.sessions.active()
    except TurError:
        return None


def _pointer(store: Store, _: Steward) -> Iterator[Ailment]:
    active = _active(store)
    if active is None or is_dreaming(store, active):
        return
    state: str | None = None
    finishing = False
    if store.sessions.has_database(active):
        try:
            with store.sessions.database(active, read_only=True) as database:
                meta = database.meta()
                state, finishing = meta.get("state"), "finishing" in meta
        except TurError:
            return
    elif store.sessions.timeline_path(active) is not None:
        with contextlib.suppress(TurError, OSError):
            state = store.sessions.timeline(active).state.value
        if state is None:
            return
    if state is None:
        message = "the terrain's pointer names a session of which there is no trace"
    elif state == "ended" and not finishing:
        message = "the terrain's pointer names a session that has ended"
    else:
        return
    yield Ailment("stale-pointer", active, message, "take the pointer off it", lambda: store.sessions.leave(active))


def _folders(store: Store, _: Steward) -> Iterator[Ailment]:
    for name in _names(store.terrain.sessions):
        folder = store.terrain.sessions / name
        if TEMPORARY.fullmatch(name):
            continue
        if not SESSION_ID.fullmatch(name):
            yield Ailment("foreign", str(folder), "is no session; it is left alone")
            continue
        if folder.is_symlink() or not folder.is_dir():
            yield _aside(store, "irregular", folder, "is a symlink or file where a session's folder should be")
        elif os.path.lexists(folder / "session.db"):
            yield from _database(store, name)
        else:
            yield from _empty_folder(store, name)
        yield from _lease(store, name)


def _lease(store: Store, session_id: str) -> Iterator[Ailment]:
    sleeper = store.terrain.session(session_id) / SLEEPER
    if not sleeper.is_file() or is_dreaming(store, session_id):
        return

    def fix() -> None:
        with try_locked(sleeper.parent / LEASE) as free:
            if free:
                remove_file(sleeper)

    yield Ailment("stale-lease", str(sleeper), "names a dreamer that has died", "remove it", fix)


def _empty_folder(store: Store, session_id: str) -> Iterator[Ailment]:
    folder = store.terrain.session(session_id)
    names = _names(folder)
    if any(name in SIDE_FILES and (folder / name).lstat().st_size for name in names):
        yield _aside(store, "log-without-database", folder, "has a write-ahead log and no database")
    elif not all(map(is_side_file, names)):
        yield _aside(store, "orphan-folder", folder, "has no database, and holds something else")
    elif not is_dreaming(store, session_id):

        def fix() -> None:
            with locked(store.terrain.lock):
                # A remedy before this one may have seen to it, or a process has made it a session.
                if folder.is_dir() and not os.path.lexists(store.terrain.session_db(session_id)):
                    clear_folder(folder)

        yield Ailment("orphan-folder", str(folder), "has no database, only lock files", "remove it", fix)


def _database(store: Store, session_id: str) -> Iterator[Ailment]:
    path = store.terrain.session_db(session_id)
    try:
        with store.sessions.database(session_id, read_only=True) as database:
            problems = database.quick_check()
            if problems:
                raise StoreCorrupt(f"{path}: {problems[0]}")
            meta, truth = database.meta(), snapshot(database)
    except StoreUnavailable as error:
        yield Ailment("unavailable", str(path), told_without(path, error))
        return
    except NotFound:
        return
    except (TurError, sqlite3.Error, OSError, ValueError, KeyError) as error:
        yield _corrupt_database(store, session_id, told_without(path, error))
        return
    owner = _owner(store, meta.get("persona_id"))
    broken = verify_chain(truth.notes)
    if broken is not None:
        yield Ailment("broken-chain", str(path), f"note {broken} does not follow from the notes before it")
        return
    if is_dreaming(owner, session_id):
        return
    if "finishing" in meta or truth.state is SessionState.SEALED:
        yield Ailment(
            "unfinished-sleep",
            session_id,
            "its sleep was interrupted after the seal",
            "finish it with the dream that is stored",
            lambda: _recover(owner, session_id),
        )
        return
    yield from _against_timeline(owner, session_id, truth)


def _corrupt_database(store: Store, session_id: str, problem: str) -> Ailment:
    path = store.terrain.session_db(session_id)

    def fix() -> None:
        with locked(store.terrain.lock):
            paths = [path, *(path.with_name(name) for name in SIDE_FILES)]
            quarantine(store, "corrupt-database", [one for one in paths if os.path.lexists(one)], problem)

    return Ailment(
        "corrupt-database",
        str(path),
        f"cannot be read: {problem.removeprefix('cannot be read: ')}",
        "move it, with its log, into quarantine; the timeline stays",
        fix,
    )


def _recover(store: Store, session_id: str) -> None:
    from tur.service.sleep import recover_sleeps

    if session_id not in recover_sleeps(store, session_id):
        raise Conflict("it could not be finished", hint=f"`tur sleep --session {session_id}` does it again.")


def _against_timeline(store: Store, session_id: str, truth: SessionNotes) -> Iterator[Ailment]:
    live = store.terrain.timeline(store.persona_id, session_id)
    archived = store.terrain.timeline(store.persona_id, session_id, archived=True)
    path = store.terrain.session_db(session_id)
    if not os.path.lexists(live) and os.path.lexists(archived):

        def finish() -> None:
            with locked(store.terrain.lock):
                outcome = archive_session(store, session_id)
            if not outcome.done:
                raise Conflict(f"it stays for now: {outcome.reason}")

        message = "its session is archived, and the database was left behind"
        yield Ailment("half-moved", str(path), message, "remove it once the timeline is proven complete", finish)
    elif not os.path.lexists(live):
        # A session that takes notes now gets its timeline at the next wake, status or sleep.
        if truth.state is SessionState.ENDED or session_id != _active(store):
            message = "has no timeline, and is the only place of its notes"
            remedy = "write the timeline from it"
            yield Ailment("orphan-database", str(path), message, remedy, lambda: store.sessions.project(session_id))
    elif truth.state is SessionState.ENDED:
        try:
            prove_complete(truth, store.sessions.timeline(session_id))
        except (TurError, OSError) as error:
            message = f"is not what the database has: {told_without(live, error)}"
            remedy = "write it anew from the database, keeping an unreadable one in quarantine"
            yield Ailment("stale-timeline", str(live), message, remedy, lambda: store.sessions.project(session_id))


def _owner(store: Store, persona_id: str | None) -> Store:
    if persona_id in (None, store.persona_id) or not PERSONA_ID.fullmatch(str(persona_id)):
        return store
    return Store(store.home, store.terrain, str(persona_id), store.clock, store.config)


def _timelines(store: Store, _: Steward) -> Iterator[Ailment]:
    archive = store.terrain.archive(store.persona_id)
    for folder in (store.terrain.timelines(store.persona_id), archive):
        if folder.is_symlink():
            yield Ailment("irregular", str(folder), "is a symlink, which is not followed")
            continue
        for name in _names(folder):
            path = folder / name
            if path == archive or not name.endswith(".yaml") or TEMPORARY.fullmatch(name):
                continue
            if path.is_symlink() or not path.is_file():
                yield _aside(store, "irregular", path, "is a symlink, folder or device where a file should be")
            elif name.endswith(SUFFIX):
                yield from _tombstone(store, path)
            elif SESSION_ID.fullmatch(path.stem):
                yield from _timeline(store, path, archived=folder == archive)


def _timeline(store: Store, path: Path, *, archived: bool) -> Iterator[Ailment]:
    session_id = path.stem
    try:
        session = parse_timeline(read_file(path))
    except FileNotFoundError:
        return
    except (TurError, OSError) as error:
        # Beside its database it is written anew from that: `_against_timeline` sees to it.
        if archived or not store.sessions.has_database(session_id):
            yield _aside(store, "unreadable-timeline", path, f"cannot be read: {told_without(path, error)}")
        return
    broken = verify_chain(session.notes)
    if session.session_id != session_id:
        yield Ailment("misnamed", str(path), f"is the timeline of session {session.session_id}")
    elif broken is not None:
        yield Ailment("broken-chain", str(path), f"note {broken} does not follow from the notes before it")
    elif archived:
        live = store.terrain.timeline(store.persona_id, session_id)
        if live.is_file() and not live.is_symlink():
            yield _two_timelines(store, live, path, session)
    elif session.state is SessionState.OPEN and session_id == _active_without_database(store):
        yield _without_database(store, path, session_id)


def _active_without_database(store: Store) -> str | None:
    # Only the active one should have a database here: the others of a shared terrain live on other machines.
    active = _active(store)
    return None if active is None or store.sessions.has_database(active) else active


def _without_database(store: Store, path: Path, session_id: str) -> Ailment:
    def fix() -> None:
        with locked(store.terrain.lock):
            if not store.sessions.has_database(session_id):
                store.sessions.rebuild_database(session_id)

    message = "is of the active session, which has no database"
    return Ailment("timeline-without-database", str(path), message, "make the database from it", fix)


def _two_timelines(store: Store, live: Path, archived: Path, of_archive: SessionNotes) -> Ailment:
    if same_file_content(live, archived):

        def fix() -> None:
            with locked(store.terrain.lock):
                if same_file_content(live, archived):
                    remove_file(live)

        return Ailment("half-moved", str(live), "is in the archive too, with the same bytes", "remove this one", fix)
    message = "is in the archive too, and says something else there"
    try:
        of_live = parse_timeline(read_file(live))
    except (TurError, OSError):
        return Ailment("two-timelines", str(live), message)
    long, short = [note.hash for note in of_live.notes], [note.hash for note in of_archive.notes]
    extra = archived if len(short) <= len(long) else live
    if long[: len(short)] != short and short[: len(long)] != long:
        return Ailment("two-timelines", str(live), f"{message}; a human has to compare them")
    return Ailment(
        "two-timelines",
        str(live),
        message,
        f"move the one with fewer notes, {extra}, into quarantine",
        lambda: _quarantine_if_there(store, "two-timelines", extra, message),
    )


def _tombstone(store: Store, path: Path) -> Iterator[Ailment]:
    session_id = path.name.removesuffix(SUFFIX)
    try:
        read_tombstone(path)
    except FileNotFoundError:
        return
    except (TurError, OSError) as error:
        yield Ailment("unreadable-tombstone", str(path), told_without(path, error))
        return
    if SESSION_ID.fullmatch(session_id) and store.sessions.timeline_path(session_id) is not None:
        with contextlib.suppress(StoreCorrupt):
            if any(session_id in intent.sessions for intent in pending_prunes(store)):
                return
        yield _aside(store, "half-deleted", path, "says that its session was deleted, and its timeline is there")


def _memories(store: Store, _: Steward) -> Iterator[Ailment]:
    for bad in [*store.memories.load_all()[1], *store.memories.irregular()]:
        yield _aside(store, "unreadable-memory", bad.path, bad.problem)


def _index(store: Store, _: Steward) -> Iterator[Ailment]:
    path = store.terrain.index
    if not os.path.lexists(path):
        return
    problem = _index_problem(store, path)
    if problem is None:
        return

    def fix() -> None:
        if not problem.startswith("drifted"):
            paths = [Path(f"{path}{suffix}") for suffix in ("", "-wal", "-shm")]
            quarantine(store, "index", [one for one in paths if os.path.lexists(one)], problem)
        with open_index(path, store.memories):
            pass

    yield Ailment("index-drift", str(path), problem, "bring it up to date; it is derived from the files", fix)


def _index_problem(store: Store, path: Path) -> str | None:
    if path.is_symlink() or not path.is_file():
        return "is no regular file"
    try:
        address = f"file:{quote(str(path))}?mode=ro"
        with contextlib.closing(sqlite3.connect(address, uri=True, timeout=1)) as connection:
            check = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if check != "ok":
                return f"is damaged: {check}"
            rows = connection.execute("SELECT path, size, mtime_ns, inode FROM files")
            known = {str(row[0]): tuple(row[1:]) for row in rows}
    except sqlite3.Error as error:
        return f"cannot be read: {error}"
    files = {file.name: (file.size, file.mtime_ns, file.inode) for file in store.memories.files()}
    # What was written after the index was is no fault of it: the next reader takes it in.
    written = max(_written(Path(f"{path}{suffix}")) for suffix in ("", "-wal"))
    changed = sum(known.get(name) != facts and facts[1] < written for name, facts in files.items())
    gone = sum(_mtime(Path(name).parent) < written for name in known.keys() - files.keys())
    count = changed + gone
    return f"drifted: it missed {count} change{'' if count == 1 else 's'} of memory files" if count else None


def _written(path: Path) -> int:
    """When something was last written to a file of the index. An empty log is left by mere readers, as this one."""
    try:
        found = path.stat()
    except OSError:
        return 0
    return found.st_mtime_ns if found.st_size else 0


def _mtime(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
