"""`tur note`: one milestone line into the terrain's session."""

from dataclasses import dataclass

from tur.model.note import Note
from tur.service.intake import take_text
from tur.store.store import Store


@dataclass(frozen=True, slots=True)
class NoteReceipt:
    """Where a note went. `passed` is the sealed session it came too late for, if there is one."""

    session_id: str
    note: Note
    redacted: list[str]
    passed: str | None


def add_note(store: Store, text: str, *, author: str) -> NoteReceipt:
    """Record a note, beginning a session when none is open. Raises InvalidInput, StoreUnavailable."""
    clean, redacted = take_text(text, "a note")
    session_id, note, passed = store.sessions.add_note(author, clean)
    return NoteReceipt(session_id, note, redacted, passed)
