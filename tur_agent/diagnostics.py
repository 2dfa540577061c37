"""The only writer of stderr."""

import sys

from tur.errors import TurError
from tur.policy.display import visible
from tur.report import error_answer, error_lines


def note(line: str) -> None:
    """A remark beside the answer, such as a warning."""
    _write(visible(line))


def report(error: TurError, *, as_json: bool) -> int:
    """Tell an error, as one JSON object or as plain lines, and give its exit code."""
    for line in [error_answer(error)] if as_json else error_lines(error):
        _write(line)
    return error.exit_code


def _write(line: str) -> None:
    if sys.stderr is None:
        return
    sys.stderr.buffer.write(line.encode(sys.stderr.encoding or "utf-8", errors="backslashreplace") + b"\n")
    sys.stderr.buffer.flush()
