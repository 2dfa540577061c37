"""Searching the notes of all sessions, live and archived, and naming those of which only a tombstone is left."""

import os
import re
from dataclasses import dataclass
from datetime import datetime

from tur.codec.text import normalise
from tur.codec.timeline import parse_timeline
from tur.errors import TurError
from tur.ids import note_uri
from tur.progress import Progress, silent
from tur.store.files import read_file
from tur.store.store import Store
from tur.store.tombstones import Tombstone, find_tombstone, list_tombstones

_Score = tuple[int, int, bool]
"""How many words of the query a note has, how many of them whole, and whether it has them as they stand."""

_PLAIN = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class NoteHit:
    """A note that answers a query. `archived`: its session's timeline lies in the archive. `at` is aware UTC."""

    session_id: str
    idx: int
    at: datetime
    author: str
    text: str
    archived: bool

    @property
    def uri(self) -> str:
        """Where the note is cited: `tur://session/<session_id>#note-<idx>`."""
        return note_uri(self.session_id, self.idx)


@dataclass(frozen=True, slots=True)
class NoteSearch:
    """What a search saw: hits, best first; how many notes match in all; what could not be searched.

    `pruned` are the tombstones of deleted sessions, whose notes are gone; `unreadable` pairs a
    session id with what is wrong.
    """

    hits: tuple[NoteHit, ...]
    total: int
    pruned: tuple[Tombstone, ...]
    unreadable: tuple[tuple[str, str], ...]


def search_notes(store: Store, query: str, limit: int, *, progress: Progress = silent) -> NoteSearch:
    """Search live databases and all timelines for the words of `query`, any text, in any case.

    A note with every word comes before one with some; then whole words before parts of words, the
    query as it stands before its words apart, and newer before older. Blank text finds the newest
    notes. Nothing is written, and a session that cannot be read is named. `progress` counts sessions.
    """
    words = list(dict.fromkeys(normalise(query).casefold().split()))
    found: list[tuple[_Score, NoteHit]] = []
    unreadable: list[tuple[str, str]] = []
    sessions = store.sessions.ids()
    for at, session_id in enumerate(sessions, start=1):
        progress(at, len(sessions))
        try:
            found += _search_session(store, session_id, words)
        except (TurError, OSError) as error:
            unreadable.append((session_id, str(error)))
    if any(score[0] == len(words) for score, _ in found):
        # Once some notes say all of it, those that share a common word with it are noise.
        found = [one for one in found if one[0][0] == len(words)]
    found.sort(key=lambda one: (one[0], one[1].at, one[1].session_id, one[1].idx), reverse=True)
    return NoteSearch(
        tuple(hit for _, hit in found[: max(0, limit)]), len(found), pruned_sessions(store), tuple(unreadable)
    )


def pruned_sessions(store: Store) -> tuple[Tombstone, ...]:
    """The tombstones of sessions that are gone, oldest first; one that cannot be read is left out."""
    stones = []
    for session_id in list_tombstones(store.terrain, store.persona_id):
        if store.sessions.timeline_path(session_id) is not None:
            continue
        try:
            stone = find_tombstone(store.terrain, store.persona_id, session_id)
        except (TurError, OSError):
            continue
        if stone is not None:
            stones.append(stone)
    return tuple(stones)


def _search_session(store: Store, session_id: str, words: list[str]) -> list[tuple[_Score, NoteHit]]:
    live = store.terrain.timeline(store.persona_id, session_id)
    archived = not os.path.lexists(live)
    if store.sessions.has_database(session_id):
        session = store.sessions.load(session_id)
        if session.persona_id not in (None, store.persona_id):
            return []
        archived = False
    else:
        path = store.sessions.timeline_path(session_id)
        if path is None:
            return []
        data = read_file(path)
        if not _may_match(data, words):
            return []
        session = parse_timeline(data)
    hits = []
    for note in session.notes:
        text = normalise(f"{note.text}\n{note.author}").casefold()
        there = [word for word in words if word in text]
        if there or not words:
            score = (len(there), sum(_is_whole(word, text) for word in there), " ".join(words) in text)
            hits.append((score, NoteHit(session_id, note.idx, note.at, note.author, note.text, archived)))
    return hits


def _is_whole(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _may_match(data: bytes, words: list[str]) -> bool:
    """Whether parsing the file is worth while: letters and digits of ASCII stand in it as they are."""
    if not words or not all(_PLAIN.fullmatch(word) for word in words):
        return True
    lower = data.lower()
    return any(word.encode() in lower for word in words)
