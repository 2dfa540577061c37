"""The only writer of stdout."""

import sys
from collections.abc import Mapping

from tur.policy.display import visible
from tur.report import json_answer


def emit_json(schema: str, document: Mapping[str, object]) -> None:
    """One JSON object."""
    sys.stdout.buffer.write(json_answer(schema, document))


def emit_text(text: str, *, styled: bool = False) -> None:
    """Text for a reader. Hidden and control characters are made visible; `styled` text did that itself."""
    shown = text if styled else visible(text)
    sys.stdout.buffer.write(shown.encode(sys.stdout.encoding or "utf-8", errors="replace") + b"\n")


def flush() -> None:
    sys.stdout.buffer.flush()
