"""The composition root: from environment, working folder and options to an opened store and an author.

Nothing below this module reads the environment.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tur.clock import SystemClock
from tur.errors import InvalidInput, NotFound
from tur.ids import check_agent_name
from tur.paths import config_from, find_terrain, home_from
from tur.policy.harness import detect_harness
from tur.store.store import Store, open_store

DEFAULT_AUTHOR = "agent"
INPUT_LIMIT = 64 * 1024 * 1024
"""So much of a file or of stdin is read, in bytes; every text that is kept has a far lower limit of its own."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """An opened store and the manifestation that works in it."""

    store: Store
    author: str


def author_from(environment: Mapping[str, str], given: str | None) -> str:
    """`--as`, else `TUR_AGENT`, else the harness found from its environment, else `agent`."""
    if given is not None:
        return check_agent_name(given)
    if environment.get("TUR_AGENT"):
        return check_agent_name(environment["TUR_AGENT"])
    harness = detect_harness(environment)
    return harness[1] if harness else DEFAULT_AUTHOR


def open_workplace(author: str | None = None) -> Workplace:
    """The store of the terrain around the working folder. Raises NotFound or ConfigError."""
    environment = os.environ
    home = home_from(environment)
    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise NotFound("the working folder is gone", hint="Change to a folder that exists.") from None
    terrain = find_terrain(here, home)
    if terrain is None:
        raise NotFound(
            f"no terrain at or above {here}", hint="`tur-adm init` makes one; run it in the project's top folder."
        )
    who = author_from(environment, author)
    return Workplace(open_store(home, terrain, SystemClock(), config_from(environment)), who)


def text_or_stdin(given: str, what: str) -> str:
    """The text itself, or stdin for `-`: UTF-8, without the line ending that closes it.

    Raises InvalidInput when stdin is a terminal, closed or no UTF-8.
    """
    if given != "-":
        return given
    if sys.stdin is None or sys.stdin.isatty():
        state = "closed" if sys.stdin is None else "a terminal"
        raise InvalidInput(f"`-` reads {what} from stdin, which is {state}", hint="Pipe the text in.")
    data = sys.stdin.buffer.read(INPUT_LIMIT)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{what} is not UTF-8 (byte {error.start})", hint="Nothing was stored.") from None
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
