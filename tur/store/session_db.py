"""The live session: one SQLite database in WAL mode, the truth about its notes until it is retired.

Every connection is made here: `mode=rw` (a missing database is an error, never an empty new one),
`synchronous=FULL`, `busy_timeout` 5 s, and `BEGIN IMMEDIATE` for whatever writes, since a deferred
transaction that is upgraded fails with "database is locked" at once.
"""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from tur.clock import format_time, parse_time
from tur.codec.seal import note_hash
from tur.errors import NotFound, SessionSealed, StoreCorrupt, StoreUnavailable
from tur.model.note import Note
from tur.store.files import make_folder, storage_errors, sync_folder

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE notes (
    idx INTEGER PRIMARY KEY, at TEXT NOT NULL, author TEXT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL
);
CREATE TABLE manifestations (name TEXT PRIMARY KEY, first_seen TEXT NOT NULL, last_seen TEXT NOT NULL) WITHOUT ROWID;
"""
SEAL_TRIGGERS = "".join(
    f"CREATE TRIGGER IF NOT EXISTS sealed_{verb} BEFORE {verb.upper()} ON notes "
    "BEGIN SELECT RAISE(ABORT, 'session sealed'); END;\n"
    for verb in ("insert", "update", "delete")
)
BUSY_MILLISECONDS = 5_000


def _address(path: Path, mode: str) -> str:
    return f"file:{quote(str(path))}?mode={mode}"


@contextlib.contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite raises about the database at `path` into a TurError."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            raise StoreUnavailable(
                f"{path} is busy: another process holds it for more than {BUSY_MILLISECONDS // 1000} s",
                hint="Nothing was changed. Run the same command again.",
                path=str(path),
            ) from error
        if "unable to open" in text and not path.exists():
            raise NotFound(f"no session database at {path}") from error
        raise StoreUnavailable(
            f"cannot use {path}: {text}", hint="Nothing that was stored before is lost.", path=str(path)
        ) from error
    except sqlite3.DatabaseError as error:
        raise StoreCorrupt(
            f"{path} cannot be read: {error}",
            hint="It was left as it is, with its -wal. `tur-adm doctor` says what can be done.",
            path=str(path),
        ) from error


class SessionDatabase:
    """An open session database. Use as a context manager; one per thread."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def create(
        cls, path: Path, meta: dict[str, str], notes: list[Note], *, token: str, manifestations: Sequence[str] = ()
    ) -> None:
        """Make a database with its schema, and its folder, in one rename.

        `meta` needs `session_id` and `started_at`; the state is `open` unless it says otherwise.
        The caller holds the terrain's lock. A folder of that name which has no database yet is used;
        a database that is there raises FileExistsError.
        """
        if path.exists():
            raise FileExistsError(path)
        folder = path.parent
        building = folder.parent / f".{folder.name}.{token}.tur-tmp"
        make_folder(building)
        with storage_errors(path):
            try:
                with database_errors(path):
                    connection = sqlite3.connect(building / path.name, isolation_level=None)
                    try:
                        connection.execute("PRAGMA journal_mode=WAL")
                        connection.execute("PRAGMA synchronous=FULL")
                        connection.executescript(f"BEGIN IMMEDIATE;{SCHEMA}COMMIT;")
                        connection.execute("BEGIN IMMEDIATE")
                        connection.executemany("INSERT INTO meta VALUES (?, ?)", {"state": "open", **meta}.items())
                        rows = [(n.idx, format_time(n.at), n.author, n.text, n.hash) for n in notes]
                        connection.executemany("INSERT INTO notes VALUES (?, ?, ?, ?, ?)", rows)
                        seen = [(name, meta["started_at"], meta["started_at"]) for name in manifestations]
                        connection.executemany("INSERT INTO manifestations VALUES (?, ?, ?)", seen)
                        connection.execute("COMMIT")
                        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    finally:
                        connection.close()
                os.chmod(building / path.name, 0o600)
                if folder.is_dir():
                    os.rename(building / path.name, path)
                    os.rmdir(building)
                else:
                    os.rename(building, folder)
                sync_folder(folder.parent)
            except BaseException:
                shutil.rmtree(building, ignore_errors=True)
                raise

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: Path, *, read_only: bool = False) -> Iterator["SessionDatabase"]:
        """Open an existing database. NotFound when there is none, StoreCorrupt when it is unreadable."""
        if path.is_symlink() or path.parent.is_symlink():
            raise StoreCorrupt(f"{path} is reached through a symlink, which is not followed")
        with database_errors(path):
            connection = cls._connect(path, read_only=read_only)
            try:
                yield cls(path, connection)
            finally:
                connection.close()

    @staticmethod
    def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
        writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        mode = "ro" if read_only else "rw"
        if not writable:
            # Without write access to the folder SQLite cannot share memory with writers; a database
            # that has no log is complete in itself and may be read as it lies there.
            wal = path.with_name(path.name + "-wal")
            mode = "ro" if wal.exists() and wal.stat().st_size else "ro&immutable=1"
        connection = sqlite3.connect(
            _address(path, mode), uri=True, isolation_level=None, timeout=BUSY_MILLISECONDS / 1000
        )
        try:
            if mode == "rw":
                connection.execute("PRAGMA synchronous=FULL")
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
                raise sqlite3.DatabaseError("it is no session database")
        except BaseException:
            connection.close()
            raise
        return connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """One write transaction: all of it or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def meta(self) -> dict[str, str]:
        """All key-value facts of the session."""
        return dict(self._connection.execute("SELECT key, value FROM meta"))

    def set_meta(self, facts: dict[str, str]) -> None:
        """Write facts. Call it inside `writing()`."""
        self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", facts.items())

    def drop_meta(self, keys: list[str]) -> None:
        """Forget facts. Call it inside `writing()`."""
        self._connection.executemany("DELETE FROM meta WHERE key = ?", [(key,) for key in keys])

    def state(self) -> str:
        row = self._connection.execute("SELECT value FROM meta WHERE key = 'state'").fetchone()
        return str(row[0])

    def add_note(self, at: datetime, author: str, text: str, *, unless_last: bool = False) -> tuple[Note, bool]:
        """Append a note, chained to the one before. Says whether it was added.

        With `unless_last`, a last note of the same author and text stands for this one, so that
        repeating an interrupted command records it once. Raises SessionSealed.
        """
        with self.writing():
            if self.state() != "open":
                raise SessionSealed(f"session {self.meta()['session_id']} is sealed and takes no more notes")
            last = self._last_note()
            if unless_last and last is not None and (last.author, last.text) == (author, text):
                return last, False
            idx = last.idx + 1 if last else 1
            note = Note(idx, at, author, text, note_hash(last.hash if last else None, idx, at, author, text))
            self._connection.execute(
                "INSERT INTO notes VALUES (?, ?, ?, ?, ?)", (idx, format_time(at), author, text, note.hash)
            )
            self._greet(at, author)
            return note, True

    def join(self, at: datetime, author: str) -> None:
        """Count `author` among the session's manifestations."""
        with self.writing():
            if self.state() == "open":
                self._greet(at, author)

    def _greet(self, at: datetime, author: str) -> None:
        self._connection.execute(
            "INSERT INTO manifestations VALUES (?1, ?2, ?2) "
            "ON CONFLICT (name) DO UPDATE SET last_seen = excluded.last_seen",
            (author, format_time(at)),
        )

    def _last_note(self) -> Note | None:
        rows = self._connection.execute("SELECT * FROM notes ORDER BY idx DESC LIMIT 1")
        return next((_note(row) for row in rows), None)

    def notes(self) -> list[Note]:
        """All notes in order."""
        return [_note(row) for row in self._connection.execute("SELECT * FROM notes ORDER BY idx")]

    def count(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM notes").fetchone()[0])

    def manifestations(self) -> list[str]:
        return [str(row[0]) for row in self._connection.execute("SELECT name FROM manifestations ORDER BY name")]

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """One read transaction: everything read within belongs to the same moment."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("COMMIT")

    def seal(self, facts: dict[str, str]) -> None:
        """Store `facts`, set the state, and make the database itself refuse later notes.

        Call it inside `writing()`.
        """
        self.set_meta({"state": "sealed", **facts})
        for trigger in SEAL_TRIGGERS.splitlines():
            self._connection.execute(trigger)

    def unseal(self) -> None:
        """Take notes again (`--force` with a final note). Call it inside `writing()`."""
        for verb in ("insert", "update", "delete"):
            self._connection.execute(f"DROP TRIGGER IF EXISTS sealed_{verb}")
        self.set_meta({"state": "open"})

    def fold_log(self) -> bool:
        """Fold the write-ahead log into the database and drop it; only possible for a sole user.

        Says whether it was: a refusal means that another process has the database open. After a
        yes, a connection that was opened but never used can no longer write to it.
        """
        try:
            # Whoever reads at this moment makes it a refusal, not a wait.
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            row = self._connection.execute("PRAGMA journal_mode=DELETE").fetchone()
        except sqlite3.OperationalError:
            return False
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
        return str(row[0]) == "delete"

    def quick_check(self) -> list[str]:
        """What SQLite finds wrong with the file; empty when all is well."""
        rows = [str(row[0]) for row in self._connection.execute("PRAGMA quick_check(10)")]
        return [] if rows == ["ok"] else rows


def _note(row: tuple[int, str, str, str, str]) -> Note:
    idx, at, author, text, note_digest = row
    return Note(idx, parse_time(at), author, text, note_digest)
