"""Whether evidence that cannot be found was ever in this terrain: else it may lie in another one.

A memory of the home goes along into every terrain, while the notes and local memories it rests on stay
where they were written. So a link of it that leads nowhere is damage only where something here still
speaks of what is missing. What is in doubt counts as being of here.
"""

import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from tur.codec.timeline import parse_timeline
from tur.errors import TurError
from tur.ids import MEMORY_ID, SESSION_ID, memory_of_uri, session_of_uri
from tur.model.memory import Memory, MemoryLink, MemoryType, Relation
from tur.paths import memory_file_name
from tur.store.audit import AuditFile
from tur.store.files import read_file
from tur.store.store import Store
from tur.store.tombstones import SUFFIX, list_tombstones, read_tombstone

_IDS = re.compile(f"(?:{SESSION_ID.pattern})|(?:{MEMORY_ID.pattern})".encode())


class Traces:
    """The traces of sessions and memories in one terrain, and in the home of its persona.

    Nothing is read before it is asked for, and then once; so one is good for one look at the store.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def is_elsewhere(self, memory: Memory, link: MemoryLink) -> bool:
        """Whether a link of `memory`, whose target was not found, may point into another terrain."""
        if not self._lies_in_home(memory) or (memory.session is not None and self._knows(memory.session)):
            return False
        session_id = session_of_uri(link.uri)
        if session_id is not None:
            return not self._knows(session_id)
        target = memory_of_uri(link.uri)
        if target is None or target in self._decided or self._has_file(target):
            return False
        # What a core memory takes the place of is a core memory, and those lie in the home.
        replaces = link.relation in (Relation.SUPERSEDES, Relation.MERGES)
        return not (memory.type is MemoryType.CORE and replaces) and not self._knows(target)

    def _lies_in_home(self, memory: Memory) -> bool:
        path = self._store.memories.path_of(memory.id)
        return path is not None and path.is_relative_to(self._store.home.persona(self._store.persona_id))

    def _has_file(self, memory_id: str) -> bool:
        """Whether something that is no readable file lies where the memory should, as a broken symlink does."""
        return any(os.path.lexists(folder / memory_file_name(memory_id)) for folder in self._store.memories.folders())

    def _knows(self, one: str) -> bool:
        """Whether this terrain names the session or memory."""
        return one in self._named or any(one in _named_in(self._store, path) for path in self._mentions.get(one, ()))

    @cached_property
    def _decided(self) -> frozenset[str]:
        """The core memories that a human decided on: the home has, or had, them all."""
        log = AuditFile(self._store.home, self._store.persona_id).read()
        return frozenset(entry.id for entry in log.entries if entry.id is not None and entry.digest is not None)

    @cached_property
    def _named(self) -> set[str]:
        """Sessions and memories that names of files, the terrain's pointers and live databases tell."""
        sessions, state = self._store.sessions, self._store.sessions.state()
        named = {*sessions.ids(), *list_tombstones(self._store.terrain, self._store.persona_id)}
        named.update(one for one in (state.active_session, state.last_session) if one is not None)
        for session_id in sessions.with_database():
            try:
                named.add(sessions.load(session_id).parent_session_id or session_id)
            except TurError:
                continue
        for folder in self._quarantines():
            for path in folder.rglob("*"):
                named.update(_ids(path.name.encode()))
                if path.name == "reason.json":
                    named.update(_ids(_bytes(path)))
        return named

    def _quarantines(self) -> Iterator[Path]:
        home = self._store.home.persona(self._store.persona_id)
        for root in (self._store.terrain.root, home, *(one.parent for one in self._store.memories.folders())):
            yield root / "quarantine"

    @cached_property
    def _mentions(self) -> dict[str, list[Path]]:
        """The terrain's files in which an id stands anywhere: parsing them all would take far longer."""
        terrain, persona_id = self._store.terrain, self._store.persona_id
        found: dict[str, list[Path]] = {}
        for folder, pattern in (
            (terrain.timelines(persona_id), "*.yaml"),
            (terrain.archive(persona_id), "*.yaml"),
            (terrain.memories(persona_id, "active"), "*.md"),
            (terrain.memories(persona_id, "archive"), "*.md"),
        ):
            for path in sorted(folder.glob(pattern)):
                for one in _ids(_bytes(path)):
                    found.setdefault(one, []).append(path)
        return found


def _named_in(store: Store, path: Path) -> set[str]:
    """The sessions and memories that a file names where it counts; an id in a text that someone wrote does not."""
    try:
        if path.suffix == ".md":
            return _named_by_memory(store.memories.read(path))
        if path.name.endswith(SUFFIX):
            stone = read_tombstone(path)
            return {stone.parent_session_id or "", *stone.derived_memory_ids}
        session = parse_timeline(read_file(path))
        return {session.parent_session_id or "", *session.consolidation.derived_memory_ids}
    except (TurError, OSError):
        return _ids(_bytes(path))


def _named_by_memory(memory: Memory) -> set[str]:
    uris = [link.uri for link in memory.links]
    entries = memory.lifecycle
    linked = [one for uri in uris for one in (session_of_uri(uri), memory_of_uri(uri))]
    told = [one for entry in entries for one in (entry.session, entry.successor)]
    return {one for one in (memory.session, *linked, *told) if one is not None}


def _ids(data: bytes) -> set[str]:
    return {one.decode() for one in _IDS.findall(data)}


def _bytes(path: Path) -> bytes:
    try:
        return read_file(path)
    except (TurError, OSError):
        return b""
