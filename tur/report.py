"""Answers and errors: as bytes and lines, onto streams that a front end hands in, and as exit codes."""

import json
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Protocol, TextIO, cast

from tur.errors import StoreUnavailable, TurError, UsageError
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


class Output:
    """Writes answers to the stream that a front end hands in: one owner of stdout for each program.

    `stream` gives the text stream of the moment, or None where the caller closed it: then the answer
    is not wanted.
    """

    def __init__(self, stream: Callable[[], TextIO | None]) -> None:
        self._stream = stream

    def emit_json(self, schema: str, document: Mapping[str, object]) -> None:
        """One JSON object."""
        self._write(json_answer(schema, document))

    def emit_text(self, text: str, *, styled: bool = False) -> None:
        """Text for a reader. Hidden and control characters are made visible; `styled` text did that itself."""
        shown = text if styled else visible(text)
        stream = self._stream()
        encoding = (stream and stream.encoding) or "utf-8"
        self._write(shown.encode(encoding, errors="replace") + b"\n")

    def flush(self) -> None:
        """Send what was written on its way; fails where nobody or no room is there to take it."""
        stream = self._stream()
        if stream is not None:
            stream.buffer.flush()

    def drop(self) -> None:
        """The reader has gone; what is left in the buffer has nowhere to go either."""
        stream = self._stream()
        if stream is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())

    def _write(self, data: bytes) -> None:
        stream = self._stream()
        if stream is not None:
            stream.buffer.write(data)


class Diagnostics:
    """Writes remarks and errors to the stream that a front end hands in: one owner of stderr for each program."""

    def __init__(self, stream: Callable[[], TextIO | None]) -> None:
        self._stream = stream

    def note(self, line: str) -> None:
        """A remark beside the answer, such as a warning."""
        self._write(visible(line))

    def report(self, error: TurError, *, as_json: bool) -> int:
        """Tell an error, as one JSON object or as plain lines, and give its exit code."""
        for line in [error_answer(error)] if as_json else error_lines(error):
            self._write(line)
        return error.exit_code

    def _write(self, line: str) -> None:
        stream = self._stream()
        if stream is not None:
            stream.buffer.write(line.encode(stream.encoding or "utf-8", errors="backslashreplace") + b"\n")
            stream.buffer.flush()


class CommandProblem(Protocol):
    """What a command-line parser raises for options it cannot read."""

    def format_message(self) -> str: ...


def run_program(
    command: Callable[[list[str]], object],
    arguments: Sequence[str],
    output: Output,
    diagnostics: Diagnostics,
    parser_error: type[Exception],
    *,
    name: str,
) -> int:
    """Run a command and give its exit code: 0 done, 1 a TurError, 2 usage, 3 refused; never a traceback.

    `parser_error` is what the parser raises for a command line it cannot read; it is a CommandProblem.
    `name` is what the program is called; with `--version` alone it tells that and its version.
    """
    given = [_decoded(one) for one in arguments]
    if given == ["--version"]:
        from importlib.metadata import version

        output.emit_text(f"{name} {version('tur')}")
        output.flush()
        return ExitCode.DONE
    as_json = "--json" in given

    def reported(error: TurError) -> int:
        try:
            output.flush()
        except BrokenPipeError:
            output.drop()
        return diagnostics.report(error, as_json=as_json)

    try:
        code = command(given)
        output.flush()
        return code if isinstance(code, int) else ExitCode.DONE
    except TurError as error:
        return reported(error)
    except parser_error as error:
        message = cast("CommandProblem", error).format_message()
        if message.startswith("Usage: "):
            # No verb was given, and the message is the whole help.
            diagnostics.note(message)
            return ExitCode.USAGE
        return reported(UsageError(message, hint=USAGE_HINT))
    except BrokenPipeError:
        output.drop()
        return ExitCode.DONE
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except (OSError, sqlite3.Error) as error:
        return reported(as_tur_error(error))


def _decoded(argument: str) -> str:
    """Read an argument as UTF-8 even where the locale says ASCII."""
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return argument
