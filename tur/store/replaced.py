"""What became of a memory whose text is lost: a hand edit of it was accepted, and its text was known to nobody.

Two records say so: the line of the audit log, and the edited file itself, which lies in the
memories' `quarantine` folder with its successor in its lifecycle.
"""

import os
import re
from dataclasses import dataclass
from datetime import datetime

from tur.codec.memory_file import parse_memory
from tur.errors import TurError
from tur.ids import MEMORY_ID, memory_prefix, short_id
from tur.model.audit import Act
from tur.model.memory import Status
from tur.paths import memory_file_name
from tur.store.audit import AuditFile
from tur.store.files import read_file
from tur.store.memories import MEMORY_FILE_LIMIT
from tur.store.store import Store

_SUCCESSOR = re.compile(r"its edit is ([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Replacement:
    """`successor` took the place of `memory_id`, whose text was lost to a hand edit that `by` accepted."""

    memory_id: str
    successor: str
    at: datetime
    by: str

    @property
    def told(self) -> str:
        """The same in words, to be put after the name of the lost memory and a colon."""
        return (
            f"its text was lost to an edit by hand, accepted by {self.by} on {self.at:%Y-%m-%d}; "
            f"{short_id(self.successor)} took its place"
        )


def edit_reason(successor: str) -> str:
    """How the audit log names the memory that an accepted edit became."""
    return f"its edit is {successor}"


def find_replacement(store: Store, given: str) -> Replacement | None:
    """What took the place of a memory that has no file any more, by its id or a unique beginning of it.

    None when it has a file, when no record speaks of it, or when several begin so. Raises
    InvalidInput for what is no id.
    """
    prefix = memory_prefix(given)
    found = {**_in_quarantine(store, prefix), **_in_log(store, prefix)}
    lost = [one for memory_id, one in found.items() if store.memories.path_of(memory_id) is None]
    return lost[0] if len(lost) == 1 else None


def _in_log(store: Store, prefix: str) -> dict[str, Replacement]:
    found = {}
    for entry in AuditFile(store.home, store.persona_id).read().entries:
        if entry.act is not Act.ACCEPT_EDIT or entry.id is None or not entry.id.startswith(prefix):
            continue
        successor = _SUCCESSOR.fullmatch(entry.reason or "")
        if successor is not None:
            found[entry.id] = Replacement(entry.id, successor[1], entry.at, entry.actor)
    return found


def _in_quarantine(store: Store, prefix: str) -> dict[str, Replacement]:
    """A terrain that came with git tells it even where the audit log is another one."""
    found = {}
    for folder in dict.fromkeys(one.parent / "quarantine" for one in store.memories.folders()):
        for memory_id in _ids(folder, prefix):
            try:
                memory = parse_memory(read_file(folder / memory_file_name(memory_id), limit=MEMORY_FILE_LIMIT))
            except (TurError, OSError):
                continue
            last = memory.lifecycle[-1] if memory.lifecycle else None
            if memory.id != memory_id or last is None or last.status is not Status.SUPERSEDED:
                continue
            if last.successor is not None and MEMORY_ID.fullmatch(last.successor):
                found[memory_id] = Replacement(memory_id, last.successor, last.at, last.by)
    return found


def _ids(folder: os.PathLike[str], prefix: str) -> list[str]:
    try:
        names = [name.removesuffix(".md") for name in os.listdir(folder) if name.startswith(prefix)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [name for name in names if MEMORY_ID.fullmatch(name)]
