"""`tur wake`: begin or join the terrain's session, and the prompt that rehydrates the agent.

For the same state of the store the prompt is the same to the byte: nothing in it depends on the
time of day or on who wakes.
"""

from dataclasses import dataclass, field
from datetime import datetime

from tur.clock import format_time
from tur.errors import InvalidInput, StoreCorrupt, StoreUnavailable, TurError
from tur.model.memory import MemoryType, Status
from tur.model.session import SessionNotes
from tur.policy.decay import HalfLives
from tur.policy.display import as_prompt_data, counted
from tur.policy.wake import Choice, choose_within, render_memories
from tur.service.core_section import core_section
from tur.service.core_trust import settle
from tur.service.prompt_memories import ORDER, memory_lines
from tur.service.sleep import recover_sleeps
from tur.store.files import Unreadable
from tur.store.index import open_index
from tur.store.store import Store

BEGIN, END = "<!-- tur:wake -->", "<!-- /tur:wake -->"
"""What Tur prints for agents stands between these, so that it can be told from speech in a transcript."""

CLOSING_NOTES = 3


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the prompt; `text` is empty when there is nothing to say. `why` says what it is there for."""

    name: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class WakeReport:
    """`prompt` is what the agent reads, made of `sections`; `choices` tell of each memory why it is in or out.

    `session` is None only where nothing can be written and none was active. `left_out` counts memories
    beyond the budget. `warnings` are for stderr: core memories that are
    not trusted, each with the reason, and what could not be read or written.
    """

    session: SessionNotes | None
    begun: bool
    prompt: str
    sections: list[Section]
    choices: list[Choice]
    left_out: int
    pending_core: int
    unreadable: list[Unreadable] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def wake(store: Store, *, author: str, budget: int | None = None) -> WakeReport:
    """Begin or join the session and compile the prompt; `budget` is in tokens of memories. Raises InvalidInput."""
    if budget is not None and budget < 1:
        raise InvalidInput(f"a budget is 1 token or more, not {budget}")
    session, begun, warnings = _join(store, author)
    joined = begun is not None
    # A decision that was interrupted is finished or taken back before anything is counted.
    settle(store)
    with open_index(store.terrain.index, store.memories) as index:
        now = format_time(store.clock.now())
        core_memories = [index.load(one) for one in index.entries(types=[MemoryType.CORE], all_statuses=True, now=now)]
        core = core_section(store, core_memories)
        limit = budget or store.persona.settings.wake_budget
        half_lives = HalfLives.of(store.persona.settings.half_life_days)
        choices = choose_within(limit, memory_lines(index, store.clock.now(), half_lives))
        total = index.count(types=ORDER, status=Status.ACTIVE)
        unreadable = index.unreadable
    lines = [choice.line for choice in choices if choice.included]
    left_out = total - len(lines)
    sections = [
        Section("identity", _identity(store), "always, and first"),
        Section("core", core.text, "core memories that a human approved"),
        Section("open threads", _threads(store, session, warnings), "the closing notes of the session before"),
        Section(
            "memories",
            render_memories(lines, left_out),
            f"what fits into {counted(limit, 'token')}, by type and newest first",
        ),
        Section("session", _standing(session, joined), "always"),
        Section("pending", _pending(core.pending, core.oldest_pending), "core memories that await a human"),
    ]
    prompt = "\n\n".join([BEGIN, *(section.text for section in sections if section.text), END]) + "\n"
    return WakeReport(
        session=session,
        begun=bool(begun),
        prompt=prompt,
        sections=sections,
        choices=choices,
        left_out=left_out,
        pending_core=core.pending,
        unreadable=unreadable,
        warnings=[*core.warnings, *warnings],
    )


def _join(store: Store, author: str) -> tuple[SessionNotes | None, bool | None, list[str]]:
    """The session, and whether it was begun (True) or joined (False).

    Where nothing can be written: the one that is active, as far as it can be read, None and a warning.
    """
    try:
        _finish_interrupted(store)
        session_id, begun = store.sessions.begin()
        with store.sessions.database(session_id) as database:
            database.join(store.clock.now(), author)
    except (StoreUnavailable, StoreCorrupt) as error:
        return _as_written(store), None, [f"no session was begun or joined: {error.message}"]
    try:
        return store.sessions.project(session_id), begun, []
    except TurError as error:
        return store.sessions.load(session_id), begun, [error.message]


def _as_written(store: Store) -> SessionNotes | None:
    """The active session as far as it can be read, from its timeline where its database cannot."""
    active = store.sessions.active()
    if active is None:
        return None
    try:
        return store.sessions.load(active)
    except TurError:
        try:
            return store.sessions.timeline(active)
        except TurError:
            return None


def _finish_interrupted(store: Store) -> None:
    """Finish a sleep that was killed after its seal, if the active session or its parent hangs in one."""
    active = store.sessions.active()
    for session_id in store.sessions.lineage(active)[:2] if active else []:
        if store.sessions.has_database(session_id):
            recover_sleeps(store, only=session_id)


def _identity(store: Store) -> str:
    persona = store.persona
    directives = "\n".join(f"- {as_prompt_data(line)}" for line in persona.directives)
    return f"# You are {as_prompt_data(persona.name)}" + (f"\n\n{directives}" if directives else "")


def session_before(store: Store, session: SessionNotes | None) -> str | None:
    """The session whose closing notes the prompt tells: the one before `session`, the active one, if there is one."""
    return session.parent_session_id if session else store.sessions.state().last_session


def _threads(store: Store, session: SessionNotes | None, warnings: list[str]) -> str:
    before = session_before(store, session)
    if before is None:
        return ""
    try:
        last = store.sessions.load(before)
    except TurError as error:
        warnings.append(f"no open threads: {error.message}")
        return ""
    notes = last.notes[-CLOSING_NOTES:]
    if not notes:
        return ""
    lines = "\n".join(f"- ({note.author}) {as_prompt_data(note.text)}" for note in notes)
    return f"## Open threads\n\nThe last session, {last.session_id}, closed with:\n\n{lines}"


def _standing(session: SessionNotes | None, joined: bool) -> str:
    if session is None or not joined:
        return "## Session\n\nThe session cannot be written now, so nothing can be noted. Tell the Architect."
    return (
        "## Session\n\n"
        f"You are in session {session.session_id}. Record milestones with `tur note`, lasting knowledge with\n"
        "`tur learn`, and end with `tur sleep -n` and a closing note."
    )


def _pending(count: int, oldest: datetime | None) -> str:
    if not count:
        return ""
    waiting = counted(count, "core memory awaits", "core memories await")
    return f"{waiting} the Architect's decision" + (f", the oldest since {oldest:%Y-%m-%d}." if oldest else ".")
