"""The one interface of dreaming engines: a compiled request in, a Dream out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tur.model.dream import Dream
from tur.model.memory import Memory
from tur.model.note import Note


@dataclass(frozen=True, slots=True)
class DreamRequest:
    """All that an engine may know of a session.

    `prompt` is the compiled Markdown text (`build_note_dreaming_prompt`) for engines that read
    text; `notes` and `related` are the same as data, for engines that do not. Notes are already
    redacted. `started_at` is aware UTC.
    """

    session_id: str
    started_at: datetime
    notes: tuple[Note, ...]
    related: tuple[Memory, ...]
    prompt: str


@dataclass(frozen=True, slots=True)
class DreamResult:
    """A Dream and who dreamt it. `model` goes into `consolidation_model`; tokens where known.

    `notes_seen` is set by an engine that saw only the first so many notes.
    """

    dream: Dream
    model: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    notes_seen: int | None = None


class Dreamer(Protocol):
    """An engine, found by its name in the entry-point group `tur.dreamers`.

    The entry point names a factory that takes no arguments and returns a Dreamer.
    """

    name: str

    def dream(self, request: DreamRequest) -> DreamResult:
        """Distil the session. Raises DreamFailed when nothing usable comes of it."""
        ...
