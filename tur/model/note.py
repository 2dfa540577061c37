"""A milestone note of a session."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Note:
    """One note. `idx` counts from 1 within the session, `at` is aware UTC.

    `hash` is the sha256 of the note chained to the hash of the note before it
    (`tur.codec.seal.note_hash`).
    """

    idx: int
    at: datetime
    author: str
    text: str
    hash: str
