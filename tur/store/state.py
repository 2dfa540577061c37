"""The two small state files: the home's default persona, the terrain's persona and active session."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from tur.codec.yamlio import dump_mapping, load_mapping
from tur.errors import ConfigError, StoreCorrupt
from tur.ids import PERSONA_ID, SESSION_ID
from tur.paths import TerrainPaths
from tur.store.files import read_file, write_file

LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True)
class TerrainState:
    """`persona` is None until one is chosen; `last_session` is the one that ended most recently."""

    persona: str | None = None
    active_session: str | None = None
    last_session: str | None = None

    @property
    def names_no_session(self) -> bool:
        """As of a new terrain, of a clone, or where the file was lost."""
        return self.active_session is None and self.last_session is None


def _load(path: Path) -> dict[str, object]:
    try:
        text = read_file(path, limit=LIMIT).decode("utf-8", errors="replace")
    except FileNotFoundError:
        return {}
    return load_mapping(text, limit=LIMIT, what=str(path))


def _id(facts: dict[str, object], key: str, path: Path) -> str | None:
    value = facts.get(key)
    if value is None:
        return None
    pattern = SESSION_ID if key.endswith("session") else PERSONA_ID
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise ConfigError(f"{path}: {key} is not an id: {value!r}", hint="Correct or remove that line.")
    return value


def read_terrain_state(path: Path) -> TerrainState:
    """Read a terrain's `state.yaml`. Raises StoreCorrupt or ConfigError when it makes no sense."""
    try:
        facts = _load(path)
    except StoreCorrupt as error:
        hint = "Correct it, or let `tur-adm doctor --fix` move it away; persona and session are found again."
        raise StoreCorrupt(error.message, hint=hint, path=str(path)) from error
    return TerrainState(
        persona=_id(facts, "persona", path),
        active_session=_id(facts, "active_session", path),
        last_session=_id(facts, "last_session", path),
    )


def terrain_persona(terrain: TerrainPaths) -> str | None:
    """The persona a terrain belongs to: the one its state names, else the only one it has a folder of.

    The state is of one machine; in a clone the folders tell.
    """
    return read_terrain_state(terrain.state).persona or persona_of_folders(terrain)


def persona_of_folders(terrain: TerrainPaths) -> str | None:
    """The only persona that has a folder in the terrain; None when there are several, or none."""
    try:
        folders = [name for name in os.listdir(terrain.personas) if PERSONA_ID.fullmatch(name)]
    except (FileNotFoundError, NotADirectoryError):
        return None
    return folders[0] if len(folders) == 1 else None


def change_terrain_state(path: Path, **changes: str | None) -> TerrainState:
    """Set some of the state's fields and keep every other key. The caller holds the terrain's lock."""
    facts = _load(path)
    state = replace(read_terrain_state(path), **changes)
    write_file(path, dump_mapping({**facts, **changes}).encode())
    return state


def read_default_persona(path: Path) -> str | None:
    """The default persona of the home's `state.yaml`."""
    return _id(_load(path), "default_persona", path)


def write_default_persona(path: Path, persona_id: str) -> None:
    """Set the default persona. The caller holds the home's lock."""
    write_file(path, dump_mapping({**_load(path), "default_persona": persona_id}).encode())
