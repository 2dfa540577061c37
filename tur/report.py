"""Answers and errors as bytes, lines and exit codes. Front ends write them; nothing is written here."""

import json
import sqlite3
from collections.abc import Mapping
from enum import IntEnum

from tur.errors import StoreUnavailable, TurError
from tur.policy.display import visible

USAGE_HINT = "--help lists the options. Quote text that has blanks, and set -- before text that begins with a dash."


class ExitCode(IntEnum):
    """What a process says by its exit: done, a TurError, wrong usage, refused by the steward boundary."""

    DONE = 0
    ERROR = 1
    USAGE = 2
    REFUSED = 3
    INTERRUPTED = 130


def json_answer(schema: str, document: Mapping[str, object]) -> bytes:
    """One JSON object with its schema version, in UTF-8 whatever the locale is."""
    text = json.dumps({"schema": schema, **document}, ensure_ascii=False, indent=1)
    return text.encode("utf-8", errors="backslashreplace") + b"\n"


def error_answer(error: TurError) -> str:
    """An error as one JSON object in ASCII."""
    facts = {"code": error.code, "message": error.message, "hint": error.hint, **error.context}
    return json.dumps({"schema": "tur.error/1", "error": facts}, ensure_ascii=True)


def error_lines(error: TurError) -> list[str]:
    """An error for a reader: what was wrong, and the hint. Hidden characters are made visible."""
    lines = [f"{error.label}: {visible(error.message)}"]
    return [*lines, f"Hint: {visible(error.hint)}"] if error.hint else lines


def as_tur_error(error: OSError | sqlite3.Error) -> TurError:
    """What the system raised where no module expected it, in the words of the error tree."""
    safe = "Nothing that was stored before is lost."
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        return StoreUnavailable(f"{error.strerror or error}{where}", hint=safe)
    return StoreUnavailable(f"the database refused: {error}", hint=safe)
