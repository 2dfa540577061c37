"""Finds dreaming engines by name in the entry-point group `tur.dreamers`."""

from importlib.metadata import entry_points

from tur.dreaming.engine import Dreamer
from tur.errors import ConfigError

GROUP = "tur.dreamers"


def available() -> list[str]:
    """Names of the engines that are installed, sorted."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def find_dreamer(name: str) -> Dreamer:
    """The engine of that name, ready for use. Raises ConfigError when none is installed under it."""
    for point in entry_points(group=GROUP, name=name):
        dreamer: Dreamer = point.load()()
        return dreamer
    names = available()
    raise ConfigError(
        f"no dreaming engine is called '{name}'",
        hint=f"Choose one of: {', '.join(names)}." if names else "Install Tur again: its engines are missing.",
        engine=name,
        available=names,
    )
