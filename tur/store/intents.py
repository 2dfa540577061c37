"""Intents: what a steward is about to do, written down first, so that whoever comes next can finish it.

An intent grants nothing. It is carried out only when the audit log holds the very line it was
written for; otherwise the act never happened, and the intent is dropped.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tur.clock import format_time, parse_time
from tur.errors import StoreCorrupt, TurError
from tur.ids import MEMORY_ID
from tur.model.memory import LifecycleEntry, Status
from tur.paths import HomePaths
from tur.store.files import make_folder, read_file, remove_file, write_file

LIMIT = 2 * 1024 * 1024
PLACES = ("active", "archive", "quarantine")
"""Where an act may put a memory's file: in force, forgotten, or aside because its text was lost."""


@dataclass(frozen=True, slots=True)
class Intent:
    """The change of one memory's file that belongs to one line of the audit log.

    `line` is the hash of that line. `after` is how many lifecycle entries there were before.
    `folder` is where the file goes, None when it stays. `text` is the whole new file when more than
    its lifecycle changes.
    """

    line: str
    memory_id: str
    entry: LifecycleEntry
    after: int
    folder: str | None = None
    text: str | None = None


def intents_folder(home: HomePaths, persona_id: str) -> Path:
    """Where the intents of a persona's stewards lie."""
    return home.persona(persona_id) / "intents"


def write_intent(folder: Path, intent: Intent) -> Path:
    """Write an intent durably; gives its file."""
    entry = intent.entry
    path = folder / f"{intent.line}.json"
    make_folder(folder)
    facts = {
        "line": intent.line,
        "memory": intent.memory_id,
        "after": intent.after,
        "folder": intent.folder,
        "text": intent.text,
        "entry": {
            "at": format_time(entry.at),
            "status": entry.status.value,
            "by": entry.by,
            "session": entry.session,
            "reason": entry.reason,
            "successor": entry.successor,
            "verified": entry.verified,
        },
    }
    write_file(path, (json.dumps(facts, sort_keys=True) + "\n").encode())
    return path


def list_intents(folder: Path) -> list[tuple[Path, Intent | None]]:
    """Every intent with its file, None for one that cannot be read."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json") and not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [(folder / name, _read(folder / name)) for name in names]


def drop_intent(path: Path) -> None:
    """The act is done, or never happened."""
    remove_file(path)


def _read(path: Path) -> Intent | None:
    try:
        facts = json.loads(read_file(path, limit=LIMIT))
        entry, memory_id, folder, text = facts["entry"], facts["memory"], facts["folder"], facts["text"]
        if not MEMORY_ID.fullmatch(memory_id) or folder not in (None, *PLACES) or not isinstance(text, str | None):
            raise StoreCorrupt(f"{path} makes no sense")
        return Intent(
            line=str(facts["line"]),
            memory_id=memory_id,
            entry=LifecycleEntry(
                at=parse_time(entry["at"]),
                status=Status(entry["status"]),
                by=str(entry["by"]),
                session=entry["session"],
                reason=entry["reason"],
                successor=entry["successor"],
                verified=bool(entry["verified"]),
            ),
            after=int(facts["after"]),
            folder=folder,
            text=text,
        )
    except (TurError, OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
