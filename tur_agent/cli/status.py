"""`tur status`."""

from typing import TYPE_CHECKING

from tur.policy.display import counted
from tur_agent import diagnostics, output
from tur_agent.cli.app import As, Json, verb
from tur_agent.compose import open_workplace

if TYPE_CHECKING:
    from tur.service.status import StatusReport


@verb("status")
def status(as_name: As = None, as_json: Json = False) -> None:
    """Say where the agent stands: terrain, session, notes to be dreamt, memories."""
    from tur.codec.fields import session_fields
    from tur.service.status import status as status_service

    report = status_service(open_workplace(as_name).store)
    warnings = [*report.problems, *(bad.error.message for bad in report.unreadable)]
    for warning in warnings:
        diagnostics.note(f"Warning: {warning}")
    if not as_json:
        output.emit_text("\n".join(_lines(report)))
        return
    document: dict[str, object] = {
        "terrain": report.terrain,
        "home": report.home,
        "persona": report.persona_id,
        "persona_name": report.persona,
        "session": session_fields(report.session) if report.session else None,
        "last_session": session_fields(report.last) if report.last else None,
        "memory_counts": report.memories,
        "pending_core": report.pending_core,
        "oldest_pending": report.oldest_pending,
        "future_memories": report.future,
        "unconsolidated": report.unconsolidated,
        "warnings": warnings,
    }
    output.emit_json("tur.status/1", document)


def _lines(report: "StatusReport") -> list[str]:
    lines = [f"terrain: {report.terrain}", f"persona: {report.persona} ({report.persona_id})"]
    if report.session is None:
        lines.append("session: none is active; `tur wake` or `tur note` begins one")
    else:
        names = ", ".join(report.session.manifestations) or "nobody yet"
        lines.append(f"session: {report.session.session_id}, {counted(len(report.session.notes), 'note')}, by {names}")
    if report.last is not None:
        state = "consolidated" if report.last.consolidation.consolidated else "not consolidated"
        lines.append(f"last session: {report.last.session_id}, {state}")
    for session_id, count in report.unconsolidated.items():
        lines.append(f"not consolidated: {counted(count, 'note')} of {session_id}")
    counts = ", ".join(f"{number} {name}" for name, number in report.memories.items()) or "none"
    lines.append(f"memories: {counts}")
    if report.pending_core:
        since = f", the oldest since {report.oldest_pending[:10]}" if report.oldest_pending else ""
        lines.append(f"pending core memories: {report.pending_core}{since}")
    if report.future:
        lines.append(f"in the future: {counted(report.future, 'memory is', 'memories are')} dated after now")
    return lines
