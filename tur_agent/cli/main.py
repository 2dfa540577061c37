"""The entry point of `tur`: parse, dispatch, and turn every error into one line and an exit code."""

import os
import sqlite3
import sys
from collections.abc import Sequence

from typer.exceptions import TyperException

from tur.errors import TurError, UsageError
from tur.report import USAGE_HINT, ExitCode, as_tur_error
from tur_agent import diagnostics, output
from tur_agent.cli import diff, evolve, learn, note, recall, refute, show, sleep, status, verify, wake
from tur_agent.cli.app import app

VERBS = (wake, note, learn, refute, recall, show, diff, evolve, sleep, status, verify)
"""The modules that register a verb, in the order of `tur --help`."""

app.registered_commands.sort(
    key=lambda command: [module.__name__.rpartition(".")[2] for module in VERBS].index(str(command.name))
)

__all__ = ["VERBS", "app", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `tur`: exit 0 done, 1 a TurError, 2 usage, 3 refused; never a traceback for bad input."""
    given = [_decoded(one) for one in (sys.argv[1:] if arguments is None else arguments)]
    as_json = "--json" in given
    try:
        code = app(given, standalone_mode=False)
        output.flush()
        return int(code or ExitCode.DONE)
    except TurError as error:
        return _reported(error, as_json)
    except TyperException as error:
        if error.format_message().startswith("Usage: "):
            # No verb was given, and the message is the whole help.
            diagnostics.note(error.format_message())
            return ExitCode.USAGE
        return _reported(UsageError(error.format_message(), hint=USAGE_HINT), as_json)
    except BrokenPipeError:
        _drop_output()
        return ExitCode.DONE
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except (OSError, sqlite3.Error) as error:
        return _reported(as_tur_error(error), as_json)


def _decoded(argument: str) -> str:
    """Read an argument as UTF-8 even where the locale says ASCII."""
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return argument


def _drop_output() -> None:
    """The reader has gone; what is left in the buffer has nowhere to go either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reported(error: TurError, as_json: bool) -> int:
    try:
        output.flush()
    except BrokenPipeError:
        _drop_output()
    return diagnostics.report(error, as_json=as_json)
