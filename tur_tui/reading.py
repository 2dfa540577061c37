"""What the workers read from the store for the panes: plain records, no Textual.

Everything here may block on the disk, so it is only ever called from a worker thread.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from tur.clock import format_time
from tur.errors import NotFound, TurError
from tur.ids import SESSION_ID, note_of_uri, note_uri, short_id
from tur.model.audit import AuditEntry
from tur.model.memory import Memory, MemoryType, Relation, Status
from tur.model.note import Note
from tur.model.session import SessionNotes, SessionState
from tur.policy.decay import HalfLives, is_stale
from tur.policy.diff import KINDS, Kind, MemoryDelta, counts
from tur.policy.display import as_prompt_data, one_line
from tur.policy.retention import Plan, RetentionPolicy, Verdict
from tur.policy.words import word_diff
from tur.service.archive import search_all_notes
from tur.service.core_section import render_core_memory
from tur.service.core_trust import audit_file, core_trust
from tur.service.diff import DiffReport, DiffSelection, diff
from tur.service.show import LineageStep, show_memory
from tur.store.index import open_index
from tur.store.store import Store
from tur.store.tombstones import find_tombstone, list_tombstones
from tur_tui.compose import SessionKeeping, Stewardship
from tur_tui.lines import BLANK, Line, Row, Span, agent_role, fields, heading, line, paragraph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur.stewardship.review import Review

SEARCH_LIMIT = 1_000
LONG_TEXT = 64 * 1024
"""Longest text, in characters, that a detail shows at once; a review always shows all."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A pane's list: ids in order, rows that are known already, and what stands there when it is empty.

    `summary` is the line that tells what the list shows. `facts` are what else the reading found,
    for the pane's own use.
    """

    ids: Sequence[str]
    rows: Sequence[Row] = ()
    summary: Line = BLANK
    empty: Sequence[Line] = ()
    facts: object = None


@dataclass(frozen=True, slots=True)
class Detail:
    """The evidence for one entry: its text, and the entries of a second list where the pane has one.

    `facts` is what an act on the entry will be bound to.
    """

    title: str
    lines: Sequence[Line]
    items: Sequence[Row] = ()
    facts: object = None


@dataclass(frozen=True, slots=True)
class Chrome:
    """What the top line tells."""

    persona: str
    terrain: str
    pending: int


def read_chrome(store: Store) -> Chrome:
    """Persona, project and how many core memories await a decision."""
    with open_index(store.terrain.index, store.memories) as index:
        pending = index.count(types=[MemoryType.CORE], status=Status.PENDING_APPROVAL)
    return Chrome(store.persona.name, store.terrain.root.parent.name, pending)


# -- noticing changes ------------------------------------------------------------------------


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


# -- timeline --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """A session as the timeline shows it. `became` maps a note's number to the memories that rest on it."""

    session_id: str
    notes: Mapping[int, Note] = field(default_factory=dict)
    became: Mapping[int, Sequence[Memory]] = field(default_factory=dict)
    agents: Sequence[str] = ()


def list_timeline(store: Store, words: str) -> Listing:
    """Sessions, newest first; with words, those whose id or notes hold them."""
    ids = sorted({*store.sessions.ids(), *list_tombstones(store.terrain, store.persona_id)}, reverse=True)
    total = len(ids)
    if words:
        hits = {hit.session_id for hit in search_all_notes(store, words, SEARCH_LIMIT).hits}
        ids = [one for one in ids if one in hits or words in one]
    return Listing(
        ids,
        summary=_count_line(len(ids), total, "session", words),
        empty=_empty(
            words,
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


def session_detail(store: Store, session_id: str) -> Detail:
    """One session: its head, and its notes with what they became."""
    try:
        session = store.sessions.load(session_id)
    except NotFound:
        return _pruned_detail(store, session_id)
    agents = sorted({*session.manifestations, *(note.author for note in session.notes)})
    touched = _memories_of(store, session_id)
    became: dict[int, list[Memory]] = {}
    for memory in touched:
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
            ("started", _time(session.started_at)),
            ("ended", _time(session.ended_at)),
            ("parent", session.parent_session_id or "none"),
            ("dreamt", _dreamt(session)),
        ]
    )
    yield Line((Span("dim", f"{'agents':<12}"), *_agent_spans(agents)), indent=12)
    yield BLANK
    yield heading("Memories", f"{len(touched)} touched by this session")
    for memory in touched:
        yield line(
            f"  {short_id(memory.id)} ", ("dim", f"{memory.type}, {memory.status}  "), one_line(memory.title, 200)
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
    return f"{_time(info.consolidated_at)} by {info.consolidation_model or 'an engine'}, {born} memories"


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
        *paragraph(_cut(note.text)),
        BLANK,
        *fields([("at", format_time(note.at)), ("address", note_uri(facts.session_id, idx)), ("hash", note.hash)]),
        BLANK,
    ]
    memories = facts.became.get(idx, ())
    shown.append(heading("Became", f"{len(memories)} {'memory' if len(memories) == 1 else 'memories'}"))
    for memory in memories:
        shown.append(line(f"  {short_id(memory.id)} ", ("dim", f"[{memory.type}, {memory.status}]")))
        shown += paragraph(_cut(memory.content), indent=4)
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
                ("started", _time(stone.started_at)),
                ("ended", _time(stone.ended_at)),
                ("agents", ", ".join(stone.manifestations) or "unknown"),
                ("notes", f"{len(stone.note_hashes)}, by hash only"),
                ("memories", ", ".join(map(short_id, stone.derived_memory_ids)) or "none"),
            ]
        ),
    ]
    return Detail(session_id, shown, facts=SessionFacts(session_id))


def _memories_of(store: Store, session_id: str) -> list[Memory]:
    with open_index(store.terrain.index, store.memories) as index:
        found = []
        for entry in index.touched_by(session_id):
            try:
                found.append(index.load(entry))
            except (TurError, OSError):
                continue
    return sorted(found, key=lambda memory: (memory.timestamp, memory.id))


# -- diff ------------------------------------------------------------------------------------

SIGNS: Mapping[Kind, str] = {
    "ADDED": "+",
    "SUPERSEDED": "~",
    "REFUTED": "-",
    "MERGED": "&",
    "DECAYED": "*",
    "MODIFIED": "!",
}
KIND_ROLES: Mapping[Kind, str] = {
    "ADDED": "added",
    "SUPERSEDED": "warn",
    "REFUTED": "removed",
    "MERGED": "agent-5",
    "DECAYED": "info",
    "MODIFIED": "agent-4",
}


def parse_selection(text: str) -> DiffSelection:
    """What a human typed to compare: sessions, `since 2h`, `git REV..REV`; nothing is the default."""
    words = text.split()
    if not words:
        return DiffSelection()
    if words[0] == "since":
        return DiffSelection(since=" ".join(words[1:]))
    if words[0] == "git":
        return DiffSelection(git=" ".join(words[1:]))
    if len(words) == 1 and not words[0].startswith("@") and not words[0][:8].isdecimal():
        if words[0][:1].isdecimal() and words[0][-1:] in "wdhms":
            return DiffSelection(since=words[0])
        return DiffSelection(git=words[0])
    return DiffSelection(sessions=tuple(words))


def list_diff(store: Store, selection: DiffSelection, kind: Kind | None, words: str) -> Listing:
    """The deltas of a selection; without one, of the active session, else of the last."""
    if selection == DiffSelection(types=selection.types, scopes=selection.scopes) and store.sessions.active() is None:
        if store.sessions.state().last_session is None:
            return Listing([], empty=_empty("", "Nothing to compare yet.", "No session has begun in this project."))
        selection = replace(selection, sessions=("@~1",))
    report = diff(store, selection)
    found = {_delta_id(delta): delta for delta in report.deltas if kind is None or delta.status == kind}
    if words:
        found = {key: delta for key, delta in found.items() if _has(words, _delta_text(delta))}
    shown = counts(report.deltas)
    spans: list[tuple[str, str]] = []
    for one in KINDS:
        if shown[one]:
            spans.append((KIND_ROLES[one], f"{SIGNS[one]}{shown[one]} "))
    warned = ("warn", f" {len(report.warnings)} warnings") if report.warnings else ("dim", "")
    return Listing(
        list(found),
        [Row(key, _delta_line(delta)) for key, delta in found.items()],
        summary=line(f"{report.heading}  ", *spans, ("dim", _kept(kind, selection, words)), warned),
        empty=_empty(words, "No change.", f"{report.heading}: both ends know the same. Press c to compare others."),
        facts=(report, found),
    )


def _delta_id(delta: MemoryDelta) -> str:
    return delta.record.id


def _delta_text(delta: MemoryDelta) -> str:
    return f"{short_id(delta.record.id)} {delta.old_text or ''} {delta.new_text or ''} {delta.record.title}"


def _kept(kind: Kind | None, selection: DiffSelection, words: str) -> str:
    kept = [kind.lower() if kind else "", *selection.types, *selection.scopes, f"/{words}" if words else ""]
    return "only " + ", ".join(filter(None, kept)) if any(kept) else ""


def _delta_line(delta: MemoryDelta) -> Line:
    return line(
        (KIND_ROLES[delta.status], f"{SIGNS[delta.status]} "),
        ("dim", f"{delta.record.id[:8]} {delta.record.type.value:<10} "),
        one_line(delta.new_text or delta.record.content, 300),
    )


def delta_detail(report: DiffReport, delta: MemoryDelta, *, split: int = 0) -> list[Line]:
    """One change in full. `split` is the width of a column for old and new side by side, 0 for one under the other."""
    role = KIND_ROLES[delta.status]
    shown = [
        line((role, f"{SIGNS[delta.status]} {delta.status}"), f"  {short_id(delta.record.id)}"),
        line(("dim", f"{delta.record.type}, {delta.record.scope}, {delta.record.status}")),
        BLANK,
    ]
    shown += side_by_side(delta.old_text, delta.new_text, split) if split else unified(delta.old_text, delta.new_text)
    core = delta.record.core
    pairs = []
    if core is not None:
        pairs += [("principle", core.derived_principle), ("covenant", core.ethical_covenant)]
    if delta.successor_id is not None:
        pairs.append(("successor", short_id(delta.successor_id)))
    pairs += [
        ("reason", delta.reason or "none given"),
        ("by", f"{delta.actor or 'nobody on record'}" + (f" in {delta.session}" if delta.session else "")),
        ("at", _time(delta.at)),
    ]
    shown += [BLANK, *fields(pairs), BLANK, heading("Effect on the wake prompt")]
    shown += prompt_effect(delta)
    if delta.sources:
        shown += [BLANK, heading("Rests on")]
        for uri in delta.sources:
            shown.append(line(f"  {uri}"))
            if text := report.note_texts.get(uri):
                shown += paragraph(_cut(text), "dim", 4)
    if len(delta.steps) > 1:
        shown += [BLANK, heading("Steps")]
        shown += [line(f"  {format_time(step.at)}  {step.status} by {step.by}") for step in delta.steps]
    return shown


def unified(old: str | None, new: str | None) -> list[Line]:
    """Old above new, the words that differ highlighted and marked in the gutter."""
    if old is None or new is None or old == new:
        gone = new is None
        text, role, sign = (old or "", "removed", "-") if gone else (new or "", "added" if old is None else "text", "+")
        return [
            line((role, f"{sign if role != 'text' else ' '} "), (role, part), indent=2)
            for part in _cut(text).split("\n")
        ]
    segments = word_diff(_cut(old), _cut(new))
    return [*_one_side(segments, "old", "-", "removed"), *_one_side(segments, "new", "+", "added")]


def _one_side(segments: Sequence[tuple[str, str]], op: str, sign: str, role: str) -> Iterator[Line]:
    spans: list[Span] = [Span(role, f"{sign} ")]
    for kind, text in segments:
        if kind not in ("same", op):
            continue
        for at, part in enumerate(text.split("\n")):
            if at:
                yield Line(tuple(spans), indent=2)
                spans = [Span(role, f"{sign} ")]
            if part:
                spans.append(Span(f"{role}-word" if kind == op else "text", part))
    yield Line(tuple(spans), indent=2)


def side_by_side(old: str | None, new: str | None, width: int) -> list[Line]:
    """Old on the left, new on the right, each wrapped to its column."""
    from tur.policy.display import visible

    column = max(width, 12)
    sides = []
    for text, role, sign in ((old, "removed", "-"), (new, "added", "+")):
        pieces: list[str] = []
        for part in visible(_cut(text)).split("\n") if text is not None else []:
            pieces += _folded(part, column - 3)
        sides.append((pieces, role, sign))
    (left, left_role, left_sign), (right, right_role, right_sign) = sides
    shown = []
    for at in range(max(len(left), len(right), 1)):
        one = f"{left_sign} {left[at]}" if at < len(left) else ""
        other = f"{right_sign} {right[at]}" if at < len(right) else ""
        shown.append(line((left_role, one + " " * max(0, column - _cells(one))), ("dim", "│ "), (right_role, other)))
    return shown


def _folded(text: str, width: int) -> list[str]:
    pieces, current = [], ""
    for word in text.split(" "):
        while _cells(word) > width:
            pieces.append(current) if current else None
            current, cut = "", max(1, width // 2)
            pieces.append(word[:cut])
            word = word[cut:]
        if current and _cells(current) + 1 + _cells(word) > width:
            pieces.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    return [*pieces, current]


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def prompt_effect(delta: MemoryDelta) -> list[Line]:
    """Which lines of the prompt's memories come and go by this change, before the budget cuts."""
    shown = []
    for change in delta.changes:
        for state, sign, role in ((change.before, "-", "removed"), (change.after, "+", "added")):
            if state is None or state.status is not Status.ACTIVE:
                continue
            other = change.after if sign == "-" else change.before
            same = (
                other is not None
                and other.status is Status.ACTIVE
                and (other.memory.content, other.stale) == (state.memory.content, state.stale)
            )
            if not same:
                shown += [
                    line((role, f"  {sign} "), (role, part), indent=4)
                    for part in _prompt_line(state.memory, state.stale)
                ]
    return shown or [line(("dim", "  none: the prompt's memories stay as they were"))]


def _prompt_line(memory: Memory, stale: bool) -> list[str]:
    if memory.core is not None:
        return render_core_memory(memory).split("\n")
    marks = memory.type.value + (", stale, verify it" if stale else "")
    return f"- [{marks}] {as_prompt_data(_cut(memory.content))} ({short_id(memory.id)})".split("\n")


# -- review ----------------------------------------------------------------------------------


def list_review(desk: Stewardship, words: str) -> Listing:
    """Core memories that await a decision, oldest first, then active ones that nothing vouches for."""
    cores = desk.core_memories()
    standing = desk.standing(cores)
    pending = [memory for memory in cores if memory.status is Status.PENDING_APPROVAL]
    doubtful = [one for one in cores if one.status is Status.ACTIVE and one.id in standing and standing[one.id].alarm]
    shown = [one for one in (*pending, *doubtful) if not words or _has(words, _core_text(one))]
    now = desk.store.clock.now()
    rows = [_review_row(memory, memory in doubtful, now) for memory in shown]
    summary = line(f"{len(pending)} pending", ("warn", f", {len(doubtful)} active but not trusted" if doubtful else ""))
    return Listing(
        [memory.id for memory in shown],
        rows,
        summary=summary,
        empty=_empty(
            words,
            "Nothing awaits a decision.",
            "An agent stages a core memory with `tur evolve`; it reaches no prompt until you approve it here.",
        ),
    )


def _core_text(memory: Memory) -> str:
    core = memory.core
    return f"{short_id(memory.id)} {memory.content} " + (
        f"{core.derived_principle} {core.ethical_covenant}" if core else ""
    )


def _review_row(memory: Memory, doubtful: bool, now: datetime) -> Row:
    from tur.policy.display import hidden_characters, instruction_like

    text = _core_text(memory)
    mark = ("bad", "‼") if instruction_like(text) else ("warn", "!") if hidden_characters(text) else ("dim", " ")
    told = memory.core.derived_principle if memory.core else memory.content
    return Row(
        memory.id,
        line(
            mark,
            (" "),
            ("bad" if doubtful else "text", f"{memory.id[:8]} "),
            ("dim", f"{_age(memory.timestamp, now):>4} "),
            one_line(told, 300),
        ),
    )


def review_detail(desk: Stewardship, memory_id: str) -> Detail:
    """A core memory laid out for a decision, with everything that speaks for and against it."""
    shown = desk.review(memory_id)
    return Detail(short_id(memory_id), list(_review_lines(desk, shown)), facts=shown)


def _review_lines(desk: Stewardship, shown: "Review") -> Iterator[Line]:
    memory = shown.memory
    yield line(("title", short_id(memory.id)), ("dim", f"  {memory.type}, {memory.scope}, {memory.status}"))
    yield from fields(
        [
            ("staged by", memory.author + (f" in {memory.session}" if memory.session else "")),
            ("at", format_time(memory.timestamp)),
            (
                "size",
                f"{len(memory.content.encode('utf-8', 'replace')):,} bytes, {len(memory.content.split()):,} words",
            ),
        ]
    )
    if shown.blocked:
        yield BLANK
        yield line(("bad", "BLOCKED  it cannot be approved as it is"))
        for why in shown.blocked:
            yield line(("bad", f"  {why}"), indent=2)
    yield BLANK
    yield heading("If approved the agent will read exactly this", f"about {len(shown.injected) // 4 + 1:,} tokens")
    for part in shown.injected.split("\n"):
        yield line(("key", "  │ "), part, indent=4)
    yield BLANK
    yield heading("Checks")
    yield from _checks(shown)
    yield BLANK
    yield heading("Nearest approved")
    yield from _nearest(desk, shown)
    yield BLANK
    yield heading("Rests on", "" if shown.lineage else "nothing that is linked")
    yield from _lineage(shown.lineage)
    if shown.source_lineage:
        yield line(("dim", "  which rests on"))
        yield from _lineage(shown.source_lineage, 4)
    yield BLANK
    yield heading("History")
    yield from _history(memory)
    yield BLANK
    yield line(
        ("dim", "Bound to "), f"id {memory.id[:16]}… seal {memory.seal[:16]}… digest {(shown.digest or '')[:16]}…"
    )


def _checks(shown: "Review") -> Iterator[Line]:
    yield line(("bad" if shown.hidden else "good", f"  hidden characters {len(shown.hidden)}"))
    for one in shown.hidden[:40]:
        yield line(("bad", f"    {one}"), indent=4)
    yield line(("bad" if shown.remarks else "good", f"  instruction-like {len(shown.remarks)}"))
    for one in shown.remarks:
        yield line(("bad", f"    it {one}: read it twice"), indent=4)
    unsound = sum(not step.sound for step in shown.lineage)
    yield line(("bad" if unsound else "good", f"  broken lineage {unsound}"))
    yield line(("warn" if shown.similar else "good", f"  near-identical {len(shown.similar)}"))
    for other in shown.similar:
        yield line(f"    {short_id(other.id)} ({other.status})")


def _nearest(desk: Stewardship, shown: "Review") -> Iterator[Line]:
    """The approved core memories whose principle and covenant share most words, with a word diff of the nearest."""
    mine = shown.memory.core
    approved = [one for one in core_trust(desk.store).trusted if one.id != shown.memory.id and one.core is not None]
    if mine is None or not approved:
        yield line(("dim", "  no core memory is approved yet"))
        return
    words = set(f"{mine.derived_principle} {mine.ethical_covenant}".casefold().split())
    scored = sorted(((_overlap(words, one), one) for one in approved), key=lambda pair: (-pair[0], pair[1].id))
    for at, (score, other) in enumerate(scored[:3]):
        core = other.core
        if core is None:
            continue
        yield line(f"  {short_id(other.id)}  ", ("warn" if score > 0.5 else "dim", f"{score:.0%} of the words shared"))
        if at == 0:
            spans = [Span("dim", "    ")]
            for op, text in word_diff(core.derived_principle, mine.derived_principle):
                role = {"same": "text", "old": "removed-word", "new": "added-word"}[op]
                spans.append(Span(role, {"same": text, "old": f"[-{text}-]", "new": f"{{+{text}+}}"}[op]))
            yield Line(tuple(spans), indent=4)
        else:
            yield line(("dim", f"    {one_line(core.derived_principle, 300)}"), indent=4)


def _overlap(words: set[str], other: Memory) -> float:
    core = other.core
    theirs = set(f"{core.derived_principle} {core.ethical_covenant}".casefold().split()) if core else set()
    return len(words & theirs) / len(words | theirs) if words | theirs else 0.0


def _lineage(steps: Sequence[LineageStep], indent: int = 2) -> Iterator[Line]:
    pad = " " * indent
    for step in steps:
        broken = ("bad", "  CHANGED since it was linked") if step.note or step.memory else ("warn", "  not found")
        yield line(
            f"{pad}{step.link.relation} {step.link.uri}", ("dim", "") if step.sound else broken, indent=indent + 2
        )
        if step.note is not None:
            yield line(("info", f"{pad}  {step.note.author}"), ("dim", f"  {format_time(step.note.at)}"))
            yield from paragraph(_cut(step.note.text), indent=indent + 4)
        elif step.memory is not None:
            found = step.memory
            yield line(("info", f"{pad}  {found.author}"), ("dim", f"  {found.type}, {found.status}"))
            yield from paragraph(_cut(found.content), indent=indent + 4)
        elif step.missing:
            yield line(("dim", f"{pad}  {step.missing}"), indent=indent + 2)


def _history(memory: Memory) -> Iterator[Line]:
    for entry in memory.lifecycle:
        word = "verified" if entry.verified else entry.status.value
        where = f" in {entry.session}" if entry.session else ""
        yield line(("dim", f"  {format_time(entry.at)}  "), word, ("dim", f" by {entry.by}{where}"), indent=4)
        if entry.successor:
            yield line(("dim", "    by "), short_id(entry.successor))
        if entry.reason:
            yield from paragraph(entry.reason, "dim", 4)


# -- prune -----------------------------------------------------------------------------------


def list_prune(keeping: SessionKeeping, policy: RetentionPolicy, words: str) -> Listing:
    """The live plan: what goes and what stays, each with its reason; what goes comes first."""
    plan = keeping.preview(policy)
    shown = [
        one for one in (*plan.goes, *reversed(plan.keeps)) if not words or _has(words, f"{one.session.id} {one.reason}")
    ]
    summary = line(("warn" if plan.goes else "good", f"{len(plan.goes)} of {len(plan.verdicts)} sessions go"))
    return Listing(
        [one.session.id for one in shown],
        [_verdict_row(one, plan.act) for one in shown],
        summary=summary,
        empty=_empty(
            words, "No session to decide on.", "Sessions in the archive are not touched by an archiving prune."
        ),
        facts=plan,
    )


def _verdict_row(one: Verdict, act: str) -> Row:
    mark = ("removed", "x ") if one.goes else ("dim", "  ")
    held = one.rule in ("active", "dreaming", "unconsolidated", "open", "damaged")
    return Row(
        one.session.id,
        line(
            mark,
            f"{one.session.id[4:6]}-{one.session.id[6:8]} {one.session.id[9:11]}:{one.session.id[11:13]} ",
            ("dim", f"{one.session.notes:>4}n "),
            ("removed" if one.goes else "warn" if held else "good", "goes " if one.goes else "stays"),
            ("dim", f" {one.reason}"),
        ),
    )


def prune_detail(store: Store, plan: Plan) -> list[Line]:
    """The plan as a page: before and after, what is held back and why, and whose lineage it touches."""
    records = [one.session for one in plan.verdicts]
    going = [one.session for one in plan.goes]
    yaml = sum(one.yaml_bytes for one in records)
    live = sum(one.yaml_bytes + one.db_bytes for one in records if not one.archived)
    moved = sum(one.yaml_bytes for one in going)
    notes = sum(one.notes for one in going)
    after = live - sum(one.db_bytes + (one.yaml_bytes if not one.archived else 0) for one in going)
    shown = [
        line(("title", "Preview"), ("dim", "  nothing has been changed")),
        *paragraph(plan.sentence, "text", 0),
        BLANK,
        line(("head", f"{'':<16}{'now':>12}{'after':>12}{'change':>12}")),
        _amount("sessions here", sum(one.in_primary for one in records), -len(going)),
        _amount("notes here", sum(one.notes for one in records), -notes),
        _amount("bytes here", live, after - live),
        _amount("bytes freed", 0, plan.freed),
        BLANK,
    ]
    if plan.act == "archive":
        shown.append(line(("good", f"{moved:,} bytes of timelines go to the archive; R brings a session back.")))
    else:
        shown.append(
            line(("bad", f"{moved or yaml:,} bytes of timelines are deleted for good; a tombstone with hashes stays."))
        )
    affected = _affected(store, {one.id for one in going}) if going else []
    shown.append(
        line(
            f"{len(affected)} memories rest on notes that go; ",
            (
                "dim",
                "their links still verify" if plan.act == "archive" else "their links verify by hash, the text is gone",
            ),
        )
    )
    if plan.warnings:
        shown += [BLANK, heading("Mind")]
        shown += [line(("warn", f"  {one}"), indent=2) for one in plan.warnings]
    held: dict[str, int] = {}
    for one in plan.keeps:
        held[one.reason if one.rule not in ("keep", "age") else one.rule] = held.get(one.reason, 0) + 1
    groups: dict[str, list[Verdict]] = {}
    for one in plan.keeps:
        groups.setdefault(one.rule, []).append(one)
    shown += [BLANK, heading("Held back", f"{len(plan.keeps)} sessions")]
    shown += [
        line(f"  {len(some):>5}  ", ("dim", f"{rule}: {some[-1].reason}"), indent=9) for rule, some in groups.items()
    ]
    if affected:
        shown += [BLANK, heading("Lineage affected")]
        shown += [line(f"  {short_id(one.id)} ", ("dim", one_line(one.title, 200))) for one in affected[:200]]
    shown += [BLANK, line(("dim", f"plan {plan.fingerprint[:12]}; it is void once any of these sessions changes"))]
    return shown


def _amount(name: str, now: int, change: int) -> Line:
    role = "removed" if change < 0 else "added" if change > 0 else "dim"
    return line(
        ("dim", f"{name:<16}"), f"{now:>12,}{now + change:>12,}", (role, f"{change:>+12,}" if change else f"{0:>12}")
    )


def _affected(store: Store, going: set[str]) -> list[Memory]:
    """Memories with a link into one of these sessions."""
    found: dict[str, Memory] = {}
    with open_index(store.terrain.index, store.memories) as index:
        for session_id in sorted(going):
            for entry in index.touched_by(session_id):
                if entry.id not in found:
                    try:
                        memory = index.load(entry)
                    except (TurError, OSError):
                        continue
                    if any((named := note_of_uri(link.uri)) and named[0] in going for link in memory.links):
                        found[entry.id] = memory
    return list(found.values())


# -- memories --------------------------------------------------------------------------------


def list_memories(store: Store, words: str, kind: MemoryType | None, status: Status | None) -> Listing:
    """Memories, newest first, or the best matches for the words."""
    types = [kind.value] if kind else []
    with open_index(store.terrain.index, store.memories) as index:
        total = index.count()
        if words:
            entries = iter(index.search(words, types=types, all_statuses=True, limit=SEARCH_LIMIT))
        else:
            entries = index.entries(types=types, all_statuses=True, now=format_time(store.clock.now()))
        ids = [entry.id for entry in entries if status is None or entry.status is status]
        unreadable = len(index.unreadable)
        by_status = index.status_counts()
    kept = ", ".join(filter(None, [kind.value if kind else "", status.value if status else ""]))
    told = line(
        f"{len(ids):,} of {total:,} memories",
        ("dim", f"  only {kept}" if kept else "  " + ", ".join(f"{count} {name}" for name, count in by_status.items())),
        ("bad", f"  {unreadable} unreadable" if unreadable else ""),
    )
    return Listing(
        ids,
        summary=told,
        empty=_empty(
            words or kept,
            "Nothing is remembered yet.",
            "An agent learns with `tur learn`, and dreams its notes into memories with `tur sleep`.",
        ),
    )


_STATUS_ROLES: Mapping[Status, tuple[str, str]] = {
    Status.ACTIVE: ("good", " "),
    Status.PENDING_APPROVAL: ("warn", "?"),
    Status.SUPERSEDED: ("dim", "~"),
    Status.REFUTED: ("removed", "-"),
    Status.MERGED: ("dim", "&"),
    Status.REJECTED: ("removed", "x"),
    Status.ARCHIVED: ("dim", "#"),
}


def memory_rows(store: Store, ids: Sequence[str]) -> list[Row]:
    """The rows of these memories; one that cannot be read says so."""
    now = store.clock.now()
    half_lives = HalfLives.of(store.persona.settings.half_life_days)
    return [_memory_row(store, one, now, half_lives) for one in ids]


def _memory_row(store: Store, memory_id: str, now: datetime, half_lives: HalfLives) -> Row:
    try:
        memory = store.memories.get(memory_id)
    except (TurError, OSError):
        return Row(memory_id, line(f"  {memory_id[:8]} ", ("bad", "! unreadable or gone")))
    role, sign = _STATUS_ROLES[memory.status]
    stale = is_stale(memory, now, half_lives)
    return Row(
        memory_id,
        line(
            (role, f"{sign} "),
            ("dim", f"{memory_id[:8]} {memory.type.value:<10} "),
            ("warn", "stale " if stale else ""),
            ("text" if memory.status is Status.ACTIVE else "dim", one_line(memory.content, 400)),
        ),
    )


def memory_detail(store: Store, memory_id: str) -> Detail:
    """One memory in full: text, standing, lineage down to the notes, history."""
    view = show_memory(store, memory_id)
    memory = view.memory
    role, sign = _STATUS_ROLES[memory.status]
    marks = [("bad", "  edited by hand")] if view.edited else []
    if is_stale(memory, store.clock.now(), HalfLives.of(store.persona.settings.half_life_days)):
        marks.append(("warn", "  stale"))
    shown = [
        line(
            ("title", short_id(memory.id)),
            (role, f"  {sign} {memory.status}"),
            ("dim", f"  {memory.type}, {memory.scope}"),
            *marks,
        ),
        BLANK,
        *paragraph(_cut(memory.content)),
    ]
    if memory.core is not None:
        shown += [
            BLANK,
            *fields(
                [
                    ("core type", memory.core.core_type.value),
                    ("principle", memory.core.derived_principle),
                    ("covenant", memory.core.ethical_covenant),
                ]
            ),
        ]
    shown += [
        BLANK,
        *fields(
            [
                ("by", memory.author + (f" in {memory.session}" if memory.session else "")),
                ("at", format_time(memory.timestamp)),
                ("tags", ", ".join(memory.tags) or "none"),
                ("id", memory.id),
                ("seal", memory.seal or "none"),
            ]
        ),
        BLANK,
        heading("Rests on", "" if view.lineage else "nothing that is linked"),
        *_lineage(view.lineage),
        BLANK,
        heading("History"),
        *_history(memory),
    ]
    return Detail(short_id(memory.id), shown, facts=memory)


def first_note(memory: Memory) -> tuple[str, int] | None:
    """The first note that a memory rests on, if it is linked to one."""
    wanted = (Relation.CONSOLIDATED_FROM, Relation.REFINES, Relation.OBSERVED_IN)
    links = [link for link in memory.links if link.relation in wanted] or list(memory.links)
    return next((named for link in links if (named := note_of_uri(link.uri))), None)


# -- audit -----------------------------------------------------------------------------------


def list_audit(store: Store, words: str) -> Listing:
    """The steward's acts, newest first, and whether the log holds."""
    log = audit_file(store).read()
    verdict = core_trust(store, [])
    entries = {str(entry.seq): entry for entry in reversed(log.entries)}
    if words:
        entries = {key: one for key, one in entries.items() if _has(words, _entry_text(one))}
    wrong = [alarm for alarm in verdict.alarms if alarm.closed]
    state = ("good", "the chain holds")
    if wrong:
        state = ("bad", f"NOT IN ORDER: {wrong[0].subject}: {wrong[0].message}")
    key = f", key {verdict.key[:16]}" if verdict.key else ", no steward key"
    return Listing(
        list(entries),
        [_entry_row(entry) for entry in entries.values()],
        summary=line(f"{len(log.entries):,} {'act' if len(log.entries) == 1 else 'acts'}, ", state, ("dim", key)),
        empty=_empty(words, "No act yet.", "Every approval, rejection, forgetting, restoring and prune is told here."),
        facts=(entries, verdict.alarms),
    )


def _entry_text(entry: AuditEntry) -> str:
    return f"{entry.act} {entry.actor} {entry.id or ''} {entry.reason or ''} {' '.join(entry.argv)}"


_ACT_ROLES = {
    "approve": "good",
    "restore": "good",
    "reject": "removed",
    "forget": "removed",
    "undo": "warn",
    "prune": "warn",
}


def _entry_row(entry: AuditEntry) -> Row:
    told = short_id(entry.id) if entry.id else ""
    return Row(
        str(entry.seq),
        line(
            ("dim", f"{entry.seq:>4} {entry.at:%m-%d %H:%M} "),
            (_ACT_ROLES.get(entry.act.value, "info"), f"{entry.act.value:<12}"),
            f"{told:<17}",
            ("dim", one_line(entry.reason or entry.actor, 200)),
        ),
    )


def entry_detail(entry: AuditEntry, alarms: Sequence[object]) -> list[Line]:
    """One act in full."""
    return [
        line(("title", f"Line {entry.seq}"), (_ACT_ROLES.get(entry.act.value, "info"), f"  {entry.act.value}")),
        *fields(
            [
                ("at", format_time(entry.at)),
                ("by", entry.actor),
                ("memory", short_id(entry.id) if entry.id else "none"),
                ("reason", entry.reason or "none given"),
                ("command", " ".join(entry.argv) or "unknown"),
                ("id", entry.id or ""),
                ("seal", entry.seal or ""),
                ("digest", entry.digest or ""),
                ("signed by", entry.fingerprint or "nobody: no steward key"),
                ("before", entry.previous),
                ("hash", entry.hash),
            ]
        ),
        *([BLANK, heading("Alarms")] if alarms else []),
        *(
            line(("bad", f"  {getattr(alarm, 'subject', '')}: {getattr(alarm, 'message', '')}"), indent=2)
            for alarm in alarms
        ),
    ]


# -- shared ----------------------------------------------------------------------------------


def find_anything(store: Store, words: str, limit: int = 50) -> list[tuple[str, str, str]]:
    """Memories and sessions for the command palette: what kind, its id, and how it is told."""
    with open_index(store.terrain.index, store.memories) as index:
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


def _has(words: str, text: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words.casefold().split())


def _count_line(shown: int, total: int, noun: str, words: str) -> Line:
    plural = noun if total == 1 else f"{noun}s"
    if words:
        return line(f"{shown:,} of {total:,} {plural}", ("info", f"  /{words}"))
    return line(f"{total:,} {plural}")


def _empty(words: str, title: str, text: str) -> list[Line]:
    if words:
        return [line(("title", "Nothing here answers to the filter.")), line(("dim", "Press escape to clear it."))]
    return [line(("title", title)), BLANK, line(("dim", text))]


def _cut(text: str) -> str:
    if len(text) <= LONG_TEXT:
        return text
    return f"{text[:LONG_TEXT]}\n… {len(text) - LONG_TEXT:,} more characters; `tur show` prints all of it"


def _time(moment: datetime | None) -> str:
    return format_time(moment) if moment else "not recorded"


def _age(moment: datetime, now: datetime) -> str:
    seconds = max(0, int((now - moment).total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return "now"


def is_session(given: str) -> bool:
    """Whether a text is a session's id."""
    return SESSION_ID.fullmatch(given) is not None


def list_archive(keeping: SessionKeeping, words: str) -> Listing:
    """The sessions in the archive, newest first."""
    ids = [one.id for one in reversed(keeping.sessions(archived=True))]
    shown = [one for one in ids if not words or words in one]
    return Listing(
        shown,
        summary=_count_line(len(shown), len(ids), "archived session", words),
        empty=_empty(words, "The archive is empty.", "What a prune archives can be brought back from here."),
    )
