"""The entry point of `tur`: its verbs, in order, and how they are run."""

import functools
import sys
from collections.abc import Sequence

from typer.exceptions import TyperException

from tur.report import run_program
from tur_agent.cli import diff, evolve, learn, note, recall, refute, show, sleep, status, verify, wake
from tur_agent.cli.app import app
from tur_agent.diagnostics import DIAGNOSTICS
from tur_agent.output import OUTPUT

VERBS = (wake, note, learn, refute, recall, show, diff, evolve, sleep, status, verify)
"""The modules that register a verb, in the order of `tur --help`."""

app.registered_commands.sort(
    key=lambda command: [module.__name__.rpartition(".")[2] for module in VERBS].index(str(command.name))
)

__all__ = ["VERBS", "app", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `tur` and give its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    command = functools.partial(app, standalone_mode=False)
    return run_program(command, given, OUTPUT, DIAGNOSTICS, TyperException, name="tur")
