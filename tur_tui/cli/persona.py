"""`tur-adm persona`."""

from typing import Annotated

import typer

from tur_tui import diagnostics, output
from tur_tui.cli.app import Json, group
from tur_tui.cli.terminal import refuse_harness
from tur_tui.compose import open_desk

persona_app = group("persona", "The agent's identities.")


@persona_app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="What the agent is called.")],
    directives: Annotated[
        list[str] | None, typer.Option("--directive", help="A standing word to the agent; may be repeated.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a persona; the home's first one becomes its default."""
    from tur.service.setup import new_persona

    refuse_harness("making a persona")
    desk = open_desk()
    persona = new_persona(desk.home, desk.clock, name, directives or [])
    if as_json:
        output.emit_json("tur.persona/1", {"persona": persona.model_dump(mode="json")})
    else:
        output.emit_text(f"Made persona {persona.name} ({persona.id}).")


@persona_app.command("list")
def list_all(as_json: Json = False) -> None:
    """List the personas of the home; `*` marks the default one."""
    from tur.store.personas import load_personas
    from tur.store.state import read_default_persona

    home = open_desk().home
    default = read_default_persona(home.state)
    personas, unreadable = load_personas(home)
    if as_json:
        rows = [{"id": one.id, "name": one.name, "default": one.id == default} for one in personas]
        bad = [{"id": one.path.parent.name, "path": str(one.path), "problem": one.problem} for one in unreadable]
        output.emit_json("tur.personas/1", {"personas": rows, "unreadable": bad})
        return
    for one in personas:
        output.emit_text(f"{'*' if one.id == default else ' '} {one.id}  {one.name}")
    for lost in unreadable:
        name = lost.path.parent.name
        output.emit_text(f"{'*' if name == default else ' '} {name}  cannot be read: {lost.problem}")
        diagnostics.note(f"Warning: {lost.path} cannot be read{f'. {lost.error.hint}' if lost.error.hint else '.'}")
    if not personas and not unreadable:
        output.emit_text("There is no persona yet; `tur-adm init` makes one.")


@persona_app.command("show")
def show(
    given: Annotated[str, typer.Argument(metavar="PERSONA", help="A name, or an id or its beginning.")],
    as_json: Json = False,
) -> None:
    """Show a persona with its directives and settings."""
    from tur.store.personas import load_persona, resolve_persona

    home = open_desk().home
    persona = load_persona(home, resolve_persona(home, given))
    if as_json:
        output.emit_json("tur.persona/1", {"persona": persona.model_dump(mode="json")})
        return
    settings = persona.settings
    output.emit_text(f"{persona.name} ({persona.id}), made {persona.created_at}")
    for line in persona.directives:
        output.emit_text(f"  - {line}")
    output.emit_text(f"wake budget: {settings.wake_budget} tokens")
    output.emit_text(f"retention horizon: {settings.retention.horizon} sessions")
    output.emit_text(f"settings file: {home.persona_file(persona.id)}")


@persona_app.command("use")
def use(
    given: Annotated[str, typer.Argument(metavar="PERSONA", help="A name, or an id or its beginning.")],
    default: Annotated[bool, typer.Option("--default", help="Make it the home's default instead.")] = False,
    as_json: Json = False,
) -> None:
    """Let this terrain's agents be that persona."""
    from tur.service.setup import use_default_persona, use_persona
    from tur.store.personas import load_persona, resolve_persona

    refuse_harness("choosing a persona")
    desk = open_desk()
    persona = load_persona(desk.home, resolve_persona(desk.home, given))
    where = str(desk.home.root)
    if default:
        use_default_persona(desk.home, persona.id)
    else:
        store = desk.store()
        use_persona(store.terrain, persona.id)
        where = str(store.terrain.root)
    if as_json:
        output.emit_json("tur.persona/1", {"persona": persona.model_dump(mode="json"), "used_by": where})
    else:
        output.emit_text(f"{where} now uses {persona.name}.")
