"""The only writer of stdout."""

import sys
from collections.abc import Mapping

from tur.policy.display import visible
from tur.report import json_answer


def emit_json(schema: str, document: Mapping[str, object]) -> None:
    """One JSON object."""
    _write(json_answer(schema, document))


def emit_text(text: str, *, styled: bool = False) -> None:
    """Text for a reader. Hidden and control characters are made visible; `styled` text did that itself."""
    shown = text if styled else visible(text)
    encoding = (sys.stdout and sys.stdout.encoding) or "utf-8"
    _write(shown.encode(encoding, errors="replace") + b"\n")


def flush() -> None:
    """Send what was written on its way; fails where nobody or no room is there to take it."""
    if sys.stdout is not None:
        sys.stdout.buffer.flush()


def _write(data: bytes) -> None:
    # Python has no stream at all where the caller closed it: the answer is not wanted.
    if sys.stdout is not None:
        sys.stdout.buffer.write(data)
