"""The composition root of `tur-adm`: the one importer of `tur.stewardship`, and the one reader of the environment."""

import os
from dataclasses import dataclass
from pathlib import Path

from tur.clock import Clock, SystemClock
from tur.errors import NotFound
from tur.ids import check_agent_name
from tur.paths import HomePaths, config_from, find_terrain, home_from
from tur.store.store import Store, open_store

ARCHITECT = "architect"


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a human works: the home, their configuration folder, the clock and their name."""

    home: HomePaths
    config: Path
    clock: Clock
    name: str

    def store(self) -> Store:
        """The store of the terrain around the working folder. Raises NotFound or ConfigError."""
        here = Path.cwd()
        terrain = find_terrain(here, self.home)
        if terrain is None:
            raise NotFound(f"no terrain at or above {here}", hint="`tur-adm init` makes one here.")
        return open_store(self.home, terrain, self.clock, self.config)


def open_desk() -> Desk:
    """The desk that the environment describes; the name is `TUR_ARCHITECT`, else `architect`."""
    environment = os.environ
    name = check_agent_name(environment.get("TUR_ARCHITECT") or ARCHITECT)
    return Desk(home_from(environment), config_from(environment), SystemClock(), name)
