"""The timeline of a session as a YAML file: `SessionNotes` to bytes and back."""

import re
from datetime import UTC, datetime

from pydantic import ValidationError

from tur.clock import parse_time
from tur.codec.seal import note_hash
from tur.codec.yamlio import dump_mapping, load_mapping
from tur.errors import StoreCorrupt
from tur.model.note import Note
from tur.model.session import SessionNotes

MAX_TIMELINE_BYTES = 32 * 1024 * 1024
"""Largest timeline file that is read, in bytes."""

_WHAT = "session timeline"
_STARTED = re.compile(r"(\d{8}_\d{6})_")


def render_timeline(session: SessionNotes) -> bytes:
    """The whole YAML file of a session: known keys in a fixed order, then unknown ones as they came."""
    info = session.consolidation
    fields: dict[str, object] = {
        "session_id": session.session_id,
        "parent_session_id": session.parent_session_id,
        "persona_id": session.persona_id,
        "state": session.state.value,
        "started_at": session.started_at,
        "ended_at": session.ended_at,
        "manifestations": session.manifestations,
        "consolidation": {
            "consolidated": info.consolidated,
            "consolidated_at": info.consolidated_at,
            "derived_memory_ids": info.derived_memory_ids,
            "consolidation_model": info.consolidation_model,
            "note_count_at_consolidation": info.note_count_at_consolidation,
        },
        "ledger_delta": session.ledger_delta,
        **(session.model_extra or {}),
        "notes": [
            {"idx": note.idx, "at": note.at, "author": note.author, "text": note.text, "hash": note.hash}
            for note in session.notes
        ],
    }
    return dump_mapping(fields).encode("utf-8")


def parse_timeline(data: bytes) -> SessionNotes:
    """Read a session's YAML file.

    What a historical file lacks gets a default: no `consolidation` is not consolidated, a time
    without a zone is UTC, a note without a number is numbered by its place, one without a hash
    gets the hash that follows from the chain. Raises StoreCorrupt, with the line or the field.
    """
    if len(data) > MAX_TIMELINE_BYTES:
        raise StoreCorrupt(f"{_WHAT} is over {MAX_TIMELINE_BYTES:,} bytes", limit=MAX_TIMELINE_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StoreCorrupt(f"{_WHAT} is not UTF-8: byte {error.start + 1}") from error
    fields = load_mapping(text, limit=MAX_TIMELINE_BYTES, what=_WHAT)
    # An empty value is one that was never filled in, so the model's default stands.
    known = {key: value for key, value in fields.items() if value is not None or key not in SessionNotes.model_fields}
    for key in ("started_at", "ended_at"):
        if key in known:
            known[key] = _time(known[key], key)
    if isinstance(state := known.get("state"), str):
        known["state"] = state.lower()
    if "consolidation" in known:
        known["consolidation"] = _consolidation(known["consolidation"])
    known["notes"] = _notes(known.get("notes", []), _begin(known))
    try:
        return SessionNotes.model_validate(known)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise StoreCorrupt(f"{_WHAT}, field {field}: {first['msg']}", field=field) from error


def _consolidation(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _corrupt("consolidation", "is not a mapping")
    info = {key: one for key, one in value.items() if one is not None}
    if "consolidated_at" in info:
        info["consolidated_at"] = _time(info["consolidated_at"], "consolidation.consolidated_at")
    return info


def _begin(fields: dict[str, object]) -> datetime | None:
    """When the session began, for notes of old files that have no time of their own."""
    if isinstance(started := fields.get("started_at"), datetime):
        return started
    match = _STARTED.match(str(fields.get("session_id")))
    try:
        return datetime.strptime(match[1], "%Y%m%d_%H%M%S").replace(tzinfo=UTC) if match else None
    except ValueError:
        return None


def _notes(value: object, begin: datetime | None) -> list[Note]:
    if not isinstance(value, list):
        raise _corrupt("notes", "is not a list")
    notes: list[Note] = []
    for place, raw in enumerate(value, start=1):
        field = f"notes[{place}]"
        if not isinstance(raw, dict):
            raise _corrupt(field, "is not a mapping with idx, at, author, text and hash")
        idx = _index(raw.get("idx"), place, f"{field}.idx")
        at = begin if raw.get("at") is None else _time(raw["at"], f"{field}.at")
        if at is None:
            raise _corrupt(f"{field}.at", "is missing")
        author = _text(raw.get("author"), f"{field}.author") or "unknown"
        if "text" not in raw:
            raise _corrupt(f"{field}.text", "is missing")
        text = _text(raw["text"], f"{field}.text")
        previous = notes[-1].hash if notes else None
        seal = _text(raw.get("hash"), f"{field}.hash") or note_hash(previous, idx, at, author, text)
        notes.append(Note(idx, at, author, text, seal))
    return notes


def _index(value: object, place: int, field: str) -> int:
    if value is None:
        return place
    if not isinstance(value, str) or not re.fullmatch(r"[1-9][0-9]{0,8}", value):
        raise _corrupt(field, f"is not a note number: {value!r}")
    return int(value)


def _text(value: object, field: str) -> str:
    if isinstance(value, dict | list):
        raise _corrupt(field, "is not text")
    return "" if value is None else str(value)


def _time(value: object, field: str) -> datetime:
    try:
        return parse_time(str(value)).replace(microsecond=0)
    except (ValueError, OverflowError) as error:
        raise _corrupt(field, f"is not a date or time: {value!r}") from error


def _corrupt(field: str, problem: str) -> StoreCorrupt:
    return StoreCorrupt(f"{_WHAT}, field {field}: {problem}", hint="The file was left as it is.", field=field)
