"""A terrain's sessions: which is active, their timelines, and the order in which one follows another.

While a session lives, its database is the truth and the YAML timeline a projection of it. Once it
has ended the timeline is complete in itself, beside the live ones or in `archive/`.
"""

import contextlib
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tur.clock import Clock, format_time, parse_time
from tur.codec.seal import verify_chain
from tur.errors import ConfigError, InvalidInput, NotFound, SessionSealed, StoreCorrupt, TurError
from tur.ids import SESSION_ID, check_session_prefix, match_prefix, new_session_id
from tur.model.note import Note
from tur.paths import TerrainPaths
from tur.store.files import move_file, read_file, remove_file, write_file
from tur.store.locks import locked
from tur.store.session_db import SessionDatabase
from tur.store.state import TerrainState, change_terrain_state, read_terrain_state

if TYPE_CHECKING:
    from tur.model.session import SessionNotes


LISTED = "`tur-adm session list` lists the sessions."
"""What helps somebody who named a session that is not there."""


class SessionStore:
    """The sessions of one persona on one terrain."""

    def __init__(self, terrain: TerrainPaths, persona_id: str, clock: Clock) -> None:
        self._terrain = terrain
        self._persona_id = persona_id
        self._clock = clock

    # -- which session ------------------------------------------------------------------------

    def state(self) -> TerrainState:
        """Which session is active and which ended last; where what named them was lost, as `begin` finds them."""
        state = read_terrain_state(self._terrain.state)
        try:
            return self._found_again(state)
        except TurError:
            # A damaged session hides which it is; `begin` says so.
            return state

    def active(self) -> str | None:
        """The session that takes notes now, if there is one."""
        return self.state().active_session

    def begin(self) -> tuple[str, bool]:
        """The open session's id, making a new one when none is open; says whether it was made.

        Of two processes that begin at the same moment, both get the same session. A sealed
        session that is still being finished is left to its sleeper; the new one is its child.
        """
        written = read_terrain_state(self._terrain.state)
        if written.active_session and self._is_open(written.active_session):
            return written.active_session, False
        with locked(self._terrain.lock):
            written = read_terrain_state(self._terrain.state)
            state = self._found_again(written)
            session_id, made = state.active_session, False
            if session_id is None or not (self._is_open(session_id) or self._revive(session_id)):
                session_id, made = self._make(parent=session_id or state.last_session), True
            if session_id != written.active_session:
                change_terrain_state(self._terrain.state, active_session=session_id)
            return session_id, made

    def _found_again(self, written: TerrainState) -> TerrainState:
        """A state that names no session, with what the sessions tell: it was lost, or stayed behind in a clone.

        Active is the newest session that is open, and last the one before it; with none open, the newest there is a
        trace of.
        """
        if not written.names_no_session:
            return written
        active = next((one for one in reversed(self.with_database()) if self._is_open(one)), None)
        last = next(reversed(self.ids()), None) if active is None else self.load(active).parent_session_id
        return replace(written, active_session=active, last_session=last)

    def _make(self, parent: str | None) -> str:
        now = self._clock.now()
        session_id = new_session_id(now, self._clock.token())
        while self._terrain.session(session_id).exists():
            session_id = new_session_id(now, self._clock.token())
        meta = {"session_id": session_id, "persona_id": self._persona_id, "started_at": format_time(now)}
        if parent:
            meta["parent_session_id"] = parent
        SessionDatabase.create(self._terrain.session_db(session_id), meta, [], token=self._clock.token())
        return session_id

    def _is_open(self, session_id: str) -> bool:
        path = self._terrain.session_db(session_id)
        try:
            with SessionDatabase.open(path, read_only=True) as database:
                return database.state() == "open"
        except NotFound:
            return False

    def _revive(self, session_id: str) -> bool:
        """Make the database of an open session anew from its timeline, as after a git clone."""
        if self.has_database(session_id):
            return False
        try:
            timeline = self.timeline(session_id)
        except NotFound:
            return False
        if timeline.state != "open":
            return False
        self.rebuild_database(session_id)
        return True

    def rebuild_database(self, session_id: str) -> None:
        """Make a session's database from its timeline. Raises StoreCorrupt when the chain is broken.

        A write-ahead log that lost its database is set aside, since SQLite would take it for the new one's.
        """
        import json

        timeline = self.timeline(session_id)
        broken = verify_chain(timeline.notes)
        if broken is not None:
            raise StoreCorrupt(f"session {session_id}: the chain of notes is broken at note {broken}")
        meta = {"session_id": session_id, "persona_id": timeline.persona_id or self._persona_id}
        meta["state"] = timeline.state.value
        if timeline.parent_session_id:
            meta["parent_session_id"] = timeline.parent_session_id
        started = timeline.started_at or (timeline.notes[0].at if timeline.notes else self._clock.now())
        meta["started_at"] = format_time(started)
        if timeline.consolidation.consolidated:
            meta["consolidation"] = timeline.consolidation.model_dump_json()
        if timeline.ledger_delta:
            meta["ledger_delta"] = json.dumps(timeline.ledger_delta, sort_keys=True)
        if timeline.ended_at:
            meta["ended_at"] = format_time(timeline.ended_at)
        path = self._terrain.session_db(session_id)
        for side in (path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-shm", "-journal")):
            if os.path.lexists(side):
                move_file(side, self._quarantine(f"{session_id}-{side.name}"))
        SessionDatabase.create(
            path, meta, timeline.notes, token=self._clock.token(), manifestations=timeline.manifestations
        )

    def leave(self, session_id: str) -> None:
        """Move the terrain's pointer off a session that has ended; a newer one keeps the pointer."""
        with locked(self._terrain.lock):
            written = read_terrain_state(self._terrain.state)
            if written.names_no_session or written.active_session == session_id:
                change_terrain_state(self._terrain.state, active_session=None, last_session=session_id)

    # -- notes --------------------------------------------------------------------------------

    def add_note(self, author: str, text: str, *, unless_last: bool = False) -> tuple[str, Note, str | None]:
        """Append a note to the open session: its id, the note, and the sealed session it passed by, if any."""
        passed = None
        while True:
            active = self.active()
            session_id, made = self.begin()
            if made and active:
                passed = active
            try:
                with self.database(session_id) as database:
                    note, _ = database.add_note(self._clock.now(), author, text, unless_last=unless_last)
            except SessionSealed:
                passed = session_id
                continue
            return session_id, note, passed

    def database(
        self, session_id: str, *, read_only: bool = False
    ) -> contextlib.AbstractContextManager[SessionDatabase]:
        """Open the session's database. NotFound when it has none (any more)."""
        return SessionDatabase.open(self._terrain.session_db(session_id), read_only=read_only)

    def has_database(self, session_id: str) -> bool:
        return self._terrain.session_db(session_id).is_file()

    def with_database(self) -> list[str]:
        """The sessions that still have a database, oldest first."""
        try:
            names = os.listdir(self._terrain.sessions)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(name for name in names if SESSION_ID.fullmatch(name) and self.has_database(name))

    # -- timelines ----------------------------------------------------------------------------

    def ids(self) -> list[str]:
        """Every session there is a trace of, oldest first."""
        found: set[str] = set()
        for folder, suffix in (
            (self._terrain.timelines(self._persona_id), ".yaml"),
            (self._terrain.archive(self._persona_id), ".yaml"),
            (self._terrain.sessions, ""),
        ):
            try:
                names = os.listdir(folder)
            except (FileNotFoundError, NotADirectoryError):
                continue
            found.update(name.removesuffix(suffix) for name in names if name.endswith(suffix))
        return sorted(one for one in found if SESSION_ID.fullmatch(one))

    def timeline_path(self, session_id: str) -> Path | None:
        """Where the YAML timeline lies, live or archived, or None."""
        for archived in (False, True):
            path = self._terrain.timeline(self._persona_id, session_id, archived=archived)
            if path.is_file():
                return path
        return None

    def timeline(self, session_id: str) -> "SessionNotes":
        """The session as its YAML file has it. Raises NotFound or StoreCorrupt."""
        from tur.codec.timeline import parse_timeline

        path = self.timeline_path(session_id)
        if path is None:
            raise NotFound(f"no session {session_id}", hint=LISTED)
        try:
            return parse_timeline(read_file(path))
        except StoreCorrupt as error:
            raise StoreCorrupt(f"{path}: {error.message}", hint=error.hint, path=str(path)) from error

    def load(self, session_id: str) -> "SessionNotes":
        """The session as it is now: from its database while it has one, else from the timeline."""
        try:
            with self.database(session_id, read_only=True) as database:
                return snapshot(database)
        except NotFound:
            return self.timeline(session_id)

    def project(self, session_id: str) -> "SessionNotes":
        """Write the YAML timeline whole from the database, and read it back note by note.

        A timeline that already says the same is not touched. One that cannot be read, or tells other
        notes, is set aside first, never just overwritten; one that knows more notes than the database
        is an error.
        """
        from tur.codec.timeline import render_timeline

        path = self._terrain.timeline(self._persona_id, session_id)
        if self._terrain.session(session_id).is_symlink():
            raise StoreCorrupt(f"{self._terrain.session(session_id)} is a symlink, which is not followed")
        with locked(self._terrain.session(session_id) / "timeline.lock"):
            with self.database(session_id, read_only=True) as database:
                session = snapshot(database)
            # A session that is dreamt again may have its timeline in the archive.
            found = self.timeline_path(session_id) or path
            try:
                there = self.timeline(session_id)
            except NotFound:
                there = None
            except StoreCorrupt:
                self._set_aside(found)
                there = None
            if there is not None:
                if len(there.notes) > len(session.notes):
                    raise StoreCorrupt(
                        f"{found} has more notes than the database: {len(there.notes)} to {len(session.notes)}",
                        hint="Nothing was changed. `tur-adm doctor` says what can be done.",
                    )
                if there.notes != session.notes[: len(there.notes)]:
                    self._set_aside(found)
                if there.model_extra:
                    session = session.model_copy(update=there.model_extra)
            data = render_timeline(session)
            if there is None or found != path or read_file(path) != data:
                write_file(path, data)
                again = self.timeline(session_id)
                if again.notes != session.notes:
                    raise StoreCorrupt(f"{path} does not read back as the database has it")
            archived = self._terrain.timeline(self._persona_id, session_id, archived=True)
            if archived.is_file():
                # A session that was dreamt again came back from the archive; the copy there is out of date.
                remove_file(archived)
            return session

    def _set_aside(self, path: Path) -> None:
        write_file(self._quarantine(path.name), read_file(path))

    def _quarantine(self, name: str) -> Path:
        stamp = self._clock.now().strftime("%Y%m%dT%H%M%SZ")
        return self._terrain.root / "quarantine" / f"{stamp}-{self._clock.token()}-{name}"

    # -- names and order ----------------------------------------------------------------------

    def resolve(self, given: str) -> str:
        """The session for `@`, `@~n`, an id or a unique beginning of one."""
        if given.startswith("@"):
            steps = "0" if given == "@" else given.removeprefix("@~")
            if not re.fullmatch("[0-9]{1,6}", steps):
                raise InvalidInput(f"not a session: {given!r}", hint="Use `@`, `@~1`, `@~2`, … or an id.")
            return self._ancestor(int(steps))
        return match_prefix(check_session_prefix(given), self.ids(), kind="session")

    def _ancestor(self, steps: int) -> str:
        state = self.state()
        session_id = state.active_session
        if session_id is None:
            # With no session active, `@~1` still is the one before whatever comes next.
            session_id, steps = state.last_session, steps - 1
            if steps < 0:
                raise NotFound("no session is active", hint="`tur wake` begins one; `@~1` is the last one.")
        for _ in range(steps):
            session_id = self.load(session_id).parent_session_id if session_id else None
        if session_id is None:
            raise NotFound("there is no session that far back", hint=LISTED)
        return session_id

    def lineage(self, session_id: str) -> list[str]:
        """The session and its ancestors, nearest first, as far as they are known."""
        line: list[str] = []
        current: str | None = session_id
        while current and current not in line:
            line.append(current)
            try:
                current = self.load(current).parent_session_id
            except (NotFound, StoreCorrupt):
                break
        return line


def snapshot(database: SessionDatabase) -> "SessionNotes":
    """The session as one moment of its database has it."""
    import json

    from tur.model.session import SessionConsolidationInfo, SessionNotes, SessionState

    with database.reading():
        meta, notes, names = database.meta(), database.notes(), database.manifestations()
    if "session_id" not in meta or "started_at" not in meta:
        raise ConfigError(f"{database.path} names no session")
    info = SessionConsolidationInfo.model_validate_json(meta.get("consolidation", "{}"))
    return SessionNotes(
        session_id=meta["session_id"],
        parent_session_id=meta.get("parent_session_id"),
        persona_id=meta.get("persona_id"),
        state=SessionState(meta["state"]),
        started_at=parse_time(meta["started_at"]),
        ended_at=parse_time(meta["ended_at"]) if "ended_at" in meta else None,
        manifestations=names,
        consolidation=info,
        ledger_delta=json.loads(meta.get("ledger_delta", "{}")),
        notes=notes,
    )
