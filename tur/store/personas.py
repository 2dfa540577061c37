"""Personas in the home: `persona.yaml` and which one is the default."""

import os
import uuid

from tur.clock import Clock, format_time
from tur.codec.yamlio import dump_mapping, load_mapping
from tur.errors import Ambiguous, ConfigError, Conflict, NotFound, StoreCorrupt, TurError
from tur.ids import PERSONA_ID, match_prefix
from tur.model.persona import Persona
from tur.paths import HomePaths
from tur.store.files import Unreadable, create_file, read_file
from tur.store.locks import locked
from tur.store.state import read_default_persona, write_default_persona

LIMIT = 256 * 1024
MEND_HINT = "Correct that line by hand."


def list_personas(home: HomePaths) -> list[str]:
    """The ids of all personas of the home."""
    try:
        names = os.listdir(home.personas)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(name for name in names if PERSONA_ID.fullmatch(name) and home.persona_file(name).is_file())


def load_personas(home: HomePaths) -> tuple[list[Persona], list[Unreadable]]:
    """All personas of the home that can be read, in order of id, and those that cannot."""
    found: list[Persona] = []
    unreadable: list[Unreadable] = []
    for one in list_personas(home):
        try:
            found.append(load_persona(home, one))
        except TurError as error:
            unreadable.append(Unreadable(home.persona_file(one), error))
    return found, unreadable


def load_persona(home: HomePaths, persona_id: str) -> Persona:
    """Read a persona. Raises NotFound, StoreCorrupt, or ConfigError naming the wrong field."""
    from pydantic import ValidationError

    path = home.persona_file(persona_id)
    try:
        text = read_file(path, limit=LIMIT).decode("utf-8", errors="replace")
    except FileNotFoundError:
        raise NotFound(
            f"persona {persona_id} is not in {home.root}",
            hint="`tur-adm init` takes it up in this home, `tur-adm persona use` chooses another for this terrain.",
        ) from None
    try:
        facts = load_mapping(text, limit=LIMIT, what=str(path))
    except StoreCorrupt as error:
        raise StoreCorrupt(error.message, hint=error.hint or MEND_HINT, path=str(path)) from error
    try:
        persona = Persona.model_validate(facts)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path}: {field}: {first['msg']}", hint=MEND_HINT) from error
    if persona.id != persona_id:
        raise ConfigError(f"{path}: its id is {persona.id}, its folder {persona_id}")
    return persona


def create_persona(
    home: HomePaths, clock: Clock, name: str, directives: list[str], *, persona_id: str | None = None
) -> Persona:
    """Make a persona, with a new UUID unless one is given; the home's first one becomes its default.

    Raises Conflict when the home has a persona of that name.
    """
    if any(one.name.casefold() == name.casefold() for one in load_personas(home)[0]):
        raise Conflict(f"there is a persona called {name} already", hint="`tur-adm persona list` names them all.")
    if persona_id is None:
        # A UUID from the clock's random source, so that tests can hold it still.
        persona_id = str(uuid.UUID("".join(clock.token() for _ in range(4)), version=4))
    persona = Persona(id=persona_id, name=name, created_at=format_time(clock.now()), directives=directives)
    with locked(home.lock):
        create_file(home.persona_file(persona_id), dump_mapping(persona.model_dump(mode="json")).encode())
        if read_default_persona(home.state) is None:
            write_default_persona(home.state, persona_id)
    return persona


def resolve_persona(home: HomePaths, given: str) -> str:
    """The persona that a name or the beginning of an id names. Raises NotFound or Ambiguous."""
    ids = list_personas(home)
    named = [one.id for one in load_personas(home)[0] if one.name.casefold() == given.casefold()]
    if len(named) > 1:
        raise Ambiguous(f"ambiguous: {len(named)} personas are called {given}: {', '.join(named)}", candidates=named)
    if named:
        return named[0]
    try:
        return match_prefix(given, ids, kind="persona")
    except NotFound:
        raise NotFound(f"no persona {given}", hint="`tur-adm persona list` names them all.") from None
