"""`tur diff`: what was learned, unlearned and went stale between two moments (EP-0133).

Reads only: it takes no lock, and writes not even to the derived index. A session's two ends are
checkpoints (tur.policy.lifecycle): what a session wrote counts by its name, so a clock that went
backwards moves nothing into another session; what nobody's session wrote counts by time.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tur.clock import format_time, parse_time
from tur.codec.delta_json import delta_document
from tur.codec.memory_file import is_edited, parse_memory
from tur.errors import InvalidInput, NotFound, StoreCorrupt, TurError
from tur.ids import SESSION_ID, check_session_prefix, match_prefix, note_of_uri
from tur.model.memory import Memory, MemoryType, Scope
from tur.model.session import SessionNotes, SessionState
from tur.policy.decay import DECAYING, HalfLives
from tur.policy.diff import Change, DiffEnd, MemoryDelta, compare, filter_deltas
from tur.policy.lifecycle import EVERYTHING, Checkpoint, HandEdit, state_at
from tur.store.git import GitMemories
from tur.store.index import Entry, Index, open_index
from tur.store.peek import peek_ancestor, peek_session
from tur.store.store import Store
from tur.store.tombstones import find_tombstone, list_tombstones

MAX_ANCESTORS = 50
"""How many sessions back lineage is followed; what older ones wrote counts by time."""

_DURATION = re.compile(r"(?:(\d{1,6})w)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?")
_SESSION_LIKE = re.compile(r"\d+(_\w*)?")
_UNITS = ("weeks", "days", "hours", "minutes", "seconds")


@dataclass(frozen=True, slots=True)
class DiffSelection:
    """What to compare. At most one of `sessions` (none, one or two), `since`, `git` and `ends` is given.

    Sessions are `@`, `@~n`, an id or a unique beginning of one. `since` is a duration such as
    `2h` or `1d12h`, or an ISO time. `git` is `REV` (against what is there now) or `REV..REV`.
    `ends` are two of which each is a session, for its end, or what `since` may be.
    """

    sessions: tuple[str, ...] = ()
    since: str | None = None
    git: str | None = None
    types: tuple[MemoryType, ...] = ()
    scopes: tuple[Scope, ...] = ()
    ends: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class DiffReport:
    """The answer. `heading` names what was compared; `warnings` say what could not be read or was estimated.

    `note_texts` maps the URIs of the notes that the deltas name to their text. `changes` are all that
    differ, whatever the deltas were filtered by. `backwards`: the base is later than the target.
    """

    heading: str
    base: DiffEnd
    target: DiffEnd
    deltas: list[MemoryDelta]
    types: tuple[MemoryType, ...] = ()
    scopes: tuple[Scope, ...] = ()
    warnings: list[str] = field(default_factory=list)
    note_texts: dict[str, str] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    backwards: bool = False

    def document(self) -> dict[str, object]:
        """The report as JSON, `tur.diff/1`."""
        return delta_document(
            self.deltas,
            base=self.base,
            target=self.target,
            types=self.types,
            scopes=self.scopes,
            warnings=self.warnings,
        )


def diff(store: Store, selection: DiffSelection | None = None) -> DiffReport:
    """Compare two states of the store's memories; without a selection, since the active session began.

    Raises InvalidInput for a selection that makes no sense, NotFound for an unknown session or
    revision and when no session is active, Ambiguous for a prefix that several sessions share.
    """
    wanted = selection or DiffSelection()
    forms = [bool(wanted.sessions), wanted.since is not None, wanted.git is not None, wanted.ends is not None]
    if sum(forms) > 1:
        raise InvalidInput("sessions, --since and --git exclude each other", hint="Give one of them.")
    if len(wanted.sessions) > 2:
        raise InvalidInput("a diff compares one session with its predecessor, or two sessions")
    if wanted.git is not None:
        report = _git_diff(store, wanted.git)
    else:
        reader = _Sessions(store)
        with open_index(store.terrain.index, store.memories, write=False) as index:
            report = _diff_of(store, index, reader, _window(store, index, reader, wanted))
    return replace(
        report,
        deltas=filter_deltas(report.deltas, wanted.types, wanted.scopes),
        types=wanted.types,
        scopes=wanted.scopes,
        changes=_changes(report),
    )


def changes_since(store: Store, selection: DiffSelection, *, most: int) -> list[Change] | None:
    """What changed from the target of this selection to now; None when more than `most` memories would be read.

    Nothing where the target is the present itself. Raises what `diff` raises.
    """
    if selection.git is not None:
        _, dots, new = selection.git.strip().partition("..")
        if not dots:
            return []
        with open_index(store.terrain.index, store.memories, write=False) as index:
            if index.count() > most:
                return None
        return list(_changes(_git_diff(store, new or "HEAD")))
    reader = _Sessions(store)
    with open_index(store.terrain.index, store.memories, write=False) as index:
        window = _window(store, index, reader, selection)
        if window.target == replace(_now(), end=window.target.end):
            return []
        rest = _Window(window.heading, window.target, _now())
        if len(_candidates(store, index, reader, rest)) > most:
            return None
        return list(_changes(_diff_of(store, index, reader, rest)))


def _changes(report: DiffReport) -> tuple[Change, ...]:
    return tuple(change for delta in report.deltas for change in delta.changes)


def parse_since(text: str, now: datetime) -> datetime:
    """The moment that a duration before `now`, or an ISO time, names. Raises InvalidInput."""
    given = text.strip()
    match = _DURATION.fullmatch(given.lower())
    try:
        if match and any(match.groups()):
            amounts = {unit: int(value or 0) for unit, value in zip(_UNITS, match.groups(), strict=True)}
            return now - timedelta(**amounts)
        moment = parse_time(given)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"not a duration or a time: {text!r}",
            hint="Give a duration such as 30m, 2h, 3d or 1d12h, or an ISO time such as 2026-08-27T15:00Z.",
        ) from None
    if moment > now:
        raise InvalidInput(
            f"{format_time(moment)} is in the future",
            hint=f"It is {format_time(now)} now; a time without a zone is UTC.",
        )
    return moment


@dataclass(frozen=True, slots=True)
class _Span:
    """A session's place in time. `ended` is None while it is open; `doubt` says what had to be guessed."""

    id: str
    started: datetime
    ended: datetime | None
    parent: str | None
    notes: dict[int, str]
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class _Point:
    """One end of a window: just after a session (`after`), or just before one (`before`), or a time alone."""

    end: DiffEnd
    at: datetime | None
    after: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class _Window:
    heading: str
    base: _Point
    target: _Point


class _Sessions:
    """Sessions as a diff needs them, each read at most once; pruned ones by their tombstone."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._spans: dict[str, _Span] = {}
        self._lines: dict[str, list[str]] = {}

    def resolve(self, given: str, index: Index) -> str:
        """The full id. Raises InvalidInput, NotFound or Ambiguous."""
        if given.strip().startswith("@"):
            return peek_ancestor(self._store, given.strip())
        prefix = check_session_prefix(given)
        known = {*self._store.sessions.ids(), *list_tombstones(self._store.terrain, self._store.persona_id)}
        if SESSION_ID.fullmatch(prefix) and prefix not in known and index.touched_by(prefix):
            # Its timeline is gone without a trace, and yet memories know what it did.
            return prefix
        return match_prefix(prefix, known, kind="session")

    def span(self, session_id: str) -> _Span:
        if session_id not in self._spans:
            self._spans[session_id] = self._read(session_id)
        return self._spans[session_id]

    def line(self, session_id: str) -> list[str]:
        """The session and its ancestors, nearest first, up to MAX_ANCESTORS."""
        if session_id not in self._lines:
            line: list[str] = []
            current: str | None = session_id
            while current and current not in line and len(line) <= MAX_ANCESTORS:
                line.append(current)
                parent = self.span(current).parent
                current = parent if parent is not None and _is_session(parent) else None
            self._lines[session_id] = line
        return self._lines[session_id]

    def doubts(self) -> list[str]:
        return [span.doubt for _, span in sorted(self._spans.items()) if span.doubt]

    def note_text(self, uri: str) -> str | None:
        named = note_of_uri(uri)
        return self.span(named[0]).notes.get(named[1]) if named else None

    def _read(self, session_id: str) -> _Span:
        try:
            return self._live(peek_session(self._store, session_id))
        except NotFound:
            stone = find_tombstone(self._store.terrain, self._store.persona_id, session_id)
        except StoreCorrupt as error:
            return _Span(session_id, _began(session_id), _began(session_id), None, {}, error.message)
        if stone is not None:
            started = stone.started_at or _began(session_id)
            return _Span(session_id, started, stone.ended_at or stone.pruned_at, stone.parent_session_id, {})
        doubt = f"session {session_id} left no timeline: its time is taken from its id"
        return _Span(session_id, _began(session_id), _began(session_id), None, {}, doubt)

    def _live(self, session: SessionNotes) -> _Span:
        notes = session.notes
        started = session.started_at or (notes[0].at if notes else _began(session.session_id))
        ended, doubt = session.ended_at, None
        if session.state is SessionState.OPEN:
            ended = None
        elif ended is None:
            ended = session.consolidation.consolidated_at or (notes[-1].at if notes else None)
            if ended is None and session.state is SessionState.ENDED:
                ended = self._file_time(session.session_id) or started
                doubt = f"session {session.session_id} has no end: the time of its file was taken"
        texts = {note.idx: note.text for note in notes}
        return _Span(session.session_id, started, ended, session.parent_session_id, texts, doubt)

    def _file_time(self, session_id: str) -> datetime | None:
        path = self._store.sessions.timeline_path(session_id)
        return None if path is None else _modified(path)


def _began(session_id: str) -> datetime:
    """The moment in a session's id; the start of time when those digits are no date."""
    try:
        return datetime.strptime(session_id[:15], "%Y%m%d_%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return datetime(1, 1, 1, tzinfo=UTC)


def _modified(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(microsecond=0)
    except OSError:
        return None


# -- which window -----------------------------------------------------------------------------


def _window(store: Store, index: Index, reader: _Sessions, wanted: DiffSelection) -> _Window:
    if wanted.since is not None:
        base = _moment(store, wanted.since)
        return _Window(f"since {base.end.label}", base, _now())
    if wanted.ends is not None:
        base, target = (_end_named(store, index, reader, one) for one in wanted.ends)
        return _Window(f"{base.end.label} -> {target.end.label}", base, target)
    if not wanted.sessions:
        active = store.sessions.active()
        if active is None:
            raise NotFound(
                "no session is active, so there is nothing to compare with",
                hint="`tur diff @~1` shows what the last session changed, `tur diff --since 2h` the last two hours.",
            )
        return _Window(f"Session {active}", _start_of(reader, active), _now(active))
    first = reader.resolve(wanted.sessions[0], index)
    if len(wanted.sessions) == 1:
        parent = next(iter(reader.line(first)[1:]), None)
        base = _start_of(reader, first) if parent is None else _end_of(reader, parent, or_at=reader.span(first).started)
        return _Window(f"Session {first}", base, _end_of(reader, first))
    second = reader.resolve(wanted.sessions[1], index)
    return _Window(f"Session {first} -> {second}", _end_of(reader, first), _end_of(reader, second))


def is_time(text: str) -> bool:
    """Whether a text is written as a duration or an ISO time, rather than as a session's name."""
    given = text.strip()
    match = _DURATION.fullmatch(given.lower())
    if match and any(match.groups()):
        return True
    if _SESSION_LIKE.fullmatch(given):
        return False
    try:
        parse_time(given)
    except ValueError:
        return False
    return True


def _end_named(store: Store, index: Index, reader: _Sessions, given: str) -> _Point:
    if not is_time(given):
        return _end_of(reader, reader.resolve(given, index))
    return _moment(store, given)


def _moment(store: Store, given: str) -> _Point:
    moment = parse_since(given, store.clock.now())
    return _Point(DiffEnd(format_time(moment), moment), moment)


def _now(session_id: str | None = None) -> _Point:
    return _Point(DiffEnd("now", None, session_id), None)


def _start_of(reader: _Sessions, session_id: str) -> _Point:
    started = reader.span(session_id).started
    return _Point(DiffEnd(f"start of session {session_id}", started, session_id), started, before=session_id)


def _end_of(reader: _Sessions, session_id: str, *, or_at: datetime | None = None) -> _Point:
    """Just after a session; for one that is still open, and followed by another, when that one began."""
    ended = reader.span(session_id).ended or or_at
    return _Point(DiffEnd(f"end of session {session_id}", ended, session_id), ended, after=session_id)


# -- comparing --------------------------------------------------------------------------------


def _diff_of(store: Store, index: Index, reader: _Sessions, window: _Window) -> DiffReport:
    now = store.clock.now()
    half_lives = HalfLives.of(store.persona.settings.half_life_days)
    warnings = [f"{one.path}: {one.problem}" for one in index.unreadable]
    edits: dict[str, HandEdit] = {}
    memories: dict[str, Memory] = {}
    for memory, edit in _loaded(store, index, _candidates(store, index, reader, window)):
        memories[memory.id] = memory
        if edit is not None:
            edits[memory.id] = edit
    _add_successors(store, memories)
    mentioned = set(filter(_is_session, _mentioned(memories.values())))
    base, target = (
        state_at(memories.values(), _checkpoint(reader, point, mentioned), now=now, half_lives=half_lives, edits=edits)
        for point in (window.base, window.target)
    )
    deltas = compare(base, target)
    texts = dict(_note_texts(reader, deltas))
    return DiffReport(
        heading=window.heading,
        base=window.base.end,
        target=window.target.end,
        deltas=deltas,
        warnings=[*warnings, *reader.doubts()],
        note_texts=texts,
        backwards=_is_backwards(reader, window.base, window.target),
    )


def _mentioned(memories: Iterable[Memory]) -> Iterator[str]:
    for memory in memories:
        yield from (one for one in (memory.session, *(entry.session for entry in memory.lifecycle)) if one)


def _is_session(text: str) -> bool:
    """Files can be edited: only what is a session's id may be looked for on disk."""
    return SESSION_ID.fullmatch(text) is not None


def _between(reader: _Sessions, window: _Window) -> set[str]:
    """Sessions whose work lies between the ends whatever their clocks said."""
    base, target = window.base.after, window.target.after
    named = {one for one in (base, target, window.base.before, window.target.end.session) if one}
    if base is None or target is None or base == target:
        return named
    one, other = reader.line(base), reader.line(target)
    return named | (set(one) ^ set(other) if set(one) & set(other) else set())


def _is_backwards(reader: _Sessions, base: _Point, target: _Point) -> bool:
    """Whether the base is later than the target.

    By the order of their sessions where one follows the other, else by time. A point without a time is the present.
    """
    if base.after and target.after and base.after != target.after:
        if target.after in reader.line(base.after):
            return True
        if base.after in reader.line(target.after):
            return False
    return target.at is not None and (base.at is None or base.at > target.at)


def _checkpoint(reader: _Sessions, point: _Point, mentioned: set[str]) -> Checkpoint:
    """The point as a rule over lifecycle entries, with a word on every session that they mention."""
    pivot = point.after or point.before
    if pivot is None:
        return Checkpoint(point.at)
    earlier = {pivot} if point.after else set()
    later = {pivot} if point.before else set()
    if mentioned - {pivot}:
        line = reader.line(pivot)
        earlier.update(line[1:])
        later.update(one for one in mentioned - set(line) if pivot in reader.line(one))
    return Checkpoint(point.at, frozenset(earlier), frozenset(later))


def _candidates(store: Store, index: Index, reader: _Sessions, window: _Window) -> list[Entry]:
    """Every memory whose state can differ between the ends: changed, gone stale or edited since."""
    now = store.clock.now()
    half_lives = HalfLives.of(store.persona.settings.half_life_days)
    ats = [at for at in (window.base.at, window.target.at) if at is not None]
    low, high = min(ats, default=now), now if len(ats) < 2 else max(ats)
    entries = {entry.id: entry for entry in index.changed_since(format_time(low), sorted(_between(reader, window)))}
    for kind in DECAYING:
        life = half_lives.of_type(kind)
        if life is not None:
            span = _minus(low, life), _minus(high, life)
            entries.update({entry.id: entry for entry in index.last_verified_between(*span, [kind])})
    for entry in index.edited():
        changed = _modified(entry.path)
        if changed is not None and changed >= low:
            entries[entry.id] = entry
    return list(entries.values())


def _loaded(store: Store, index: Index, entries: Iterable[Entry]) -> Iterator[tuple[Memory, HandEdit | None]]:
    for entry in entries:
        try:
            memory = index.load(entry)
        except (FileNotFoundError, TurError):
            continue  # moved or changed since the index was read; the next diff tells it
        yield memory, _hand_edit(store, memory, entry.path) if entry.edited else None


def _minus(moment: datetime, span: timedelta) -> str:
    return format_time(moment - span if moment - datetime.min.replace(tzinfo=UTC) > span else moment)


def _hand_edit(store: Store, memory: Memory, path: Path) -> HandEdit:
    """When the file was edited, and the text that its id stands for, where git still has that."""
    old: str | None = None
    try:
        data = GitMemories(store.terrain.root).text_before(path.relative_to(store.terrain.root).as_posix())
        committed = None if data is None else parse_memory(data)
        if committed is not None and committed.id == memory.id and not is_edited(committed):
            old = committed.content
    except (ValueError, TurError):
        pass  # in the home, or no git here: the old text is not known
    return HandEdit(_modified(path), old)


def _add_successors(store: Store, memories: dict[str, Memory]) -> None:
    """Those that are named as successors, so that the deltas can show their text."""
    named = {entry.successor for memory in memories.values() for entry in memory.lifecycle if entry.successor}
    for one in sorted(named - memories.keys()):
        try:
            memories[one] = store.memories.get(one)
        except (TurError, ValueError, FileNotFoundError):
            continue


def _note_texts(reader: _Sessions, deltas: Iterable[MemoryDelta]) -> Iterator[tuple[str, str]]:
    """The texts that provenance lines quote: of memories that rest on one note alone."""
    for delta in deltas:
        if delta.status == "ADDED" and len(delta.sources) == 1:
            text = reader.note_text(delta.sources[0])
            if text is not None:
                yield delta.sources[0], text


# -- git --------------------------------------------------------------------------------------


def _git_diff(store: Store, given: str) -> DiffReport:
    """Compare the terrain's memory files at a revision with those at another, or with what is there now."""
    old, dots, new = given.strip().partition("..")
    if new.startswith(".") or not (old or new):
        raise InvalidInput(f"not a range of revisions: {given!r}", hint="Give REV or REV..REV.")
    git, now = GitMemories(store.terrain.root), store.clock.now()
    half_lives = HalfLives.of(store.persona.settings.half_life_days)
    warnings: list[str] = []
    parsed: dict[bytes, Memory | TurError] = {}
    base_end = _git_end(git, old or "HEAD")
    base_files = git.files(base_end.revision or "", persona_id=store.persona_id)
    if dots:
        target_end = _git_end(git, new or "HEAD")
        target_files = git.files(target_end.revision or "", persona_id=store.persona_id)
    else:
        target_end = DiffEnd("work tree")
        target_files = list(_work_tree(store, warnings))
    base, target = (
        state_at(
            _parse(files, parsed, base_end.at, f"{end.label}: ", warnings),
            EVERYTHING,
            # A commit from a clock ahead of ours must not be staler than the present.
            now=min(end.at or now, now),
            half_lives=half_lives,
        )
        for end, files in ((base_end, base_files), (target_end, target_files))
    )
    heading = f"git {base_end.label} -> {target_end.label}"
    reader = _Sessions(store)
    deltas = compare(base, target)
    return DiffReport(
        heading,
        base_end,
        target_end,
        deltas,
        warnings=warnings,
        note_texts=dict(_note_texts(reader, deltas)),
        backwards=base_end.at is not None and target_end.at is not None and base_end.at > target_end.at,
    )


def _git_end(git: GitMemories, rev: str) -> DiffEnd:
    commit = git.resolve(rev)
    return DiffEnd(commit[:12], git.committed_at(commit), revision=commit)


def _work_tree(store: Store, warnings: list[str]) -> Iterator[tuple[str, bytes]]:
    root = store.terrain.root
    for file in store.memories.files():
        if file.path.is_relative_to(root):
            try:
                yield file.path.relative_to(root).as_posix(), file.path.read_bytes()
            except OSError as error:
                warnings.append(f"{file.path}: {error.strerror}")


def _parse(
    files: Iterable[tuple[str, bytes]],
    parsed: dict[bytes, Memory | TurError],
    undated: datetime | None,
    where: str,
    warnings: list[str],
) -> Iterator[Memory]:
    """Files as memories; equal bytes are read once. One without a time gets the same at both ends."""
    for name, data in files:
        if data not in parsed:
            try:
                memory = parse_memory(data)
                if "timestamp_from" in memory.extra and undated is not None:
                    memory = replace(memory, timestamp=undated)
                parsed[data] = memory
            except TurError as error:
                parsed[data] = error
        found = parsed[data]
        if isinstance(found, Memory):
            yield found
        else:
            warnings.append(f"{where}{name}: {found.message}")
