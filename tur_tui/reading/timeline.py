"""Sessions, their notes, and what each note became."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tur.clock import format_time
from tur.errors import NotFound, TurError
from tur.ids import note_of_uri, note_uri, short_id
from tur.model.memory import Memory
from tur.model.note import Note
from tur.model.session import SessionNotes, SessionState
from tur.policy.display import one_line
from tur.progress import Progress
from tur.service.archive import search_notes
from tur.store.index import open_index
from tur.store.store import Store
from tur.store.tombstones import find_tombstone, list_tombstones, tombstone_path
from tur_tui.lines import BLANK, Line, Row, Span, agent_role, fields, heading, line, paragraph
from tur_tui.reading.shared import SEARCH_LIMIT, Detail, Listing, count_line, cut, empty_page, told_time


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """A session as the timeline shows it. `became` maps a note's number to the memories that rest on it."""

    session_id: str
    notes: Mapping[int, Note] = field(default_factory=dict)
    became: Mapping[int, Sequence[Memory]] = field(default_factory=dict)
    agents: Sequence[str] = ()


def list_timeline(store: Store, words: str, progress: Progress) -> Listing:
    """Sessions, newest first; with words, those whose id or notes hold them."""
    ids = sorted({*store.sessions.ids(), *list_tombstones(store.terrain, store.persona_id)}, reverse=True)
    total = len(ids)
    if words:
        hits = {hit.session_id for hit in search_notes(store, words, SEARCH_LIMIT, progress=progress).hits}
        ids = [one for one in ids if one in hits or words in one]
    return Listing(
        ids,
        summary=count_line(len(ids), total, "session", filtered=bool(words)),
        empty=empty_page(
            bool(words),
            "No session here yet.",
            "A session begins when an agent runs `tur wake` or `tur note` in this project.",
        ),
    )


def session_rows(store: Store, ids: Sequence[str]) -> list[Row]:
    """The rows of these sessions; one that cannot be read says so."""
    return [_session_row(store, one) for one in ids]


def _session_row(store: Store, session_id: str) -> Row:
    when = f"{session_id[4:6]}-{session_id[6:8]} {session_id[9:11]}:{session_id[11:13]}"
    try:
        session = store.sessions.load(session_id)
    except NotFound:
        return Row(session_id, line(("dim", f"{when}  pruned")))
    except (TurError, OSError):
        return Row(session_id, line(f"{when}  ", ("bad", "! unreadable")))
    memories = len(session.consolidation.derived_memory_ids)
    role, state = _session_state(store, session)
    return Row(
        session_id,
        line(f"{when} ", ("dim", f"{len(session.notes):>4}n {memories:>3}m "), (role, state)),
    )


def _session_state(store: Store, session: SessionNotes) -> tuple[str, str]:
    if session.state is SessionState.OPEN:
        return "info", "* open"
    if session.state is SessionState.SEALED:
        return "info", "~ dreaming"
    archived = not store.terrain.timeline(store.persona_id, session.session_id).exists()
    where = ", archived" if archived else ""
    if session.consolidation.consolidated:
        late = session.unconsolidated_notes
        return ("warn", f"! {late} undreamt{where}") if late else ("good", f"dreamt{where}")
    return "warn", f"! undreamt{where}"


def has_session(store: Store, session_id: str) -> bool:
    """Whether the timeline has the session: it is here, in the archive, or was pruned."""
    sessions = store.sessions
    return (
        sessions.has_database(session_id)
        or sessions.timeline_path(session_id) is not None
        or tombstone_path(store.terrain, store.persona_id, session_id).is_file()
    )


def session_detail(store: Store, session_id: str) -> Detail:
    """One session: its head, and its notes with what they became."""
    try:
        session = store.sessions.load(session_id)
    except NotFound:
        return _pruned_detail(store, session_id)
    agents = sorted({*session.manifestations, *(note.author for note in session.notes)})
    touched, resting = _memories_of(store, session_id)
    became: dict[int, list[Memory]] = {}
    for memory in resting:
        for link in memory.links:
            named = note_of_uri(link.uri)
            if named is not None and named[0] == session_id:
                became.setdefault(named[1], []).append(memory)
    items = [_note_row(note, agents, len(became.get(note.idx, ()))) for note in session.notes]
    facts = SessionFacts(session_id, {note.idx: note for note in session.notes}, became, agents)
    return Detail(session_id, list(_session_head(store, session, agents, touched)), items, facts)


def _session_head(
    store: Store, session: SessionNotes, agents: Sequence[str], touched: Sequence[Memory]
) -> Iterator[Line]:
    role, state = _session_state(store, session)
    yield line(("title", session.session_id), "  ", (role, state))
    yield from fields(
        [
            ("started", told_time(session.started_at)),
            ("ended", told_time(session.ended_at)),
            ("parent", session.parent_session_id or "none"),
            ("dreamt", _dreamt(session)),
        ]
    )
    yield Line((Span("dim", f"{'agents':<11}"), *_agent_spans(agents)), indent=11)
    yield BLANK
    yield heading("Memories", f"{len(touched)} touched by this session")
    for memory in touched:
        yield line(
            f"  {short_id(memory.id)} ", ("dim", f"{memory.type}, {memory.status}  "), one_line(memory.headline, 200)
        )


def _agent_spans(agents: Sequence[str]) -> Iterator[Span]:
    for at, name in enumerate(agents):
        if at:
            yield Span("text", ", ")
        yield Span(agent_role(name, agents), name)


def _dreamt(session: SessionNotes) -> str:
    info = session.consolidation
    if not info.consolidated:
        return "not yet"
    born = len(info.derived_memory_ids)
    return f"{told_time(info.consolidated_at)} by {info.consolidation_model or 'an engine'}, {_memories(born)}"


def _note_row(note: Note, agents: Sequence[str], became: int) -> Row:
    mark = ("good", f"→{became} ") if became else ("dim", "   ")
    return Row(
        str(note.idx),
        line(
            ("dim", f"{note.at:%H:%M} "),
            mark,
            (agent_role(note.author, agents), f"{one_line(note.author, 12):<12} "),
            one_line(note.text, 400),
        ),
    )


def note_detail(facts: SessionFacts, idx: int) -> list[Line]:
    """One note in full, and the memories that rest on it."""
    note = facts.notes[idx]
    shown = [
        line(("title", f"Note {idx}"), "  ", (agent_role(note.author, facts.agents), note.author)),
        *paragraph(cut(note.text)),
        BLANK,
        *fields([("at", format_time(note.at)), ("address", note_uri(facts.session_id, idx)), ("hash", note.hash)]),
        BLANK,
    ]
    memories = facts.became.get(idx, ())
    shown.append(heading("Became", _memories(len(memories))))
    for memory in memories:
        shown.append(line(f"  {short_id(memory.id)} ", ("dim", f"[{memory.type}, {memory.status}]")))
        shown += paragraph(cut(memory.content), indent=4)
    if not memories:
        shown.append(line(("dim", "  no memory rests on this note")))
    return shown


def _pruned_detail(store: Store, session_id: str) -> Detail:
    stone = find_tombstone(store.terrain, store.persona_id, session_id)
    if stone is None:
        raise NotFound(f"no session {session_id}")
    shown = [
        line(("title", session_id), ("dim", "  pruned: its notes are gone, their hashes stay")),
        *fields(
            [
                ("pruned", format_time(stone.pruned_at)),
                ("why", stone.why),
                ("started", told_time(stone.started_at)),
                ("ended", told_time(stone.ended_at)),
                ("agents", ", ".join(stone.manifestations) or "unknown"),
                ("notes", f"{len(stone.note_hashes)}, by hash only"),
                ("memories", ", ".join(map(short_id, stone.derived_memory_ids)) or "none"),
            ]
        ),
    ]
    return Detail(session_id, shown, facts=SessionFacts(session_id))


def _memories(number: int) -> str:
    return f"{number} {'memory' if number == 1 else 'memories'}"


def _memories_of(store: Store, session_id: str) -> tuple[list[Memory], list[Memory]]:
    """Those that the session touched, and those that rest on its notes."""
    with open_index(store.terrain.index, store.memories, refresh=False) as index:
        touched, resting = index.touched_by(session_id), index.resting_on(session_id)
        found: dict[str, Memory] = {}
        for entry in (*touched, *resting):
            with contextlib.suppress(TurError, OSError):
                found[entry.id] = index.load(entry)
    known = sorted(found.values(), key=lambda memory: (memory.timestamp, memory.id))
    ids = {entry.id for entry in touched}, {entry.id for entry in resting}
    first, second = ([memory for memory in known if memory.id in some] for some in ids)
    return first, second
