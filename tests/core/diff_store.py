"""A store on disk for the tests of `tur diff`: sessions and memories written as the program writes them."""

import os
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from tests.core.diff_ledger import END, START, memory
from tur.clock import FixedClock
from tur.codec.seal import memory_id, memory_seal, note_hash
from tur.codec.timeline import render_timeline
from tur.ids import note_uri
from tur.model.memory import LifecycleEntry, Memory, MemoryLink, MemoryType, Relation, Scope
from tur.model.note import Note
from tur.model.session import SessionNotes, SessionState
from tur.paths import HomePaths, TerrainPaths
from tur.store.files import write_file
from tur.store.index import open_index
from tur.store.store import Store, open_store

PERSONA = "12345678-1234-1234-1234-123456789abc"


class World:
    """A home and a terrain under one folder, at a clock that stands still."""

    def __init__(self, folder: Path, now: datetime = END) -> None:
        self.home = HomePaths(folder / "home")
        self.terrain = TerrainPaths(folder / "project" / ".tur")
        self.project = folder / "project"
        write_file(self.terrain.state, f"persona: {PERSONA}\n".encode())
        write_file(
            self.home.persona_file(PERSONA),
            f"id: {PERSONA}\nname: Test\ncreated_at: '2026-01-01T00:00:00Z'\n".encode(),
        )
        self.folder = folder
        self.now = now

    def store(self) -> Store:
        return open_store(self.home, self.terrain, FixedClock(self.now), self.folder / "config")

    def add(self, made: Memory) -> Memory:
        """Store a memory under the id that its content has."""
        identity = memory_id(made.scope, made.type, made.content, made.core)
        sealed = replace(made, id=identity, seal=memory_seal(identity, made.timestamp, made.links))
        stored, new = self.store().memories.add(sealed)
        assert new
        return stored

    def learn(
        self,
        content: str,
        *,
        born: datetime = START,
        session: str | None = None,
        type: MemoryType = MemoryType.FACT,
        scope: Scope = Scope.INCARNATION,
        then: Iterable[LifecycleEntry] = (),
        note: int | None = None,
    ) -> Memory:
        made = memory("0", content, born=born, session=session, type=type, scope=scope, then=then)
        if note is not None and session is not None:
            made = replace(made, links=(MemoryLink(note_uri(session, note), Relation.CONSOLIDATED_FROM),))
        return self.add(made)

    def befall(self, known: Memory, entry: LifecycleEntry) -> None:
        self.store().memories.append(known.id, lambda _: entry)

    def session(
        self,
        session_id: str,
        *,
        parent: str | None = None,
        started: datetime | None = None,
        ended: datetime | None = None,
        archived: bool = False,
        notes: Iterable[str] = (),
        active: bool = False,
    ) -> str:
        """Write a session's timeline; an active one is also what the terrain's state names."""
        chain: list[Note] = []
        for idx, text in enumerate(notes, 1):
            at = started or START
            digest = note_hash(chain[-1].hash if chain else None, idx, at, "antigravity", text)
            chain.append(Note(idx, at, "antigravity", text, digest))
        told = SessionNotes(
            session_id=session_id,
            parent_session_id=parent,
            state=SessionState.OPEN if active else SessionState.ENDED,
            started_at=started,
            ended_at=ended,
            notes=chain,
        )
        write_file(self.terrain.timeline(PERSONA, session_id, archived=archived), render_timeline(told))
        if active:
            write_file(self.terrain.state, f"persona: {PERSONA}\nactive_session: {session_id}\n".encode())
        return session_id

    def index(self) -> None:
        """Bring the derived index up to date, as every writing verb does."""
        store = self.store()
        with open_index(store.terrain.index, store.memories):
            pass

    def path(self, known: Memory) -> Path:
        found = self.store().memories.path_of(known.id)
        assert found is not None
        return found

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        command = ["git", *identity, *arguments]
        # Committed when the fixed clock says, whatever the machine's says.
        dated = {**os.environ, "GIT_COMMITTER_DATE": f"{self.now.timestamp():.0f} +0000"}
        found = subprocess.run(command, cwd=self.project, capture_output=True, check=True, text=True, env=dated)
        return found.stdout

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "memories")
