"""`tur-adm init`."""

from pathlib import Path
from typing import Annotated

import typer

from tur_tui import output
from tur_tui.cli.app import Json, app
from tur_tui.cli.memory import command_line
from tur_tui.cli.steward import offer_key
from tur_tui.compose import Stewardship, open_desk


@app.command("init")
def init(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="The project's top folder; default: here.")
    ] = None,
    persona: Annotated[str | None, typer.Option("--persona", help="The name of the agent's persona.")] = None,
    as_json: Json = False,
) -> None:
    """Make the home, a persona and this folder's terrain; what is there already stays."""
    from tur.service.setup import placeholder_name, set_up
    from tur.store.store import open_store

    desk = open_desk()
    done = set_up(desk.home, desk.clock, folder or Path.cwd(), persona_name=persona)
    if as_json:
        output.emit_json(
            "tur.init/1",
            {
                "terrain": str(done.terrain.root),
                "home": str(desk.home.root),
                "persona": {"id": done.persona.id, "name": done.persona.name},
                "made_terrain": done.made_terrain,
                "made_persona": done.made_persona,
            },
        )
        return
    made = "Made" if done.made_terrain else "Found"
    output.emit_text(f"{made} the terrain {done.terrain.root}")
    made = "made" if done.made_persona else "found"
    output.emit_text(f"Persona {done.persona.name} ({done.persona.id}), {made} in {desk.home.root}")
    if done.persona.name == placeholder_name(done.persona.id):
        output.emit_text(
            "It came with the project, which does not keep its name: "
            f"`name:` in {desk.home.persona_file(done.persona.id)} gives it one."
        )
    output.emit_text("An agent can now run `tur wake` here.")
    store = open_store(desk.home, done.terrain, desk.clock, desk.config)
    offer_key(Stewardship(store, desk.name, command_line()))
