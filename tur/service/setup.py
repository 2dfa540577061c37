"""Making a home, a persona and a terrain."""

from dataclasses import dataclass
from pathlib import Path

from tur.clock import Clock
from tur.codec.text import check_text
from tur.errors import Conflict, InvalidInput, NotFound
from tur.model.persona import Persona
from tur.paths import HomePaths, TerrainPaths, find_terrain
from tur.store.files import create_file, make_folder
from tur.store.locks import locked
from tur.store.personas import create_persona, list_personas, load_persona
from tur.store.state import (
    change_terrain_state,
    read_default_persona,
    read_terrain_state,
    terrain_persona,
    write_default_persona,
)

IGNORED = "# Derived, live or of this machine.\n/cache/\n/sessions/\n/quarantine/\n/state.yaml\n*.lock\n*.tur-tmp\n"
DEFAULT_NAME = "Tur"


@dataclass(frozen=True, slots=True)
class SetUp:
    """What `set_up` found or made."""

    terrain: TerrainPaths
    persona: Persona
    made_terrain: bool
    made_persona: bool


def set_up(home: HomePaths, clock: Clock, folder: Path, *, persona_name: str | None = None) -> SetUp:
    """Make what is missing of home, persona and terrain. Running it again changes nothing.

    Raises NotFound when the folder is missing, Conflict when it lies in another terrain or is the home.
    """
    if not folder.is_dir():
        raise NotFound(f"no folder {folder}", hint="Make it first.")
    terrain = TerrainPaths(folder.resolve() / ".tur")
    if terrain.root == home.root.resolve():
        raise Conflict(
            f"{terrain.root} is the home of the personas and cannot be a terrain too",
            hint="Run `tur-adm init` in a project's folder.",
        )
    around = find_terrain(folder, home)
    if around is not None and around.root != terrain.root:
        raise Conflict(f"{folder} lies in the terrain {around.root}", hint="That terrain is used from here as it is.")
    persona, made_persona = _persona(home, clock, terrain, persona_name)
    made_terrain = around is None
    make_folder(terrain.sessions)
    make_folder(terrain.timelines(persona.id))
    create_file(terrain.root / ".gitignore", IGNORED.encode())
    with locked(terrain.lock):
        if read_terrain_state(terrain.state).persona != persona.id:
            change_terrain_state(terrain.state, persona=persona.id)
    return SetUp(terrain, persona, made_terrain, made_persona)


def _persona(home: HomePaths, clock: Clock, terrain: TerrainPaths, name: str | None) -> tuple[Persona, bool]:
    """The terrain's persona, the one of that name, the home's default, or a new one; and whether it is new.

    A terrain that came from elsewhere brings its persona's id; this home takes it up under that id.
    """
    chosen = terrain_persona(terrain)
    if chosen is not None and chosen not in list_personas(home):
        return new_persona(home, clock, name or placeholder_name(chosen), [], persona_id=chosen), True
    if chosen is not None:
        persona = load_persona(home, chosen)
        if name is not None and persona.name.casefold() != name.casefold():
            raise Conflict(
                f"this terrain's persona is {persona.name}, not {name}",
                hint="`tur-adm persona use` chooses another. Nothing was changed.",
            )
        return persona, False
    known = {load_persona(home, one).name.casefold(): one for one in list_personas(home)}
    wanted = read_default_persona(home.state) if name is None else known.get(name.casefold())
    if wanted is not None:
        return load_persona(home, wanted), False
    return new_persona(home, clock, name or DEFAULT_NAME, []), True


def placeholder_name(persona_id: str) -> str:
    """What a persona is called that came with a terrain: its name stays in the home it was made in."""
    return f"{DEFAULT_NAME} {persona_id[:8]}"


def new_persona(
    home: HomePaths, clock: Clock, name: str, directives: list[str], *, persona_id: str | None = None
) -> Persona:
    """Make a persona. Raises InvalidInput for a name or directive that cannot be taken, Conflict for one in use."""
    check_text(name, "a persona's name", one_line=True, limit=400)
    if len(name) > 100 or "/" in name or ".." in name:
        raise InvalidInput(
            f"not a persona's name: {name!r}", hint="A name has up to 100 characters and no `/` or `..`."
        )
    for line in directives:
        check_text(line, "a directive", limit=4_000)
    return create_persona(home, clock, name, directives, persona_id=persona_id)


def use_persona(terrain: TerrainPaths, persona_id: str) -> None:
    """Point a terrain to a persona."""
    with locked(terrain.lock):
        change_terrain_state(terrain.state, persona=persona_id)


def use_default_persona(home: HomePaths, persona_id: str) -> None:
    """Make a persona the home's default."""
    with locked(home.lock):
        write_default_persona(home.state, persona_id)
