"""What the top line tells, what the command palette finds, and whether anybody wrote to the store."""

import os
from pathlib import Path

from tur.errors import TurError
from tur.ids import short_id
from tur.model.memory import MemoryType, Status
from tur.policy.display import one_line
from tur.progress import Progress
from tur.store.index import open_index
from tur.store.store import Store
from tur_tui.reading.shared import (
    Chrome,
)


def read_chrome(store: Store) -> Chrome:
    """Persona, project and how many core memories await a decision."""
    with open_index(store.terrain.index, store.memories, refresh=False) as index:
        pending = index.count(types=[MemoryType.CORE], status=Status.PENDING_APPROVAL)
    return Chrome(store.persona.name, store.terrain.root.parent.name, pending)


def refresh_index(store: Store, progress: Progress) -> bool:
    """Bring the index up to date with the files, and say whether it was behind; the readings take it as it stands."""
    behind = False

    def tell(done: int, total: int) -> None:
        nonlocal behind
        behind = True
        progress(done, total)

    with open_index(store.terrain.index, store.memories, progress=tell):
        return behind


def store_stamp(store: Store) -> tuple[object, ...]:
    """Something that differs once anybody wrote to the store; only looks at times and sizes."""
    paths: list[Path] = [
        store.terrain.state,
        store.terrain.sessions,
        store.terrain.timelines(store.persona_id),
        store.terrain.archive(store.persona_id),
        *store.memories.folders(),
        store.home.audit(store.persona_id),
    ]
    try:
        active = store.sessions.active()
    except TurError:
        active = None
    if active is not None:
        database = store.terrain.session_db(active)
        paths += [database, database.with_name(database.name + "-wal")]
    return tuple(map(_stamp, paths))


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def find_anything(store: Store, words: str, limit: int = 50) -> list[tuple[str, str, str]]:
    """Memories and sessions for the command palette: what kind, its id, and how it is told."""
    with open_index(store.terrain.index, store.memories, refresh=False) as index:
        found = [("memory", entry.id) for entry in index.search(words, all_statuses=True, limit=limit)]
        prefix = words.strip().removeprefix("concept-").lower()
        if len(prefix) >= 4:
            found += [("memory", one) for one in sorted(store.memories.ids()) if one.startswith(prefix)][:limit]
    told = [("memory", one, f"{short_id(one)} {_title(store, one)}") for _, one in dict.fromkeys(found)]
    sessions = [one for one in reversed(store.sessions.ids()) if words.strip() and words.strip() in one]
    return (told + [("session", one, f"session {one}") for one in sessions])[:limit]


def _title(store: Store, memory_id: str) -> str:
    try:
        return one_line(store.memories.get(memory_id).content, 100)
    except (TurError, OSError):
        return ""
