"""Writes the parts of docs/ that the program knows better: the command reference and the table of error codes.

Run it as `python docs/generate.py` (or `make docs`); a test fails when a page is out of date.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

import tur_agent.cli.app
import tur_agent.cli.main
import tur_tui.cli.app
import tur_tui.cli.main
from tur.errors import TurError

DOCS = Path(__file__).parent
WIDTH = 100
MARK = "<!-- written by docs/generate.py from here on -->\n"


def command_trees() -> dict[str, Any]:
    """The two programs by name, each as Typer's command object."""
    return {
        "tur": typer.main.get_command(tur_agent.cli.app.app),
        "tur-adm": typer.main.get_command(tur_tui.cli.app.app),
    }


def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """A command and all below it that are not hidden, with the words that call each, parents first."""
    yield name, command
    if hasattr(command, "list_commands"):
        context = command.make_context(name, [], resilient_parsing=True)
        for word in command.list_commands(context):
            child = command.get_command(context, word)
            if not child.hidden:
                yield from walk(f"{name} {word}", child)


def help_page(name: str, command: Any) -> str:
    context = command.make_context(name, [], resilient_parsing=True, terminal_width=WIDTH, max_content_width=WIDTH)
    return "\n".join(line.rstrip() for line in command.get_help(context).strip().splitlines())


def commands_page() -> str:
    """The whole of docs/commands.md."""
    parts = [
        "# Commands",
        "Every command with its own help. `tur` is the agent's program, `tur-adm` the Architect's.",
        MARK.rstrip(),
    ]
    for program, tree in command_trees().items():
        for name, command in walk(program, tree):
            parts.append(f"{'##' if name == program else '###'} {name}")
            parts.append(f"```text\n{help_page(name, command)}\n```")
    return "\n\n".join(parts) + "\n"


def error_classes(root: type[TurError] = TurError) -> Iterator[type[TurError]]:
    """The error tree, each class after its parent."""
    yield root
    for child in root.__subclasses__():
        yield from error_classes(child)


def errors_page(present: str) -> str:
    """docs/errors.md with its table written anew; the text above the table stays as it is."""
    rows = []
    for error in error_classes():
        meaning = (error.__doc__ or "").strip().splitlines()[0]
        rows.append(f"| `{error.code}` | `{error.__name__}` | {error.exit_code} | {meaning} |\n")
    head, mark, _ = present.partition(MARK)
    table = "| code | class | exit code | meaning |\n|---|---|---|---|\n"
    return f"{head}{mark}\n{table}{''.join(rows)}"


def pages() -> dict[Path, str]:
    """Each page this script writes, with the text it should have."""
    errors = DOCS / "errors.md"
    return {
        DOCS / "commands.md": commands_page(),
        errors: errors_page(errors.read_text(encoding="utf-8")),
    }


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
        print(f"wrote {page}")
