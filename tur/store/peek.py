"""Reading sessions without leaving a trace, for verbs that promise to write nothing.

A database with no log beside it is read as a file that does not change: a writer who comes
meanwhile writes to a new log, and this reader sees the moment before.
"""

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import quote

from tur.errors import InvalidInput, NotFound
from tur.store.index import is_quiet
from tur.store.session_db import SessionDatabase
from tur.store.sessions import LISTED, snapshot
from tur.store.store import Store

if TYPE_CHECKING:
    from tur.model.session import SessionNotes


def peek_session(store: Store, session_id: str) -> "SessionNotes":
    """The session as `store.sessions.load` gives it, with the same errors, and no file made."""
    path = store.terrain.session_db(session_id)
    if not is_quiet(path):
        return store.sessions.load(session_id)
    try:
        address = f"file:{quote(str(path))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
            return snapshot(SessionDatabase(path, connection))
    except sqlite3.Error:
        # Changed under this reader, or damaged: the reader that may leave files says which.
        return store.sessions.load(session_id)


def peek_ancestor(store: Store, given: str) -> str:
    """The session for `@` or `@~n`, as `store.sessions.resolve` gives it. Raises InvalidInput or NotFound."""
    steps = given[1:].removeprefix("~") or "0"
    if not (given == "@" or given.startswith("@~")) or not steps.isdecimal() or len(steps) > 6:
        raise InvalidInput(f"not a session: {given!r}", hint="Use `@`, `@~1`, `@~2`, … or an id.")
    state, left = store.sessions.state(), int(steps)
    current = state.active_session
    if current is None:
        # With no session active, `@~1` still is the one before whatever comes next.
        current, left = state.last_session, left - 1
        if left < 0:
            raise NotFound("no session is active", hint="`tur wake` begins one; `@~1` is the last one.")
    for _ in range(left):
        if current is None:
            break
        current = peek_session(store, current).parent_session_id
    if current is None:
        raise NotFound("there is no session that far back", hint=LISTED)
    return current
