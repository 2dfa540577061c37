"""Reading sessions and the index without leaving a trace, for verbs that promise to write nothing.

SQLite makes `-shm` and `-wal` files beside a database in WAL mode even for a reader. While no log
lies there the database is complete in itself, and is read as a file that does not change: a writer
who comes meanwhile writes to a new log, and this reader sees the moment before.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from tur.errors import InvalidInput, NotFound, TurError
from tur.store.index import (
    VERSION,
    Entry,
    Index,
    _entry,
    _make_tables,
    _up_to_date,
    _version,
)
from tur.store.memories import MemoryStore, Unreadable
from tur.store.session_db import SessionDatabase
from tur.store.sessions import snapshot
from tur.store.store import Store

if TYPE_CHECKING:
    from tur.model.session import SessionNotes


def peek_session(store: Store, session_id: str) -> "SessionNotes":
    """The session as `store.sessions.load` gives it, with the same errors, and no file made."""
    path = store.terrain.session_db(session_id)
    if not _is_quiet(path):
        return store.sessions.load(session_id)
    try:
        address = f"file:{quote(str(path))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
            return snapshot(SessionDatabase(path, connection))
    except sqlite3.Error:
        # Changed under this reader, or damaged: the reader that may leave files says which.
        return store.sessions.load(session_id)


def peek_ancestor(store: Store, given: str) -> str:
    """The session for `@` or `@~n`, as `store.sessions.resolve` gives it. Raises InvalidInput or NotFound."""
    steps = given[1:].removeprefix("~") or "0"
    if not (given == "@" or given.startswith("@~")) or not steps.isdecimal() or len(steps) > 6:
        raise InvalidInput(f"not a session: {given!r}", hint="Use `@`, `@~1`, `@~2`, … or an id.")
    state, left = store.sessions.state(), int(steps)
    current = state.active_session
    if current is None:
        # With no session active, `@~1` still is the one before whatever comes next.
        current, left = state.last_session, left - 1
        if left < 0:
            raise NotFound("no session is active", hint="`tur wake` begins one; `@~1` is the last one.")
    for _ in range(left):
        if current is None:
            break
        current = peek_session(store, current).parent_session_id
    if current is None:
        raise NotFound("there is no session that far back", hint="`tur status` names the sessions at hand.")
    return current


class PeekedIndex(Index):
    """An index for reading, which also names what was edited by hand."""

    def edited(self) -> list[Entry]:
        """Those whose content no longer answers to their id, in order of id."""
        return [_entry(row) for row in self._connection.execute("SELECT * FROM memories WHERE edited ORDER BY id")]


@contextlib.contextmanager
def peek_index(store: Store) -> Iterator[PeekedIndex]:
    """The store's index, brought up to date in memory where the file of it is behind; no file is made.

    Only what changed since is read again. An index that is missing or damaged is made anew, in memory.
    """
    with closing(_peeked(store.terrain.index, store.memories)) as connection:
        rows = connection.execute("SELECT path, error FROM files WHERE error IS NOT NULL ORDER BY path")
        unreadable = [Unreadable(Path(row[0]), TurError(row[1])) for row in rows]
        yield PeekedIndex(connection, store.memories, unreadable)


def _peeked(path: Path, memories: MemoryStore) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", isolation_level=None)
    wal, shm = path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")
    if _is_quiet(path) or (path.is_file() and wal.exists() and shm.exists()):
        # With log and shared memory there already, a reader of the live file makes neither.
        address = f"file:{quote(str(path))}?mode=ro" + ("&immutable=1" if _is_quiet(path) else "")
        try:
            with contextlib.ExitStack() as opened:
                there = opened.enter_context(closing(sqlite3.connect(address, uri=True, isolation_level=None)))
                if _version(there) == VERSION:
                    if _is_current(there, memories):
                        opened.pop_all()
                        copy.close()
                        return there
                    there.backup(copy)
                    return _up_to_date(copy, memories)
        except sqlite3.DatabaseError:
            copy.close()
            copy = sqlite3.connect(":memory:", isolation_level=None)
    _make_tables(copy)
    return _up_to_date(copy, memories)


def _is_current(connection: sqlite3.Connection, memories: MemoryStore) -> bool:
    """Whether the index has exactly the files that lie there, by plain listing: the common case, and a quick one."""
    known = {row[0]: row[1:] for row in connection.execute("SELECT path, size, mtime_ns, inode FROM files")}
    for folder in memories.folders():
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                        found = entry.stat(follow_symlinks=False)
                        if known.pop(entry.path, None) != (found.st_size, found.st_mtime_ns, found.st_ino):
                            return False
        except (FileNotFoundError, NotADirectoryError):
            continue
    return not known


def _is_quiet(path: Path) -> bool:
    """Whether a database lies there with no log beside it."""
    if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
        return False
    wal = path.with_name(path.name + "-wal")
    try:
        return wal.stat().st_size == 0 and not wal.with_name(path.name + "-shm").exists()
    except FileNotFoundError:
        return True
