"""The entry point of `tur-adm`: its verbs, in order, and how they are run."""

import functools
import sys
from collections.abc import Sequence

from typer.exceptions import TyperException

from tur.report import run_program
from tur_tui.cli import audit, demo, doctor, init, memory, persona, session, steward
from tur_tui.cli.app import app
from tur_tui.diagnostics import DIAGNOSTICS
from tur_tui.output import OUTPUT

VERBS = (init, persona, memory, session, steward, audit, doctor, demo)
"""The modules that register verbs, in the order of `tur-adm --help`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `tur-adm` and give its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    command = functools.partial(app, standalone_mode=False)
    return run_program(command, given, OUTPUT, DIAGNOSTICS, TyperException, name="tur-adm")
