"""How sessions, notes and findings look in JSON answers. Pure; `schema` names what the object is."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tur.clock import format_time
from tur.ids import note_uri
from tur.model.finding import Finding
from tur.model.note import Note

if TYPE_CHECKING:
    from tur.model.session import SessionNotes


def note_fields(session_id: str, note: Note) -> dict[str, object]:
    """A note with its address."""
    return {
        "idx": note.idx,
        "uri": note_uri(session_id, note.idx),
        "at": format_time(note.at),
        "author": note.author,
        "text": note.text,
        "hash": note.hash,
    }


def session_fields(session: "SessionNotes", *, notes: bool = False) -> dict[str, object]:
    """A session, with its notes when asked for."""
    info = session.consolidation
    fields: dict[str, object] = {
        "id": session.session_id,
        "parent": session.parent_session_id,
        "persona": session.persona_id,
        "state": session.state.value,
        "started_at": format_time(session.started_at) if session.started_at else None,
        "ended_at": format_time(session.ended_at) if session.ended_at else None,
        "manifestations": session.manifestations,
        "note_count": len(session.notes),
        "unconsolidated_notes": session.unconsolidated_notes,
        "consolidation": {
            "consolidated": info.consolidated,
            "consolidated_at": format_time(info.consolidated_at) if info.consolidated_at else None,
            "derived_memory_ids": info.derived_memory_ids,
            "consolidation_model": info.consolidation_model,
            "note_count_at_consolidation": info.note_count_at_consolidation,
        },
        "ledger_delta": session.ledger_delta,
    }
    if notes:
        fields["notes"] = [note_fields(session.session_id, note) for note in session.notes]
    return fields


def finding_fields(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """Findings in order."""
    return [{"code": one.code, "subject": one.subject, "message": one.message, "hint": one.hint} for one in findings]
