"""`tur-adm demo`."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from tur_tui import output
from tur_tui.cli.app import app


@app.command("demo")
def demo(
    folder: Annotated[
        Path | None, typer.Option("--dir", help="An empty folder to play in; default: a temporary one, thrown away.")
    ] = None,
    only_print: Annotated[bool, typer.Option("--print", help="Only tell the story; do not open the app.")] = False,
) -> None:
    """Play a story of three sessions by two manifestations, in a home of its own; on a terminal, open the app on it."""
    from tur_tui.cli.open_app import can_open, open_demo
    from tur_tui.demo import after, play

    opens = not only_print and can_open()
    if folder is not None:
        for line in play(folder):
            output.emit_text(line)
        if opens:
            open_demo(folder, after())
        output.emit_text(f"\nLook around in it: cd {folder / 'project'}; export TUR_HOME={folder / 'home'}")
        return
    with tempfile.TemporaryDirectory(prefix="tur-demo-") as scratch:
        for line in play(Path(scratch)):
            output.emit_text(line)
        if opens:
            output.flush()
            open_demo(Path(scratch), after())
    output.emit_text("\nThe demo's folder is gone again; `tur-adm demo --dir DIR` keeps it.")
