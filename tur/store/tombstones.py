"""What stays of a deleted session: a tombstone with the hashes of its notes, so that lineage still verifies.

It lies in `sessions/archive/<session_id>.tombstone.yaml` and holds no text of any note. It counts
only when there is no timeline any more: with one beside it, a deletion was begun and not finished.
"""

import os
import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tur.clock import parse_time
from tur.codec.yamlio import dump_mapping, load_mapping
from tur.errors import StoreCorrupt
from tur.ids import SESSION_ID
from tur.model.session import SessionNotes
from tur.paths import TerrainPaths
from tur.store.files import read_file, write_file

LIMIT = 16 * 1024 * 1024
"""Largest tombstone that is read, in bytes."""

SUFFIX = ".tombstone.yaml"
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A deleted session. Times are aware UTC; `note_hashes` has the hash (64 hex digits) of each note by its number."""

    session_id: str
    pruned_at: datetime
    why: str
    parent_session_id: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    manifestations: tuple[str, ...] = ()
    derived_memory_ids: tuple[str, ...] = ()
    note_hashes: dict[int, str] = field(default_factory=dict)


def tombstone_path(terrain: TerrainPaths, persona_id: str, session_id: str) -> Path:
    """Where the tombstone of a session lies or would lie."""
    timeline = terrain.timeline(persona_id, session_id, archived=True)
    return timeline.with_name(timeline.stem + SUFFIX)


def tombstone_of(session: SessionNotes, pruned_at: datetime, why: str) -> Tombstone:
    """The tombstone for a session that is about to be deleted."""
    return Tombstone(
        session_id=session.session_id,
        pruned_at=pruned_at,
        why=why,
        parent_session_id=session.parent_session_id,
        started_at=session.started_at,
        ended_at=session.ended_at,
        manifestations=tuple(session.manifestations),
        derived_memory_ids=tuple(session.consolidation.derived_memory_ids),
        note_hashes={note.idx: note.hash for note in session.notes},
    )


def render_tombstone(stone: Tombstone) -> bytes:
    """The bytes of a tombstone's file."""
    return dump_mapping(
        {
            "type": "Tur tombstone",
            "session_id": stone.session_id,
            "parent_session_id": stone.parent_session_id,
            "started_at": stone.started_at,
            "ended_at": stone.ended_at,
            "pruned_at": stone.pruned_at,
            "why": stone.why,
            "manifestations": list(stone.manifestations),
            "derived_memory_ids": list(stone.derived_memory_ids),
            "note_hashes": {str(idx): digest for idx, digest in stone.note_hashes.items()},
        }
    ).encode()


def write_tombstone(terrain: TerrainPaths, persona_id: str, stone: Tombstone) -> Path:
    """Write a tombstone durably and read it back. Raises StoreCorrupt when it does not say the same."""
    path = tombstone_path(terrain, persona_id, stone.session_id)
    write_file(path, render_tombstone(stone))
    if read_tombstone(path) != stone:
        raise StoreCorrupt(f"{path} does not read back as it was written", path=str(path))
    return path


def read_tombstone(path: Path) -> Tombstone:
    """Read a tombstone. Raises FileNotFoundError, or StoreCorrupt naming what is wrong."""
    what = f"tombstone {path}"
    fields = load_mapping(read_file(path, limit=LIMIT).decode("utf-8", errors="replace"), limit=LIMIT, what=what)
    hashes = fields.get("note_hashes") or {}
    if not isinstance(hashes, dict):
        raise StoreCorrupt(f"{what}: note_hashes is not a mapping of note number to hash")
    try:
        note_hashes = {int(idx): str(digest) for idx, digest in hashes.items()}
        if not all(idx > 0 and _HASH.fullmatch(digest) for idx, digest in note_hashes.items()):
            raise ValueError("note_hashes holds something that is no hash of a note")
        session_id = str(fields.get("session_id"))
        if session_id != path.name.removesuffix(SUFFIX):
            raise ValueError(f"its session is {session_id!r}")
        pruned_at = _time(fields, "pruned_at")
        if pruned_at is None:
            raise ValueError("pruned_at is missing")
        return Tombstone(
            session_id=session_id,
            pruned_at=pruned_at,
            why=str(fields.get("why") or ""),
            parent_session_id=str(fields["parent_session_id"]) if fields.get("parent_session_id") else None,
            started_at=_time(fields, "started_at"),
            ended_at=_time(fields, "ended_at"),
            manifestations=_texts(fields, "manifestations"),
            derived_memory_ids=_texts(fields, "derived_memory_ids"),
            note_hashes=note_hashes,
        )
    except ValueError as error:
        raise StoreCorrupt(f"{what}: {error}", path=str(path)) from error


def find_tombstone(terrain: TerrainPaths, persona_id: str, session_id: str) -> Tombstone | None:
    """The tombstone of a session, or None when there is none. Raises StoreCorrupt when it cannot be read."""
    try:
        return read_tombstone(tombstone_path(terrain, persona_id, session_id))
    except FileNotFoundError:
        return None


def list_tombstones(terrain: TerrainPaths, persona_id: str) -> list[str]:
    """The ids of the sessions that have a tombstone, oldest first."""
    try:
        names = os.listdir(terrain.archive(persona_id))
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = (name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))
    return sorted(one for one in found if SESSION_ID.fullmatch(one))


def _time(fields: dict[str, object], key: str) -> datetime | None:
    value = fields.get(key)
    return None if value is None else parse_time(str(value))


def _texts(fields: dict[str, object], key: str) -> tuple[str, ...]:
    value = fields.get(key) or []
    if not isinstance(value, list):
        raise ValueError(f"{key} is not a list")
    return tuple(map(str, value))
