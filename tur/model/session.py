"""A session's timeline as it crosses the edge between disk and program (EP-0152, 2.1)."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from tur.model.note import Note


class SessionState(StrEnum):
    """OPEN takes notes; SEALED takes none and is being finished; ENDED is finished."""

    OPEN = "open"
    SEALED = "sealed"
    ENDED = "ended"


class SessionConsolidationInfo(BaseModel):
    """Tracks memory distillation status and provenance for a session."""

    consolidated: bool = False
    consolidated_at: datetime | None = None
    derived_memory_ids: list[str] = Field(default_factory=list)
    consolidation_model: str | None = None
    note_count_at_consolidation: int = 0


class SessionNotes(BaseModel):
    """The whole timeline of one session, as its YAML file holds it.

    Historical files may lack every field but `session_id` and `notes`; keys that are not known
    here are kept and written back. Times are aware UTC.
    """

    model_config = ConfigDict(extra="allow")

    session_id: str
    parent_session_id: str | None = None
    persona_id: str | None = None
    state: SessionState = SessionState.ENDED
    started_at: datetime | None = None
    ended_at: datetime | None = None
    manifestations: list[str] = Field(default_factory=list)
    consolidation: SessionConsolidationInfo = Field(default_factory=SessionConsolidationInfo)
    ledger_delta: dict[str, dict[str, int]] = Field(default_factory=dict)
    notes: list[Note] = Field(default_factory=list)

    @property
    def unconsolidated_notes(self) -> int:
        """How many notes no dream has seen."""
        if not self.consolidation.consolidated:
            return len(self.notes)
        return max(0, len(self.notes) - self.consolidation.note_count_at_consolidation)
