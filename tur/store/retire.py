"""How a session leaves the primary folder without losing a note: the steps that rotation and prune share.

The database goes first, and only when its timeline is proven to hold every note, the database
takes no more of them, and nobody else has it open. Then the timeline moves. Each state in between
is a valid one (a timeline without a database is complete in itself), so a process that dies
anywhere leaves something that the next run finishes.
"""

import contextlib
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from tur.clock import format_time, parse_time
from tur.codec.seal import verify_chain
from tur.errors import NotFound, StoreCorrupt, StoreUnavailable, TurError
from tur.faults import reached
from tur.ids import SESSION_ID
from tur.model.note import Note
from tur.model.session import SessionNotes, SessionState
from tur.policy.retention import SessionRecord
from tur.progress import Progress, silent
from tur.store.files import TEMPORARY, move_file, read_file, remove_file, storage_errors, sync_folder
from tur.store.known import KnownRecords, StoredTimeline
from tur.store.locks import try_locked
from tur.store.session_db import SessionDatabase, database_errors
from tur.store.sessions import snapshot
from tur.store.store import Store
from tur.store.tombstones import find_tombstone, render_tombstone, tombstone_of, tombstone_path, write_tombstone

LEASE = "sleep.lock"
"""The lock file, in a session's folder, that whoever dreams the session holds."""

SLEEPER = "sleeper"
"""The file beside it that names the holder; it is there while someone dreams, or died doing so."""

SIDE_FILES = ("session.db-wal", "session.db-shm", "session.db-journal")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one session: `done`, or why it was left. `freed` is bytes on disk."""

    session_id: str
    done: bool
    reason: str | None = None
    freed: int = 0


class _Held(Exception):
    """The session has to stay for now; the text says why."""


# -- seeing ----------------------------------------------------------------------------------


def survey(
    store: Store, *, archived: bool = True, known: KnownRecords | None = None, progress: Progress = silent
) -> list[SessionRecord]:
    """All sessions of the store's persona, oldest first; without `archived` only those in the primary folder.

    A session that cannot be read is there too, marked as damaged. With `known`, a timeline whose
    file looks as it did at the last survey is not read again.
    """
    active = store.sessions.active()
    files = _timeline_files(store)
    folders = set(_names(store.terrain.sessions))
    ids = store.sessions.ids() if archived else primary_ids(store)
    if known is not None:
        known.load(store.terrain.index)
    found: list[SessionRecord] = []
    for at, one in enumerate(ids, start=1):
        seen = tuple(files.get(one, ()))
        alone = known if one not in folders and one != active else None
        record = alone.record(one, seen) if alone is not None else None
        if record is None:
            record = look_at(store, one, active=active)
            if alone is not None and record is not None:
                alone.keep(seen, record)
        if record is not None and (archived or record.in_primary):
            found.append(record)
        if not at % 100:
            progress(at, len(ids))
    if known is not None:
        known.save(store.terrain.index, set(files))
    return found


def _timeline_files(store: Store) -> dict[str, list[StoredTimeline]]:
    """Session id -> the files its timeline has, the live one first."""
    found: dict[str, list[StoredTimeline]] = {}
    for archived, folder in (
        (False, store.terrain.timelines(store.persona_id)),
        (True, store.terrain.archive(store.persona_id)),
    ):
        try:
            entries = list(os.scandir(folder))
        except (FileNotFoundError, NotADirectoryError):
            continue
        for entry in entries:
            if entry.name.endswith(".yaml"):
                with contextlib.suppress(FileNotFoundError):
                    seen = entry.stat(follow_symlinks=False)
                    facts = (archived, seen.st_size, seen.st_mtime_ns, seen.st_ino)
                    found.setdefault(entry.name.removesuffix(".yaml"), []).append(facts)
    return found


def primary_ids(store: Store) -> list[str]:
    """Every session with a timeline outside of the archive or with a folder, by names alone, oldest first."""
    names = {name.removesuffix(".yaml") for name in _names(store.terrain.timelines(store.persona_id))}
    return sorted(one for one in names.union(_names(store.terrain.sessions)) if SESSION_ID.fullmatch(one))


def archived_ids(store: Store) -> set[str]:
    """Every session with a timeline in the archive, by names alone."""
    names = (name.removesuffix(".yaml") for name in _names(store.terrain.archive(store.persona_id)))
    return {one for one in names if SESSION_ID.fullmatch(one)}


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def look_at(store: Store, session_id: str, *, active: str | None) -> SessionRecord | None:
    """The record of one session, or None when it is another persona's or there is nothing but an empty folder."""
    live = os.path.lexists(store.terrain.timeline(store.persona_id, session_id))
    archived = not live and os.path.lexists(store.terrain.timeline(store.persona_id, session_id, archived=True))
    path = store.terrain.timeline(store.persona_id, session_id, archived=archived)
    damaged = None
    try:
        session = store.sessions.load(session_id)
    except NotFound:
        if not live and not archived:
            return None
        # A name without a regular file behind it: a symlink, a folder, a device.
        damaged, session = f"{path} is no regular file", None
    except (TurError, OSError) as error:
        damaged, session = str(error), None
    if session is not None and not live and not archived and session.persona_id not in (None, store.persona_id):
        return None
    yaml_bytes = _size(path)
    db_bytes = folder_bytes(store.terrain.session(session_id))
    if session is None:
        born = _born(session_id)
        return SessionRecord(
            session_id,
            born,
            born,
            "ended",
            False,
            notes=0,
            unconsolidated_notes=0,
            yaml_bytes=yaml_bytes,
            db_bytes=db_bytes,
            archived=archived,
            active=session_id == active,
            damaged=damaged,
        )
    last = session.notes[-1].at if session.notes else None
    started = session.started_at or (session.notes[0].at if session.notes else _born(session_id))
    return SessionRecord(
        id=session_id,
        started_at=started,
        ended_at=session.ended_at or last or started,
        state=session.state.value,
        consolidated=session.consolidation.consolidated,
        notes=len(session.notes),
        unconsolidated_notes=session.unconsolidated_notes,
        head=session.notes[-1].hash if session.notes else "",
        agents=tuple(sorted({*session.manifestations, *(note.author for note in session.notes)})),
        yaml_bytes=yaml_bytes,
        db_bytes=db_bytes,
        archived=archived,
        active=session_id == active,
        dreaming=session.state is SessionState.SEALED or is_dreaming(store, session_id),
        tombstone_bytes=len(render_tombstone(tombstone_of(session, started, ""))),
    )


def is_dreaming(store: Store, session_id: str) -> bool:
    """Whether somebody holds the session's dream lease right now."""
    folder = store.terrain.session(session_id)
    # The lock is only tried where its holder left a name: trying it keeps a sleeper out for that moment.
    if not (folder / SLEEPER).is_file():
        return False
    try:
        with try_locked(folder / LEASE) as free:
            return not free
    except StoreUnavailable:
        # On a read-only store the lock cannot be tried; nobody can be writing there either.
        return False


def folder_bytes(folder: Path) -> int:
    """Bytes of the files right in a folder; 0 when there is none."""
    try:
        with os.scandir(folder) as entries:
            return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _born(session_id: str) -> datetime:
    try:
        return datetime.strptime(session_id[:15], "%Y%m%d_%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return parse_time("1970-01-01")


# -- leaving ---------------------------------------------------------------------------------


def archive_session(store: Store, session_id: str, *, end_open: bool = False) -> Outcome:
    """Retire the session's database and move its timeline to `archive/`. The caller holds the terrain's lock.

    With `end_open` a session that still takes notes is ended first; without, it stays. Whatever
    stands in the way leaves the session as it is and is the outcome's reason; an archived session
    without a database is done already.
    """

    def act() -> None:
        source = store.terrain.timeline(store.persona_id, session_id)
        target = store.terrain.timeline(store.persona_id, session_id, archived=True)
        _check_target(source, target)
        retire_database(store, session_id, end_open=end_open)
        reached("retire.database-gone")
        if os.path.lexists(source):
            _shelve(source, target)
            reached("retire.shelved")

    return _attempt(store, session_id, act)


def delete_session(
    store: Store, session_id: str, why: str, *, end_open: bool = False, head: str | None = None
) -> Outcome:
    """Retire the session's database and remove its timeline, leaving a tombstone. The caller holds the terrain's lock.

    `why` goes into the tombstone. With `head` (the hash of the last note, empty without notes) a
    session that got notes since then stays. Otherwise like `archive_session`.
    """

    def act() -> None:
        retire_database(store, session_id, end_open=end_open, head=head)
        reached("retire.database-gone")
        try:
            session = store.sessions.timeline(session_id)
        except NotFound:
            if find_tombstone(store.terrain, store.persona_id, session_id) is None:
                raise
            return
        if head is not None and _head(session.notes) != head:
            raise _Held("its notes changed since the plan")
        write_tombstone(store.terrain, store.persona_id, tombstone_of(session, store.clock.now(), why))
        reached("retire.tombstone")
        for archived in (False, True):
            remove_file(store.terrain.timeline(store.persona_id, session_id, archived=archived))
            reached("retire.timeline-removed")

    return _attempt(store, session_id, act)


def _attempt(store: Store, session_id: str, act: Callable[[], None]) -> Outcome:
    before = footprint(store, session_id)
    try:
        _check_places(store)
        act()
    except _Held as held:
        return Outcome(session_id, False, str(held))
    except TurError as error:
        return Outcome(session_id, False, error.message)
    except (OSError, sqlite3.Error) as error:
        return Outcome(session_id, False, str(error))
    return Outcome(session_id, True, freed=before - footprint(store, session_id))


def _check_places(store: Store) -> None:
    for folder in (store.terrain.sessions, store.terrain.timelines(store.persona_id)):
        if folder.is_symlink():
            raise _Held(f"{folder} is a symlink, which is not followed")


def footprint(store: Store, session_id: str) -> int:
    """Bytes that the session takes on disk: timeline, live and archived, tombstone, and its folder."""
    files = [store.terrain.timeline(store.persona_id, session_id, archived=one) for one in (False, True)]
    files.append(tombstone_path(store.terrain, store.persona_id, session_id))
    return sum(map(_size, files)) + folder_bytes(store.terrain.session(session_id))


def retire_database(store: Store, session_id: str, *, end_open: bool, head: str | None = None) -> None:
    """Remove the session's folder once its timeline is proven complete; a folder without a database is cleared."""
    folder = store.terrain.session(session_id)
    path = store.terrain.session_db(session_id)
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or path.is_symlink():
        raise _Held(f"{folder} is reached through a symlink, which is not followed")
    # The lease keeps out `tur sleep --force`, the only one that could open a sealed session again.
    with try_locked(folder / LEASE) as held:
        if not held:
            raise _Held("it is being dreamt")
        if path.exists():
            notes = _close(store, session_id, end_open=end_open, head=head)
            reached("retire.proven")
            _fold(store, session_id, notes)
            reached("retire.folded")
            with _alone_with(path):
                for name in SIDE_FILES:
                    remove_file(folder / name)
                reached("retire.log-gone")
                remove_file(path)
            reached("retire.unlinked")
        elif any(_size(folder / name) for name in SIDE_FILES):
            raise _Held(f"{folder} has a write-ahead log without its database: `tur-adm doctor` says what can be done")
        clear_folder(folder)


def _close(store: Store, session_id: str, *, end_open: bool, head: str | None) -> list[Note]:
    """See to it that the database takes no note any more and that the timeline has all it holds."""

    def check() -> dict[str, str]:
        meta = database.meta()
        if meta.get("persona_id", store.persona_id) != store.persona_id:
            raise _Held("its database belongs to another persona")
        if meta["state"] == "open" and not end_open:
            raise _Held("it is still open")
        if meta["state"] == "sealed" or "finishing" in meta:
            raise _Held("its sleep is not finished")
        if head is not None and _head(database.notes()) != head:
            raise _Held("its notes changed since the plan")
        return meta

    with store.sessions.database(session_id) as database:
        # One that is closed for good is not written to: whoever reads it would be waited for.
        if check()["state"] != "ended" or not _refuses_notes(database.path):
            with database.writing():
                end_database(database, check().get("ended_at") or format_time(store.clock.now()))
    reached("retire.sealed")
    _unshelve_incomplete(store, session_id)
    project_here(store, session_id)
    reached("retire.projected")
    with store.sessions.database(session_id, read_only=True) as database:
        truth = snapshot(database)
    prove_complete(truth, store.sessions.timeline(session_id))
    return truth.notes


def _refuses_notes(path: Path) -> bool:
    """Whether the database itself aborts every write to its notes."""
    with database_errors(path), closing(sqlite3.connect(_address(path, "ro"), uri=True)) as connection:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'notes'")
        return {"sealed_insert", "sealed_update", "sealed_delete"} <= {row[0] for row in rows}


def _address(path: Path, mode: str) -> str:
    return f"file:{quote(str(path))}?mode={mode}"


def _head(notes: list[Note]) -> str:
    return notes[-1].hash if notes else ""


def end_database(database: SessionDatabase, ended_at: str) -> None:
    """End the session in its database, for good: it refuses notes by itself. Call it inside `writing()`."""
    database.seal({"ended_at": ended_at})
    database.set_meta({"state": "ended"})


def _unshelve_incomplete(store: Store, session_id: str) -> None:
    """An archived timeline that lags behind its database comes back first, to be written whole."""
    live = store.terrain.timeline(store.persona_id, session_id)
    archived = store.terrain.timeline(store.persona_id, session_id, archived=True)
    if archived.is_file() and not os.path.lexists(live):
        with store.sessions.database(session_id, read_only=True) as database:
            truth = snapshot(database)
        try:
            prove_complete(truth, store.sessions.timeline(session_id))
        except TurError:
            move_file(archived, live)


def project_here(store: Store, session_id: str) -> None:
    """Project the timeline unless the archived one is complete already."""
    if not store.terrain.timeline(store.persona_id, session_id, archived=True).is_file() or os.path.lexists(
        store.terrain.timeline(store.persona_id, session_id)
    ):
        store.sessions.project(session_id)


def prove_complete(truth: SessionNotes, timeline: SessionNotes) -> None:
    """Raise StoreCorrupt unless the timeline says all that the database says, in an unbroken chain."""
    broken = verify_chain(truth.notes)
    if broken is not None:
        raise StoreCorrupt(f"the chain of its notes is broken at note {broken}")
    if len(timeline.notes) != len(truth.notes) or timeline.notes != truth.notes:
        raise StoreCorrupt(
            f"its timeline and its database differ; notes in them: {len(timeline.notes)} and {len(truth.notes)}"
        )
    if timeline.consolidation != truth.consolidation or timeline.state is SessionState.OPEN:
        raise StoreCorrupt("its timeline does not say how its database stands")


def _fold(store: Store, session_id: str, notes: list[Note]) -> None:
    path = store.terrain.session_db(session_id)
    with store.sessions.database(session_id) as database:
        if not database.fold_log():
            raise _Held("another process has its database open")
        if database.state() != "ended" or database.count() != len(notes):
            raise _Held("its database changed")
    if _size(path.with_name(path.name + "-wal")):
        raise _Held("another process has its database open")


@contextmanager
def _alone_with(path: Path) -> Iterator[None]:
    """Hold the database so that nobody is in the middle of a read or a write while it goes."""
    with database_errors(path):
        # A folded database has no log any more, and so an exclusive transaction keeps out everyone.
        connection = sqlite3.connect(_address(path, "rw"), uri=True, isolation_level=None, timeout=0)
        try:
            try:
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                raise _Held("another process is using its database") from None
            yield
        finally:
            connection.close()


def clear_folder(folder: Path) -> None:
    """Remove a session's folder with its lock files and old temporary ones. Anything else in it stays, and holds it."""
    with storage_errors(folder):
        for name in sorted(os.listdir(folder)):
            if is_side_file(name):
                remove_file(folder / name)
        reached("retire.locks-removed")
        left = sorted(os.listdir(folder))
        if left:
            raise _Held(f"{folder} holds something else: {', '.join(left[:3])}")
        os.rmdir(folder)
        sync_folder(folder.parent)


def is_side_file(name: str) -> bool:
    """Whether a file in a session's folder is worth nothing without a database."""
    return name in (*SIDE_FILES, SLEEPER) or name.endswith(".lock") or bool(TEMPORARY.fullmatch(name))


def _check_target(source: Path, target: Path) -> None:
    """Raise before anything is touched when the archive has something else of that name or cannot be written."""
    folder = target.parent
    if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
        raise _Held(f"{folder} is no folder")
    if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
        raise _Held(f"{folder} is read-only")
    if os.path.lexists(source) and os.path.lexists(target) and not same_file_content(source, target):
        raise _Held(f"{target} is there already and says something else")


def same_file_content(one: Path, other: Path) -> bool:
    """Whether both are regular files with the same bytes."""
    try:
        if not stat.S_ISREG(one.lstat().st_mode) or not stat.S_ISREG(other.lstat().st_mode):
            return False
        return read_file(one) == read_file(other)
    except FileNotFoundError:
        return False


def _shelve(source: Path, target: Path) -> None:
    if os.path.lexists(target):
        # An earlier move died after the new name and before the old one went.
        if not same_file_content(source, target):
            raise _Held(f"{target} is there already and says something else")
        remove_file(source)
    else:
        move_file(source, target)
