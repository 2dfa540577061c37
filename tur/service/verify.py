"""`tur verify`: re-compute every hash and chain, or confirm that one memory still holds."""

from tur.codec.memory_file import is_edited
from tur.codec.seal import memory_id, verify_chain
from tur.errors import Conflict, Refused, TurError
from tur.ids import short_id
from tur.model.finding import Finding
from tur.model.memory import LifecycleEntry, Memory, MemoryType, Relation, Status
from tur.progress import Progress, silent
from tur.service.core_check import core_findings
from tur.service.show import lineage_of
from tur.service.traces import Traces
from tur.store.store import Store


def verify_memory(store: Store, given: str, *, author: str) -> Memory:
    """Confirm that a memory still holds: it is fresh again. Raises NotFound, Ambiguous, Conflict, Refused."""
    memory = store.memories.find(given)
    if memory.type is MemoryType.CORE:
        raise Refused(f"{short_id(memory.id)} is a core memory; it does not go stale and only a human decides on it")
    session = store.sessions.active()

    def decide(found: Memory) -> LifecycleEntry:
        if found.status is not Status.ACTIVE:
            raise Conflict(f"{short_id(found.id)} is {found.status} and cannot be verified", id=found.id)
        if is_edited(found):
            raise Conflict(
                f"{short_id(found.id)} was edited by hand and no longer answers to its id",
                hint="A human turns the edit into a new memory with `tur-adm memory accept-edit`.",
                id=found.id,
            )
        return LifecycleEntry(store.clock.now(), Status.ACTIVE, author, session, verified=True)

    return store.memories.append(memory.id, decide)[0]


def verify_store(store: Store, *, progress: Progress = silent) -> list[Finding]:
    """Everything that is not as it should be, by file and field. It reads the files, not the index.

    `progress` counts memories, once when read and once when checked, and sessions.
    """
    sessions = store.sessions.ids()
    memories, unreadable = store.memories.load_all(lambda done, total: progress(done, 2 * total + len(sessions)))
    findings = [Finding("unreadable", str(bad.path), bad.problem, bad.error.hint) for bad in unreadable]
    known, traces = {memory.id: memory for memory in memories}, Traces(store)
    checked, total = len(memories), 2 * len(memories) + len(sessions)
    for memory in memories:
        findings += _memory_findings(store, memory, known, traces)
        checked += 1
        progress(checked, total)
    for session_id in sessions:
        findings += _session_findings(store, session_id)
        checked += 1
        progress(checked, total)
    return findings + core_findings(store)


def _memory_findings(store: Store, memory: Memory, known: dict[str, Memory], traces: Traces) -> list[Finding]:
    subject = short_id(memory.id)
    findings = []
    if memory_id(memory.scope, memory.type, memory.content, memory.core) != memory.id:
        findings.append(
            Finding(
                "edited",
                subject,
                "its content, type or scope no longer answers to its id: it was edited by hand",
                "`tur-adm memory accept-edit` turns the edit into a new memory.",
            )
        )
    elif is_edited(memory):
        findings.append(Finding("seal", subject, "its timestamp or links no longer answer to its seal", None))
    path = store.memories.path_of(memory.id)
    if path is None:
        findings.append(Finding("misnamed", subject, "its file is not named after its id", None))
    for step in lineage_of(store, memory, traces):
        if not step.sound:
            why = step.missing or "what it points to has another hash"
            findings.append(Finding("lineage", subject, f"link {step.link.relation} to {step.link.uri}: {why}", None))
    for link in memory.links:
        if link.relation in (Relation.SUPERSEDES, Relation.MERGES):
            old = known.get(link.uri.rpartition("/")[2])
            if old is not None and old.status is Status.ACTIVE and memory.status is Status.ACTIVE:
                findings.append(
                    Finding(
                        "half_replaced",
                        short_id(old.id),
                        f"{subject} replaces it, yet it is active",
                        f"A human finishes it by looking: `tur-adm memory show {memory.id[:8]}`."
                        if memory.type is MemoryType.CORE
                        else "Run the same `tur learn` again to finish it.",
                    )
                )
    return findings


def _session_findings(store: Store, session_id: str) -> list[Finding]:
    findings = []
    try:
        session = store.sessions.load(session_id)
    except TurError as error:
        return [Finding("session", session_id, error.message, error.hint)]
    broken = verify_chain(session.notes)
    if broken is not None:
        findings.append(Finding("chain", session_id, f"the chain of notes is broken at note {broken}", None))
    if store.sessions.has_database(session_id) and store.sessions.timeline_path(session_id) is not None:
        try:
            written = store.sessions.timeline(session_id)
        except TurError as error:
            return [*findings, Finding("timeline", session_id, error.message, error.hint)]
        if written.notes != session.notes[: len(written.notes)]:
            findings.append(Finding("timeline", session_id, "its timeline and its database tell different notes", None))
    return findings
