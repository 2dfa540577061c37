"""`tur status`: where the agent stands: terrain, session, counts."""

from dataclasses import dataclass, field

from tur.clock import format_time
from tur.errors import NotFound, TurError
from tur.model.memory import MemoryType, Status
from tur.model.session import SessionNotes
from tur.store.files import Unreadable
from tur.store.index import open_index
from tur.store.store import Store


@dataclass(frozen=True, slots=True)
class StatusReport:
    """`persona` is its name. `session` is the active one or, with none active, None; `last` the one that ended last.

    `memories` counts by status; `pending_core` those that await
    a human, `oldest_pending` the ISO time of the first of them; `future` those dated
    after now. `unconsolidated` are session ids with notes that no dream has seen, with the number.
    """

    terrain: str
    home: str
    persona_id: str
    persona: str
    session: SessionNotes | None
    last: SessionNotes | None
    memories: dict[str, int]
    pending_core: int
    oldest_pending: str | None
    future: int
    unconsolidated: dict[str, int] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def status(store: Store) -> StatusReport:
    """Look at the store; the active session's timeline is brought up to date on the way."""
    state = store.sessions.state()
    problems: list[str] = []
    session = _session(store, state.active_session, problems, project=True)
    last = _session(store, state.last_session, problems, project=False)
    unconsolidated = _unconsolidated(store, problems)
    with open_index(store.terrain.index, store.memories) as index:
        return StatusReport(
            terrain=str(store.terrain.root),
            home=str(store.home.root),
            persona_id=store.persona_id,
            persona=_name(store, problems),
            session=session,
            last=last,
            memories=index.status_counts(),
            pending_core=index.count(types=[MemoryType.CORE], status=Status.PENDING_APPROVAL),
            oldest_pending=index.oldest(MemoryType.CORE, Status.PENDING_APPROVAL),
            future=index.in_future(format_time(store.clock.now())),
            unconsolidated=unconsolidated,
            unreadable=index.unreadable + store.memories.irregular(),
            problems=problems,
        )


def _name(store: Store, problems: list[str]) -> str:
    try:
        return store.persona.name
    except TurError as error:
        problems.append(error.message)
        return "unknown"


def _unconsolidated(store: Store, problems: list[str]) -> dict[str, int]:
    """Session id -> notes that no dream has seen, over all sessions that still have their database."""
    found: dict[str, int] = {}
    for session_id in store.sessions.with_database():
        try:
            waiting = store.sessions.load(session_id).unconsolidated_notes
        except TurError as error:
            if error.message not in problems:
                problems.append(error.message)
            continue
        if waiting:
            found[session_id] = waiting
    return found


def _session(store: Store, session_id: str | None, problems: list[str], *, project: bool) -> SessionNotes | None:
    if session_id is None:
        return None
    try:
        if project and store.sessions.has_database(session_id):
            return store.sessions.project(session_id)
        return store.sessions.load(session_id)
    except NotFound as error:
        problems.append(error.message)
    except TurError as error:
        problems.append(error.message)
        try:
            return store.sessions.load(session_id)
        except TurError:
            pass
    return None
