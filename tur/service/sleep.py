"""`tur sleep`: a session's notes are dreamt into memories, once and only once (EP-0152).

Each step may be repeated after a crash at any point. Until the seal nothing but notes has been
written; the seal stores the whole plan in the session's database in the same transaction that
stops further notes; what follows only carries the stored plan out, and whoever comes next does so.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from tur import faults
from tur.clock import format_time
from tur.codec.memory_file import parse_memory
from tur.dreaming.delegate import DelegatedDream, parse_reply
from tur.dreaming.engine import Dreamer, DreamRequest, DreamResult
from tur.dreaming.prompt import build_note_dreaming_prompt
from tur.errors import (
    Conflict,
    DreamFailed,
    NotFound,
    SessionAlreadyConsolidatedError,
    SessionSealed,
    SleepInProgress,
    TurError,
)
from tur.model.memory import LifecycleEntry, Memory, Status
from tur.model.note import Note
from tur.model.session import SessionConsolidationInfo, SessionNotes, SessionState
from tur.policy.display import counted
from tur.policy.lifecycle import may_become
from tur.policy.secrets import redact
from tur.service.dream_plan import DreamPlan, plan_dream
from tur.service.intake import take_text
from tur.service.learn import mark_replaced
from tur.service.ledger import session_ledger
from tur.service.rotation import rotate_sessions
from tur.store.files import remove_file, write_file
from tur.store.index import open_index
from tur.store.locks import try_locked
from tur.store.store import Store

MAX_DREAMS = 3
"""One dream, and two more when notes come in meanwhile."""
RELATED = 12
KEPT_CHARACTERS = 64 * 1024
"""So much of a reply that was no Dream is kept for inspection."""


@dataclass(frozen=True, slots=True)
class SleepReport:
    """What a sleep did.

    `created` are memories that are new, `known` those that were there and were confirmed, `skipped`
    those that were withdrawn before and stay so. `dreamt_again` counts dreams repeated because notes
    came in. `resumed`: an interrupted sleep was finished. `unchanged`: a forced dream gave nothing new.
    `dry_run`: nothing was written. `archived` are sessions that were rotated out of the horizon.
    """

    session: SessionNotes
    model: str
    created: list[Memory] = field(default_factory=list)
    known: list[Memory] = field(default_factory=list)
    skipped: list[Memory] = field(default_factory=list)
    superseded: list[str] = field(default_factory=list)
    refuted: list[str] = field(default_factory=list)
    summary: str = ""
    redacted: list[str] = field(default_factory=list)
    dreamt_again: int = 0
    resumed: bool = False
    dry_run: bool = False
    moved_note: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    unchanged: bool = False
    archived: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        """`dry_run`, `unchanged`, `resumed` or `dreamt`."""
        for name in ("dry_run", "unchanged", "resumed"):
            if getattr(self, name):
                return name
        return "dreamt"


def perform_sleep_dreaming(
    store: Store,
    dreamer: Dreamer,
    *,
    author: str,
    final_note: str | None = None,
    session: str | None = None,
    force: bool = False,
) -> SleepReport:
    """Distil a session (the active one unless named) and end it.

    Raises SessionAlreadyConsolidatedError without `force`, SleepInProgress when another process is
    at it, Conflict when there is nothing to dream, DreamFailed when the engine gives nothing usable;
    in the latter cases the session stays open.
    """
    clean, redacted = take_text(final_note, "a final note") if final_note is not None else (None, [])
    # The persona's settings are needed after the seal: one that cannot be read stops the act before it begins.
    horizon = store.persona.settings.retention.horizon
    finished = recover_sleeps(store)
    faults.reached("sleep.recovered")
    session_id = _session_to_dream(store, session, may_begin=clean is not None)
    if session_id in finished and not force:
        report = finished[session_id]
        if clean in (None, report.session.notes[-1].text):
            return report
        # The final note came too late for the session that was just finished; the next one takes it.
        return replace(report, moved_note=store.sessions.add_note(author, clean)[0], redacted=redacted)
    moved: str | None = None
    current = store.sessions.load(session_id)
    _guard(current, force)
    faults.reached("sleep.guarded")
    if clean is not None and current.state is SessionState.OPEN:
        moved = _record(store, session_id, author, clean)
        faults.reached("sleep.noted")
    with dream_lease(store, session_id, author):
        faults.reached("sleep.leased")
        current = store.sessions.load(session_id)
        _guard(current, force)
        if clean is not None and current.state is not SessionState.OPEN and moved is None:
            _reopen(store, session_id)
            _record(store, session_id, author, clean)
        report = _dream(store, dreamer, session_id, author=author)
    report = _rotate(store, report, horizon)
    return replace(report, redacted=sorted({*redacted, *report.redacted}), moved_note=moved)


def _rotate(store: Store, report: SleepReport, horizon: int) -> SleepReport:
    """Step nine; what stands in its way is no failure of the sleep, and the next one tries again."""
    if report.unchanged:
        return report
    try:
        rotation = rotate_sessions(store, horizon)
    except TurError as error:
        return replace(report, warnings=[*report.warnings, f"no rotation: {error.message}"])
    skipped = [f"session {one.session_id} stays for now: {one.reason}" for one in rotation.skipped]
    return replace(
        report,
        archived=[one.session_id for one in rotation.archived],
        warnings=[*report.warnings, *skipped],
    )


def preview_dream(
    store: Store, dreamer: Dreamer, *, author: str, final_note: str | None = None, session: str | None = None
) -> SleepReport:
    """The dream that a sleep would have now; nothing is written, not even the final note."""
    clean, redacted = take_text(final_note, "a final note") if final_note is not None else (None, [])
    session_id = _session_to_dream(store, session, may_begin=False)
    current = store.sessions.load(session_id)
    notes = list(current.notes)
    if clean is not None:
        notes.append(Note(len(notes) + 1, store.clock.now(), author, clean, ""))
    _require_notes(session_id, notes)
    result = dreamer.dream(_request(store, current, notes, write=False))
    plan = plan_dream(store, current, notes, result, author=author, at=store.clock.now())
    return SleepReport(
        session=current.model_copy(update={"notes": notes}),
        model=result.model,
        created=plan.created(store),
        superseded=[old for old, _ in plan.supersedes],
        refuted=[old for old, _ in plan.refutes],
        known=plan.known(store),
        redacted=redacted,
        dry_run=True,
    )


def compile_prompt(store: Store, *, session: str | None = None) -> tuple[str, str]:
    """The session's id and the prompt for an agent that dreams by itself, which is remembered with the session.

    The number of notes it shows is kept, so that `--commit` can tell whether more came.
    """
    recover_sleeps(store)
    session_id = _session_to_dream(store, session, may_begin=False)
    current = store.sessions.load(session_id)
    _require_notes(session_id, current.notes)
    request = _request(store, current, current.notes)
    if store.sessions.has_database(session_id):
        with store.sessions.database(session_id) as database, database.writing():
            database.set_meta({"prompted_notes": str(len(current.notes))})
    return session_id, request.prompt


def commit_dream(
    store: Store,
    text: str,
    *,
    author: str,
    final_note: str | None = None,
    session: str | None = None,
    force: bool = False,
) -> SleepReport:
    """Take the Dream that an agent dreamt by itself from `compile_prompt`, and sleep with it.

    Raises DreamFailed for a reply that is no Dream (it is kept for inspection), and Conflict when
    notes came after the prompt; the third time it is taken, and those notes count as not
    consolidated. The session stays open then.
    """
    session_id = _session_to_dream(store, session, may_begin=False)
    _guard(store.sessions.load(session_id), force)
    try:
        dream = parse_reply(text)
        dreamer = DelegatedDream(dream, notes_seen=_notes_prompted(store, session_id))
        return perform_sleep_dreaming(
            store, dreamer, author=author, final_note=final_note, session=session_id, force=force
        )
    except DreamFailed as error:
        kept = _kept_reply(store, session_id)
        write_file(kept, redact(text[:KEPT_CHARACTERS])[0].encode(errors="backslashreplace"))
        raise DreamFailed(f"{error.message} (kept in {kept})", hint=error.hint, **error.context) from error


def _kept_reply(store: Store, session_id: str) -> Path:
    """Where a reply that was no usable Dream lies, until the session is dreamt."""
    return store.terrain.session(session_id) / "rejected-dream.txt"


def _notes_prompted(store: Store, session_id: str) -> int | None:
    """How many notes the prompt showed, None when there was none. Raises Conflict when more came."""
    if not store.sessions.has_database(session_id):
        return None
    with store.sessions.database(session_id) as database, database.writing():
        meta = database.meta()
        prompted = int(meta.get("prompted_notes", "0"))
        refused = int(meta.get("prompt_refusals", "0"))
        later = database.count() - prompted
        if not prompted or later <= 0 or refused >= MAX_DREAMS - 1 or meta["state"] != "open":
            return prompted or None
        database.set_meta({"prompt_refusals": str(refused + 1)})
    raise Conflict(
        f"{counted(later, 'note')} came after the prompt of session {session_id}",
        hint="Run `tur sleep --prompt` again and dream with the newer notes. The session stays open.",
    )


def _session_to_dream(store: Store, given: str | None, *, may_begin: bool) -> str:
    if given is not None:
        return store.sessions.resolve(given)
    state = store.sessions.state()
    if state.active_session is not None:
        return state.active_session
    if state.last_session is not None:
        return state.last_session
    if may_begin:
        return store.sessions.begin()[0]
    raise Conflict(
        "there is no session to sleep on",
        hint='Record what was reached first: `tur note "…"`, or give a final note with -n.',
    )


def _guard(session: SessionNotes, force: bool) -> None:
    info = session.consolidation
    if info.consolidated and not force:
        at = info.consolidated_at or session.ended_at or session.started_at
        assert at is not None
        raise SessionAlreadyConsolidatedError(
            session.session_id, at, len(info.derived_memory_ids), session.unconsolidated_notes
        )


def _require_notes(session_id: str, notes: list[Note]) -> None:
    if not notes:
        raise Conflict(
            f"session {session_id} has no notes",
            hint='Say in a final note what it was about: `tur sleep -n "…"`.',
            session=session_id,
        )


def _record(store: Store, session_id: str, author: str, text: str) -> str | None:
    """Record the final note; gives the next session's id when this one was sealed meanwhile."""
    try:
        with store.sessions.database(session_id) as database:
            database.add_note(store.clock.now(), author, text, unless_last=True)
        return None
    except SessionSealed:
        return store.sessions.add_note(author, text, unless_last=True)[0]


def _reopen(store: Store, session_id: str) -> None:
    if not store.sessions.has_database(session_id):
        store.sessions.rebuild_database(session_id)
    with store.sessions.database(session_id) as database, database.writing():
        database.unseal()


@contextmanager
def dream_lease(store: Store, session_id: str, author: str) -> Iterator[None]:
    """Hold the session's dream lease. Raises SleepInProgress naming who holds it.

    The kernel drops the lock with its holder, so a dead sleeper's lease is over at once.
    """
    folder = store.terrain.session(session_id)
    holder = folder / "sleeper"
    with try_locked(folder / "sleep.lock") as held:
        if not held:
            try:
                name = holder.read_text(encoding="utf-8", errors="replace").strip() or "another process"
            except OSError:
                name = "another process"
            raise SleepInProgress(
                f"session {session_id} is being dreamt by {name}",
                hint="Nothing else was done; its memories will be there in a moment.",
                session=session_id,
                by=name,
            )
        write_file(holder, author.encode())
        try:
            yield
        finally:
            remove_file(holder)


def _request(store: Store, session: SessionNotes, notes: list[Note], *, write: bool = True) -> DreamRequest:
    words = " ".join(note.text for note in notes)[:20_000]
    with open_index(store.terrain.index, store.memories, write=write) as index:
        related = tuple(index.load(entry) for entry in index.search(words, limit=RELATED))
    ordinary = tuple(memory for memory in related if memory.core is None)
    started = session.started_at or notes[0].at
    prompt = build_note_dreaming_prompt(session.session_id, notes, ordinary)
    return DreamRequest(session.session_id, started, tuple(notes), ordinary, prompt)


def _dream(store: Store, dreamer: Dreamer, session_id: str, *, author: str) -> SleepReport:
    for attempt in range(MAX_DREAMS):
        current = store.sessions.load(session_id)
        notes = list(current.notes)
        _require_notes(session_id, notes)
        result = dreamer.dream(_request(store, current, notes))
        faults.reached("sleep.dreamt")
        plan = plan_dream(store, current, notes, result, author=author, at=store.clock.now())
        if current.state is not SessionState.OPEN and plan.changes_nothing(store, current):
            return _nothing_new(store, current, result, plan)
        if _seal(store, session_id, plan, unless_beyond=len(notes) if attempt < MAX_DREAMS - 1 else None):
            faults.reached("sleep.sealed")
            return _finish(store, session_id, dreamt_again=attempt, result=result)
    raise AssertionError("the last attempt seals whatever came in")


def _nothing_new(store: Store, current: SessionNotes, result: DreamResult, plan: DreamPlan) -> SleepReport:
    if store.sessions.has_database(current.session_id):
        # It finds the timeline as it is, unless somebody damaged it.
        store.sessions.project(current.session_id)
    return SleepReport(
        session=current, model=result.model, known=plan.known(store), summary=_summary(current), unchanged=True
    )


def _seal(store: Store, session_id: str, plan: DreamPlan, *, unless_beyond: int | None) -> bool:
    """Store the plan and stop further notes, unless the session has more than `unless_beyond` by now."""
    if not store.sessions.has_database(session_id):
        store.sessions.rebuild_database(session_id)
    with store.sessions.database(session_id) as database, database.writing():
        if unless_beyond is not None and database.count() > unless_beyond:
            return False
        database.seal({"dream_plan": plan.to_json(), "finishing": "1"})
        return True


def recover_sleeps(store: Store, only: str | None = None) -> dict[str, SleepReport]:
    """Finish every sleep that was interrupted after its seal; session id -> its report.

    One whose sleeper is still at work is left to it.
    """
    finished: dict[str, SleepReport] = {}
    for session_id in store.sessions.with_database() if only is None else [only]:
        try:
            with store.sessions.database(session_id, read_only=True) as database:
                waiting = "finishing" in database.meta()
            if not waiting:
                continue
            with dream_lease(store, session_id, "recovery"):
                # Its own sleeper may have finished it between the look and the lease.
                with store.sessions.database(session_id, read_only=True) as database:
                    waiting = "finishing" in database.meta()
                if waiting:
                    finished[session_id] = _finish(store, session_id, resumed=True)
        except (NotFound, SleepInProgress):
            continue
        except TurError:
            if only is not None:
                raise
    return finished


def _finish(
    store: Store,
    session_id: str,
    *,
    dreamt_again: int = 0,
    resumed: bool = False,
    result: DreamResult | None = None,
) -> SleepReport:
    with store.sessions.database(session_id, read_only=True) as database:
        meta = database.meta()
    plan = DreamPlan.from_json(meta["dream_plan"])
    created, known, skipped = _write_memories(store, session_id, plan)
    faults.reached("sleep.memories")
    session = _mark(store, session_id, plan)
    faults.reached("sleep.marked")
    store.sessions.project(session_id)
    faults.reached("sleep.projected")
    store.sessions.leave(session_id)
    faults.reached("sleep.left")
    remove_file(_kept_reply(store, session_id))
    with store.sessions.database(session_id) as database:
        with database.writing():
            database.drop_meta(["finishing", "dream_plan", "prompted_notes", "prompt_refusals"])
        faults.reached("sleep.finished")
        database.fold_log()
    faults.reached("sleep.folded")
    return SleepReport(
        session=session,
        model=plan.model,
        created=created,
        known=known,
        skipped=skipped,
        superseded=[old for old, _ in plan.supersedes],
        refuted=[old for old, _ in plan.refutes],
        summary=_summary(session),
        redacted=plan.redacted,
        dreamt_again=dreamt_again,
        resumed=resumed,
        input_tokens=result.input_tokens if result else None,
        output_tokens=result.output_tokens if result else None,
    )


def _write_memories(store: Store, session_id: str, plan: DreamPlan) -> tuple[list[Memory], list[Memory], list[Memory]]:
    created, known, skipped = [], [], []
    for text in plan.files:
        memory, _ = store.memories.add(parse_memory(text.encode()))
        faults.reached("sleep.memory")
        if memory.session == session_id and memory.timestamp == plan.at:
            created.append(memory)
        elif memory.status is Status.ACTIVE:
            known.append(_confirm(store, memory, session_id, plan))
        else:
            skipped.append(memory)
    for old, successor in plan.supersedes:
        try:
            mark_replaced(store, old, Status.SUPERSEDED, successor=successor, author=plan.author, session=session_id)
        except Conflict:
            # What happened to the old one meanwhile stands; the new one is there either way.
            continue
        faults.reached("sleep.superseded")
    for old, reason in plan.refutes:
        _refute(store, old, LifecycleEntry(plan.at, Status.REFUTED, plan.author, session_id, reason=reason))
        faults.reached("sleep.refuted")
    return created, known, skipped


def _refute(store: Store, memory_id: str, entry: LifecycleEntry) -> None:
    """Withdraw a memory, unless something else put it out of force already."""
    store.memories.append(memory_id, lambda found: entry if may_become(found.status, entry.status) else None)


def _confirm(store: Store, memory: Memory, session_id: str, plan: DreamPlan) -> Memory:
    """Dreaming what is known confirms it, once a session."""

    def decide(found: Memory) -> LifecycleEntry | None:
        if found.session == session_id or any(entry.session == session_id for entry in found.lifecycle):
            return None
        return LifecycleEntry(plan.at, Status.ACTIVE, plan.author, session_id, reason="dreamt again", verified=True)

    return store.memories.append(memory.id, decide)[0]


def _mark(store: Store, session_id: str, plan: DreamPlan) -> SessionNotes:
    before = store.sessions.load(session_id)
    derived = list(dict.fromkeys([*before.consolidation.derived_memory_ids, *plan.ids]))
    info = SessionConsolidationInfo(
        consolidated=True,
        consolidated_at=plan.at,
        derived_memory_ids=derived,
        consolidation_model=plan.model,
        note_count_at_consolidation=plan.note_count,
    )
    ledger = session_ledger(store, before, plan.at)
    with store.sessions.database(session_id) as database, database.writing():
        database.set_meta(
            {
                "consolidation": info.model_dump_json(),
                "ledger_delta": json.dumps(ledger, sort_keys=True),
                "ended_at": format_time(plan.at),
                "state": SessionState.ENDED.value,
            }
        )
    return store.sessions.load(session_id)


def _summary(session: SessionNotes) -> str:
    from tur.policy.diff import summary_of_counts

    return summary_of_counts(session.ledger_delta)
