"""Small real stores for the tests of retention: sessions of any kind and age, made without a dream."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.killing import killed_at
from tur.clock import FixedClock, format_time
from tur.codec.seal import note_hash
from tur.codec.timeline import parse_timeline, render_timeline
from tur.model.note import Note
from tur.model.session import SessionConsolidationInfo, SessionNotes, SessionState
from tur.paths import HomePaths, TerrainPaths
from tur.store.files import make_folder, write_file
from tur.store.personas import create_persona
from tur.store.session_db import SessionDatabase
from tur.store.state import change_terrain_state
from tur.store.store import Store, open_store

# In memory where there is such a place: stores made by the dozen need not wait for a disk.
FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

NOW = datetime(2026, 10, 20, 12, 0, tzinfo=UTC)


def make_store(folder: Path, now: datetime = NOW) -> Store:
    """An empty terrain and home in `folder`, at a clock that stands still."""
    home, terrain = HomePaths(folder / "home"), TerrainPaths(folder / "project" / ".tur")
    clock = FixedClock(now)
    make_folder(terrain.sessions)
    persona = create_persona(home, clock, "Golem", [])
    change_terrain_state(terrain.state, persona=persona.id)
    return open_store(home, terrain, clock, folder / "config" / "tur")


def reopened(store: Store, now: datetime | None = None) -> Store:
    """The store as a new process finds it, perhaps at another time."""
    return open_store(store.home, store.terrain, FixedClock(now or store.clock.now()), store.config)


def make_notes(count: int, begin: datetime, author: str, label: str = "step") -> list[Note]:
    notes: list[Note] = []
    for idx in range(1, count + 1):
        at = begin + timedelta(seconds=idx)
        text = f"{label} {idx}: the build took {idx} minutes"
        notes.append(Note(idx, at, author, text, note_hash(notes[-1].hash if notes else None, idx, at, author, text)))
    return notes


def add_session(
    store: Store,
    *,
    days_ago: float,
    notes: int = 2,
    consolidated: bool = True,
    seen: int | None = None,
    state: SessionState = SessionState.ENDED,
    database: bool = True,
    archived: bool = False,
    active: bool = False,
    author: str = "pi",
    label: str = "step",
) -> str:
    """Make one session that ended `days_ago`; `seen` is how many notes its dream saw, all unless told otherwise."""
    ended = store.clock.now() - timedelta(days=days_ago)
    started = ended - timedelta(minutes=10)
    session_id = f"{started:%Y%m%d_%H%M%S}_{store.clock.token()}"
    written = make_notes(notes, started, author, label)
    info = SessionConsolidationInfo()
    if consolidated:
        count = notes if seen is None else seen
        info = SessionConsolidationInfo(
            consolidated=True, consolidated_at=ended, consolidation_model="test", note_count_at_consolidation=count
        )
    if database:
        meta = {"session_id": session_id, "persona_id": store.persona_id, "started_at": format_time(started)}
        meta["consolidation"] = info.model_dump_json()
        SessionDatabase.create(store.terrain.session_db(session_id), meta, written, token=store.clock.token())
        with store.sessions.database(session_id) as live:
            for note in written:
                live.join(note.at, note.author)
            if state is not SessionState.OPEN:
                with live.writing():
                    live.seal({"state": state.value, "ended_at": format_time(ended), "ledger_delta": json.dumps({})})
        store.sessions.project(session_id)
    else:
        session = SessionNotes(
            session_id=session_id,
            persona_id=store.persona_id,
            state=state,
            started_at=started,
            ended_at=ended if state is not SessionState.OPEN else None,
            manifestations=[author],
            consolidation=info,
            notes=written,
        )
        write_file(store.terrain.timeline(store.persona_id, session_id, archived=archived), render_timeline(session))
    # A state that names no session at all was lost, and the newest open session then counts as active.
    pointer = "active_session" if active else "last_session"
    change_terrain_state(store.terrain.state, **{pointer: session_id})
    return session_id


def all_notes(store: Store) -> dict[str, list[str]]:
    """Session id -> the hashes of its notes, for every session that can still be read."""
    return {one: [note.hash for note in store.sessions.load(one).notes] for one in store.sessions.ids()}


def tree(store: Store) -> dict[str, bytes]:
    """Every file of the terrain that holds something, by its path; lock files and SQLite's shared memory are none."""
    root = store.terrain.root
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.endswith((".lock", "-shm", "-wal"))
    }


def archived_ids(store: Store) -> set[str]:
    folder = store.terrain.archive(store.persona_id)
    return {path.stem for path in folder.glob("*.yaml") if "tombstone" not in path.name}


def primary_ids(store: Store) -> set[str]:
    return {path.stem for path in store.terrain.timelines(store.persona_id).glob("*.yaml")}


def database_ids(store: Store) -> set[str]:
    return {path.name for path in store.terrain.sessions.glob("*")}


def read_archived(store: Store, session_id: str) -> SessionNotes:
    return parse_timeline(store.terrain.timeline(store.persona_id, session_id, archived=True).read_bytes())


def die_at(place: int, act: Callable[[], object]) -> None:
    """Run an act in a process of its own that is killed (SIGKILL) at its fault point number `place`, from 0."""
    assert killed_at(place, act), f"point {place} was not reached"
