"""`tur show`: one memory with its lineage down to the notes, or one session with its notes."""

from dataclasses import dataclass

from tur.codec.memory_file import is_edited
from tur.codec.seal import verify_chain
from tur.errors import NotFound, TurError
from tur.ids import memory_of_uri, note_of_uri, session_of_uri, short_id
from tur.model.memory import Memory, MemoryLink
from tur.model.note import Note
from tur.model.session import SessionNotes
from tur.service.traces import Traces
from tur.store.replaced import find_replacement
from tur.store.store import Store
from tur.store.tombstones import find_tombstone, list_tombstones


@dataclass(frozen=True, slots=True)
class LineageStep:
    """One link of a memory, followed. `sound` is False when what it points to is lost or has another hash.

    `note` or `memory` is what was found; `missing` says why nothing was, or that it was pruned.
    `elsewhere` says that it may lie in another project: it is not broken, and it was not checked either.
    """

    link: MemoryLink
    sound: bool
    note: Note | None = None
    memory: Memory | None = None
    missing: str | None = None
    elsewhere: bool = False

    @property
    def doubt(self) -> str:
        """What a human must know before trusting it; "" for a sound one that was checked."""
        if self.elsewhere:
            return "not checked"
        if self.sound:
            return ""
        return "CHANGED since it was linked" if self.note or self.memory else "not found"


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A memory, whether its text was edited by hand, and its lineage."""

    memory: Memory
    edited: bool
    lineage: list[LineageStep]


def show_memory(store: Store, given: str) -> MemoryView:
    """Raises InvalidInput, NotFound, Ambiguous or StoreCorrupt."""
    try:
        memory = store.memories.find(given)
    except NotFound as error:
        lost = find_replacement(store, given)
        if lost is None:
            raise
        raise NotFound(
            f"{short_id(lost.memory_id)}: {lost.told}",
            hint=f"`tur show {lost.successor[:8]}` shows what took its place.",
        ) from error
    return MemoryView(memory, is_edited(memory), lineage_of(store, memory))


def show_session(store: Store, given: str) -> SessionNotes:
    """A session, live or archived, for `@`, `@~n`, an id or a unique beginning of one."""
    try:
        return store.sessions.load(store.sessions.resolve(given))
    except NotFound as error:
        prefix = given.removeprefix("tur://session/")
        pruned = [one for one in list_tombstones(store.terrain, store.persona_id) if one.startswith(prefix)]
        tombstone = find_tombstone(store.terrain, store.persona_id, pruned[0]) if len(pruned) == 1 else None
        if tombstone is None:
            raise
        raise NotFound(
            f"session {tombstone.session_id} was deleted on {tombstone.pruned_at:%Y-%m-%d}",
            hint="Of its notes only the hashes are kept.",
        ) from error


def lineage_of(store: Store, memory: Memory, traces: Traces | None = None) -> list[LineageStep]:
    """Follow each link of a memory one step; with `traces`, those are not gathered again for each memory."""
    sessions: dict[str, SessionNotes | TurError] = {}
    traces = traces or Traces(store)
    return [_step(store, memory, link, sessions, traces) for link in memory.links]


def _step(
    store: Store, memory: Memory, link: MemoryLink, sessions: dict[str, SessionNotes | TurError], traces: Traces
) -> LineageStep:
    target = memory_of_uri(link.uri)
    if target is not None:
        try:
            found = store.memories.get(target)
        except TurError as error:
            lost = find_replacement(store, target) if isinstance(error, NotFound) else None
            if lost is not None:
                return LineageStep(link, link.hash in (None, target), missing=lost.told)
            return _not_found(memory, link, error, error.message, traces)
        return LineageStep(link, link.hash is None or link.hash == found.id, memory=found)
    session_id = session_of_uri(link.uri)
    if session_id is None:
        return LineageStep(link, True, missing="not a tur:// address; not followed")
    if session_id not in sessions:
        sessions[session_id] = _session(store, session_id)
    session = sessions[session_id]
    named = note_of_uri(link.uri)
    if isinstance(session, TurError):
        tombstone = find_tombstone(store.terrain, store.persona_id, session_id)
        if tombstone is None:
            nowhere = f"there is no session {session_id} in this terrain"
            why = nowhere if isinstance(session, NotFound) else session.message
            return _not_found(memory, link, session, why, traces)
        held = named is None or tombstone.note_hashes.get(named[1]) == link.hash
        return LineageStep(link, held, missing=f"pruned on {tombstone.pruned_at:%Y-%m-%d}")
    if named is None:
        return LineageStep(link, True)
    note = next((note for note in session.notes if note.idx == named[1]), None)
    if note is None:
        return LineageStep(link, False, missing=f"session {session_id} has no note {named[1]}")
    broken = verify_chain(session.notes)
    sound = note.hash == link.hash and (broken is None or broken > note.idx)
    return LineageStep(link, sound, note=note)


def _not_found(memory: Memory, link: MemoryLink, error: TurError, why: str, traces: Traces) -> LineageStep:
    """What cannot be read is damage; what is not there may belong to another terrain."""
    if isinstance(error, NotFound) and traces.is_elsewhere(memory, link):
        return LineageStep(link, True, missing="not in this project: it cannot be checked here", elsewhere=True)
    return LineageStep(link, False, missing=why)


def _session(store: Store, session_id: str) -> SessionNotes | TurError:
    try:
        return store.sessions.load(session_id)
    except TurError as error:
        return error
