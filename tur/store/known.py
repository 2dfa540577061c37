"""What earlier surveys of the sessions read, so that the next one need not read it again.

Kept beside the index of memories and, like it, derived: a file that looks otherwise than it did is
read again, and whatever is wrong with what was kept is as if nothing had been kept.
"""

import contextlib
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from tur.policy.retention import SessionRecord
from tur.store.index import connect_existing

StoredTimeline = tuple[bool, int, int, int]
"""A timeline's file as its folder lists it: whether in the archive, size, modification time, inode."""

KEPT_FROM = 100
"""From how many sessions that were read anew it is worth while to write them down."""

_TABLE = "CREATE TABLE IF NOT EXISTS timelines (session TEXT PRIMARY KEY, files TEXT NOT NULL, record TEXT NOT NULL)"
_NAMES = tuple(one.name for one in fields(SessionRecord))
_TIMES = tuple(at for at, name in enumerate(_NAMES) if name in ("started_at", "ended_at"))
_AGENTS = _NAMES.index("agents")


@dataclass
class KnownRecords:
    """Records by session id, each with the files it was read from.

    Only of sessions that are no more than a timeline: whatever has a folder may change in a database.
    """

    facts: dict[str, tuple[tuple[StoredTimeline, ...], SessionRecord]] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    loaded: bool = False

    def record(self, session_id: str, files: tuple[StoredTimeline, ...]) -> SessionRecord | None:
        """What was read of a session, if its files looked like this then."""
        there = self.facts.get(session_id)
        return there[1] if there is not None and there[0] == files else None

    def keep(self, files: tuple[StoredTimeline, ...], record: SessionRecord) -> None:
        """Remember what was read from these files. A damaged one is looked at again each time."""
        if not record.damaged:
            self.facts[record.id] = files, record
            self.fresh.add(record.id)

    def load(self, path: Path) -> None:
        """Take in, once, what was written down in the index's file."""
        if self.loaded:
            return
        self.loaded = True
        with contextlib.suppress(sqlite3.Error, OSError, ValueError, TypeError, KeyError):
            with closing(connect_existing(path)) as connection:
                rows = connection.execute("SELECT session, files, record FROM timelines").fetchall()
            for session_id, files, record in rows:
                self.facts.setdefault(session_id, (tuple(map(tuple, json.loads(files))), _record(json.loads(record))))

    def save(self, path: Path, there: set[str]) -> None:
        """Write down what is new, and strike out sessions that are not `there`; a busy or read-only index is let be."""
        gone = self.facts.keys() - there
        for one in gone:
            del self.facts[one]
        if len(self.fresh) < KEPT_FROM:
            return
        rows = [
            (one, json.dumps(self.facts[one][0]), json.dumps(_values(self.facts[one][1])))
            for one in self.fresh
            if one in self.facts
        ]
        with contextlib.suppress(sqlite3.Error, OSError), closing(connect_existing(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_TABLE)
            connection.executemany("INSERT OR REPLACE INTO timelines VALUES (?, ?, ?)", rows)
            kept = {row[0] for row in connection.execute("SELECT session FROM timelines")}
            connection.executemany("DELETE FROM timelines WHERE session = ?", [(one,) for one in kept - there])
            connection.execute("COMMIT")
            self.fresh.clear()


def _values(record: SessionRecord) -> list[object]:
    values = [getattr(record, name) for name in _NAMES]
    return [value.isoformat() if isinstance(value, datetime) else value for value in values]


def _record(values: list[Any]) -> SessionRecord:
    if len(values) != len(_NAMES):
        raise ValueError("written by another version")
    for at in _TIMES:
        values[at] = datetime.fromisoformat(str(values[at]))
    values[_AGENTS] = tuple(values[_AGENTS])
    return SessionRecord(*values)
