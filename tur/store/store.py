"""An opened store: the home, one terrain and the persona that lives there."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tur.clock import Clock
from tur.errors import ConfigError, StoreCorrupt
from tur.paths import HomePaths, TerrainPaths
from tur.store.sessions import SessionStore
from tur.store.state import persona_of_folders, read_default_persona, terrain_persona

if TYPE_CHECKING:
    from tur.model.persona import Persona
    from tur.store.memories import MemoryStore


@dataclass(frozen=True)
class Store:
    """Everything a verb needs to reach the disk. Made by `open_store`.

    `config` is the user's own configuration folder for Tur, outside of home and terrain.
    """

    home: HomePaths
    terrain: TerrainPaths
    persona_id: str
    clock: Clock
    config: Path

    @cached_property
    def memories(self) -> "MemoryStore":
        # Reading memory files is not needed for a note, and costs its imports.
        from tur.store.memories import MemoryStore

        return MemoryStore(self.home, self.terrain, self.persona_id)

    @cached_property
    def sessions(self) -> SessionStore:
        return SessionStore(self.terrain, self.persona_id, self.clock)

    @cached_property
    def persona(self) -> "Persona":
        from tur.store.personas import load_persona

        return load_persona(self.home, self.persona_id)


def open_store(home: HomePaths, terrain: TerrainPaths, clock: Clock, config: Path, *, damaged: bool = False) -> Store:
    """Open the store of a terrain with its persona, or the home's default one. Raises ConfigError or StoreCorrupt.

    With `damaged`, a `state.yaml` of the terrain that cannot be read is passed over, so that it can be mended.
    """
    try:
        of_terrain = terrain_persona(terrain)
    except (ConfigError, StoreCorrupt):
        if not damaged:
            raise
        of_terrain = persona_of_folders(terrain)
    persona_id = of_terrain or read_default_persona(home.state)
    if persona_id is None:
        raise ConfigError(
            f"{terrain.root} names no persona and {home.root} has no default one",
            hint="`tur-adm init` sets both up.",
        )
    return Store(home, terrain, persona_id, clock, config)
