"""The derived index: which memory files there are, what they hold, and full-text search over them.

It is never the truth. Files are noticed as new, changed or gone by size, modification time and
inode, and read again, some hundreds in one transaction, so that others come in between and a
process that dies leaves what it did; a damaged index is made anew, and one that cannot be written
or is held by another process is replaced, for this one answer, by the same index in memory.
"""

import contextlib
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tur.clock import format_time
from tur.codec.memory_file import is_edited
from tur.errors import TurError
from tur.ids import note_of_uri
from tur.model.memory import Memory, MemoryType, Scope, Status
from tur.policy.decay import last_verified
from tur.progress import Progress, silent
from tur.store.files import Unreadable, make_folder
from tur.store.memories import MemoryStore, StoredFile

VERSION = 2
BUSY_SECONDS = 3.0
BATCH = 500
"""How many files are taken in between two commits."""

_CJK = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f])")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index knows of a memory. `edited`: its content no longer answers to its id."""

    id: str
    path: Path
    type: MemoryType
    scope: Scope
    status: Status
    timestamp: str
    edited: bool


def split_cjk(text: str) -> str:
    """Set each CJK character apart, since FTS5 takes a run of them for one word."""
    return _CJK.sub(r" \1 ", text)


def match_expression(query: str, *, every: bool) -> str | None:
    """An FTS5 expression in which every word of `query` is a plain word, or None when it has none.

    Words joined by punctuation stay a phrase (`POL-358`), CJK runs likewise; the last part of
    each may be a beginning.
    """
    terms = []
    for chunk in query.split():
        words = _WORD.findall(split_cjk(chunk.replace("_", " ")))
        if words:
            phrase = " ".join(word.replace('"', "") for word in words)
            terms.append(f'"{phrase}"*' if len(words[-1]) > 1 else f'"{phrase}"')
    return (" AND " if every else " OR ").join(terms) if terms else None


class Index:
    """An index brought up to date with the files. Made by `open_index`."""

    def __init__(self, connection: sqlite3.Connection, memories: MemoryStore, unreadable: list[Unreadable]) -> None:
        self._connection = connection
        self._memories = memories
        self.unreadable = unreadable

    def search(
        self,
        query: str,
        *,
        types: Iterable[str] = (),
        scopes: Iterable[str] = (),
        all_statuses: bool = False,
        limit: int = 10,
    ) -> list[Entry]:
        """The best matches first: those with every word, then, to fill up, those with any."""
        found: dict[str, Entry] = {}
        for every in (True, False):
            expression = match_expression(query, every=every)
            if expression is None:
                break
            where, values = _filters(types, scopes, all_statuses)
            rows = self._connection.execute(
                "SELECT m.* FROM words JOIN memories m ON m.rowid = words.rowid "
                f"WHERE words MATCH ? {where} ORDER BY bm25(words, 4.0, 2.0, 1.0), m.timestamp DESC, m.id LIMIT ?",
                [expression, *values, limit],
            )
            for entry in map(_entry, rows):
                found.setdefault(entry.id, entry)
            if len(found) >= limit:
                break
        return list(found.values())[:limit]

    def entries(
        self, *, types: Iterable[str] = (), scopes: Iterable[str] = (), all_statuses: bool = False, now: str
    ) -> Iterator[Entry]:
        """All entries, newest first; one dated after `now` (ISO) counts as of now, so it gains nothing by it."""
        where, values = _filters(types, scopes, all_statuses)
        rows = self._connection.execute(
            f"SELECT m.* FROM memories m WHERE 1 {where} ORDER BY min(m.timestamp, ?) DESC, m.id", [*values, now]
        )
        for row in rows:
            yield _entry(row)

    def ids(self, *, types: Iterable[str] = (), status: Status | None = None, now: str) -> list[str]:
        """The ids of `entries` alone, which costs a tenth: of these types and this status, else of all."""
        where, values = _filters(types, (), True, status)
        rows = self._connection.execute(
            f"SELECT m.id FROM memories m WHERE 1 {where} ORDER BY min(m.timestamp, ?) DESC, m.id", [*values, now]
        )
        return [row[0] for row in rows]

    def changed_since(self, moment: str, sessions: Iterable[str]) -> list[Entry]:
        """Those with a lifecycle entry at or after `moment` (ISO), or one made in one of `sessions`."""
        recent = self._connection.execute("SELECT m.* FROM memories m WHERE m.last_change >= ?", [moment])
        found = {entry.id: entry for entry in map(_entry, recent)}
        for session in sessions:
            found.update({entry.id: entry for entry in self.touched_by(session)})
        return [found[one] for one in sorted(found)]

    def touched_by(self, session: str) -> list[Entry]:
        """Those with a lifecycle entry made in `session`."""
        rows = self._connection.execute(
            "SELECT m.* FROM memories m WHERE m.id IN (SELECT id FROM touched WHERE session = ?) ORDER BY m.id",
            [session],
        )
        return [_entry(row) for row in rows]

    def resting_on(self, session: str) -> list[Entry]:
        """Those with a link to a note of `session`."""
        rows = self._connection.execute(
            "SELECT m.* FROM memories m WHERE m.id IN (SELECT id FROM cited WHERE session = ?) ORDER BY m.id",
            [session],
        )
        return [_entry(row) for row in rows]

    def resting_on_any(self, sessions: Iterable[str]) -> list[str]:
        """The ids of those with a link to a note of one of `sessions`, in order."""
        wanted = list(sessions)
        found: set[str] = set()
        for at in range(0, len(wanted), BATCH):
            some = wanted[at : at + BATCH]
            rows = self._connection.execute(
                f"SELECT id FROM cited WHERE session IN ({','.join('?' * len(some))})", some
            )
            found.update(row[0] for row in rows)
        return sorted(found)

    def last_verified_between(self, after: str, before: str, types: Iterable[str]) -> list[Entry]:
        """Active entries of `types` last verified in that span (ISO times): those that can go stale in a window."""
        where, values = _filters(types, (), False)
        rows = self._connection.execute(
            f"SELECT m.* FROM memories m WHERE m.last_verified > ? AND m.last_verified <= ? {where} ORDER BY m.id",
            [after, before, *values],
        )
        return [_entry(row) for row in rows]

    def count(self, *, types: Iterable[str] = (), status: Status | None = None) -> int:
        """How many memories there are of these types and this status."""
        where, values = _filters(types, (), True, status)
        return int(self._connection.execute(f"SELECT count(*) FROM memories m WHERE 1 {where}", values).fetchone()[0])

    def edited(self) -> list[Entry]:
        """Those whose content no longer answers to their id, in order of id."""
        return [_entry(row) for row in self._connection.execute("SELECT * FROM memories WHERE edited ORDER BY id")]

    def oldest(self, kind: MemoryType, status: Status) -> str | None:
        """The ISO time of birth of the oldest memory of that type and status."""
        row = self._connection.execute(
            "SELECT min(timestamp) FROM memories WHERE type = ? AND status = ?", [kind.value, status.value]
        ).fetchone()
        return None if row[0] is None else str(row[0])

    def status_counts(self) -> dict[str, int]:
        """Status -> number of memories."""
        return dict(self._connection.execute("SELECT status, count(*) FROM memories GROUP BY status ORDER BY status"))

    def in_future(self, now: str) -> int:
        """How many memories are dated after `now` (ISO)."""
        row = self._connection.execute("SELECT count(*) FROM memories WHERE timestamp > ?", [now]).fetchone()
        return int(row[0])

    def load(self, entry: Entry) -> Memory:
        """The memory itself, read from its file, wherever that was moved meanwhile."""
        try:
            return self._memories.read(entry.path)
        except FileNotFoundError:
            return self._memories.get(entry.id)


@contextlib.contextmanager
def open_index(
    path: Path, memories: MemoryStore, *, write: bool = True, refresh: bool = True, progress: Progress = silent
) -> Iterator[Index]:
    """The index at `path`, brought up to date. With `write=False` nothing on disk is changed.

    With `refresh=False` it is taken as it stands, for who knows that it was brought up to date just
    now. `progress` counts files taken in; what it raises is raised here, and what was done stays.
    """
    with contextlib.closing(_opened(path, memories, write=write, refresh=refresh, progress=progress)) as connection:
        rows = connection.execute("SELECT path, error FROM files WHERE error IS NOT NULL ORDER BY path")
        unreadable = [Unreadable(Path(row[0]), TurError(row[1])) for row in rows]
        yield Index(connection, memories, unreadable)


def _opened(path: Path, memories: MemoryStore, *, write: bool, refresh: bool, progress: Progress) -> sqlite3.Connection:
    if write:
        for _ in range(2):
            try:
                connection = _connect(path)
                return _up_to_date(connection, memories, progress) if refresh else connection
            except (sqlite3.OperationalError, OSError, TurError):
                break
            except sqlite3.DatabaseError:
                # Derived data: what is damaged is thrown away and made again.
                with contextlib.suppress(OSError):
                    for suffix in ("", "-wal", "-shm"):
                        Path(f"{path}{suffix}").unlink(missing_ok=True)
    return _untouched(path, memories, refresh=refresh, progress=progress)


def _untouched(path: Path, memories: MemoryStore, *, refresh: bool, progress: Progress) -> sqlite3.Connection:
    """The index for one answer, with no file made or changed: as it lies there, or brought up to date in memory.

    SQLite makes `-shm` and `-wal` files beside a database in WAL mode even for a reader. While no
    log lies there the database is complete in itself, and is read as a file that does not change;
    with log and shared memory there already, a reader makes neither.
    """
    copy = sqlite3.connect(":memory:", isolation_level=None)
    wal, shm = Path(f"{path}-wal"), Path(f"{path}-shm")
    quiet = is_quiet(path)
    if quiet or (path.is_file() and wal.exists() and shm.exists()):
        address = f"file:{quote(str(path))}?mode=ro" + ("&immutable=1" if quiet else "")
        try:
            with contextlib.ExitStack() as opened:
                there = opened.enter_context(
                    contextlib.closing(sqlite3.connect(address, uri=True, isolation_level=None))
                )
                if _version(there) == VERSION:
                    if not refresh or not any(_differences(there, memories)):
                        opened.pop_all()
                        copy.close()
                        return there
                    there.backup(copy)
                    return _up_to_date(copy, memories, progress)
        except sqlite3.DatabaseError:
            copy.close()
            copy = sqlite3.connect(":memory:", isolation_level=None)
    _make_tables(copy)
    return _up_to_date(copy, memories, progress)


def is_quiet(path: Path) -> bool:
    """Whether a database lies there with no log beside it."""
    if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
        return False
    wal = Path(f"{path}-wal")
    try:
        return wal.stat().st_size == 0 and not Path(f"{path}-shm").exists()
    except FileNotFoundError:
        return True


def _connect(path: Path) -> sqlite3.Connection:
    make_folder(path.parent)
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        if _version(connection) != VERSION:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("BEGIN IMMEDIATE")
            if _version(connection) != VERSION:
                _make_tables(connection)
            connection.execute("COMMIT")
            os.chmod(path, 0o600)
        # Derived data need not survive a power cut.
        connection.execute("PRAGMA synchronous=NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_existing(path: Path) -> sqlite3.Connection:
    """The index's file as it is, for what else is derived and kept in it. Raises sqlite3.Error when there is none."""
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True, isolation_level=None, timeout=0.2)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _make_tables(connection: sqlite3.Connection) -> None:
    import sqlite_utils

    database = sqlite_utils.Database(connection)
    for name in ("words", "touched", "cited", "files", "memories"):
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    files = database.table("files")
    files.create({"path": str, "size": int, "mtime_ns": int, "inode": int, "error": str}, pk="path")
    memories = database.table("memories")
    memories.create(
        {
            "id": str,
            "path": str,
            "type": str,
            "scope": str,
            "status": str,
            "timestamp": str,
            "edited": int,
            "last_change": str,
            "last_verified": str,
        }
    )
    for columns in (
        ["id"],
        ["path"],
        ["type", "status", "timestamp"],
        ["last_change"],
        ["type", "status", "last_verified"],
    ):
        memories.create_index(columns)
    for name in ("touched", "cited"):
        named = database.table(name)
        named.create({"session": str, "id": str, "path": str})
        named.create_index(["session"])
        named.create_index(["path"])
    connection.execute(
        "CREATE VIRTUAL TABLE words USING fts5(title, tags, content, tokenize = 'unicode61 remove_diacritics 2')"
    )
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _differences(connection: sqlite3.Connection, memories: MemoryStore) -> tuple[list[StoredFile], list[str]]:
    known = {row[0]: row[1:] for row in connection.execute("SELECT path, size, mtime_ns, inode FROM files")}
    changed = []
    for file in memories.files():
        if known.pop(file.name, None) != (file.size, file.mtime_ns, file.inode):
            changed.append(file)
    return changed, list(known)


def _up_to_date(
    connection: sqlite3.Connection, memories: MemoryStore, progress: Progress = silent
) -> sqlite3.Connection:
    try:
        changed, gone = _differences(connection, memories)
        names = [*gone, *(file.name for file in changed)]
        for at in range(0, len(names), BATCH):
            connection.execute("BEGIN IMMEDIATE")
            for name in names[at : at + BATCH]:
                _bring_up(connection, memories, name)
            connection.execute("COMMIT")
            progress(min(at + BATCH, len(names)), len(names))
    except BaseException:
        connection.close()
        raise
    return connection


def _bring_up(connection: sqlite3.Connection, memories: MemoryStore, name: str) -> None:
    """Take one file in as it is now: another process may have done so since the folder was listed."""
    there = memories.look_at(name)
    known = connection.execute("SELECT size, mtime_ns, inode FROM files WHERE path = ?", [name]).fetchone()
    if there is not None and known == (there.size, there.mtime_ns, there.inode):
        return
    if known is not None:
        _forget(connection, name)
    if there is not None:
        _take_in(connection, memories, there)


def _forget(connection: sqlite3.Connection, path: str) -> None:
    connection.execute("DELETE FROM words WHERE rowid IN (SELECT rowid FROM memories WHERE path = ?)", [path])
    connection.execute("DELETE FROM memories WHERE path = ?", [path])
    connection.execute("DELETE FROM touched WHERE path = ?", [path])
    connection.execute("DELETE FROM cited WHERE path = ?", [path])
    connection.execute("DELETE FROM files WHERE path = ?", [path])


def _take_in(connection: sqlite3.Connection, memories: MemoryStore, file: StoredFile) -> None:
    path = file.name
    error = None
    try:
        memory = memories.read(file.path)
    except FileNotFoundError:
        return
    except TurError as problem:
        error = problem.message
    connection.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", [path, file.size, file.mtime_ns, file.inode, error])
    if error is not None:
        return
    latest = max([memory.timestamp, *(entry.at for entry in memory.lifecycle)])
    verified = last_verified(memory)
    row = connection.execute(
        "INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            memory.id,
            path,
            memory.type.value,
            memory.scope.value,
            memory.status.value,
            format_time(memory.timestamp),
            is_edited(memory),
            format_time(latest),
            format_time(verified),
        ],
    ).lastrowid
    connection.execute(
        "INSERT INTO words (rowid, title, tags, content) VALUES (?, ?, ?, ?)",
        [row, split_cjk(memory.title), split_cjk(" ".join(memory.tags)), split_cjk(memory.content)],
    )
    sessions = {entry.session for entry in memory.lifecycle if entry.session} | ({memory.session} - {None})
    connection.executemany(
        "INSERT INTO touched VALUES (?, ?, ?)", [(one, memory.id, path) for one in sorted(map(str, sessions))]
    )
    cited = {named[0] for link in memory.links if (named := note_of_uri(link.uri))}
    connection.executemany("INSERT INTO cited VALUES (?, ?, ?)", [(one, memory.id, path) for one in sorted(cited)])


def _filters(
    types: Iterable[str], scopes: Iterable[str], all_statuses: bool, status: Status | None = None
) -> tuple[str, list[str]]:
    where, values = "", []
    for column, wanted in (("type", list(types)), ("scope", list(scopes))):
        if wanted:
            where += f" AND m.{column} IN ({','.join('?' * len(wanted))})"
            values += wanted
    if not all_statuses:
        where += " AND m.status = 'active'"
    if status is not None:
        where += " AND m.status = ?"
        values.append(status.value)
    return where, values


def _entry(row: tuple[str, str, str, str, str, str, int, str, str]) -> Entry:
    identity, path, kind, scope, status, timestamp, edited, *_ = row
    return Entry(identity, Path(path), MemoryType(kind), Scope(scope), Status(status), timestamp, bool(edited))
