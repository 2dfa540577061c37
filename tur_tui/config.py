"""What a human sets for the app: theme, mouse and keys, in `tui.toml` of their configuration folder."""

import difflib
import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from tur.errors import ConfigError
from tur.policy.display import visible
from tur_tui.actions import ACTIONS, SCOPES, actions, clashes

FILE = "tui.toml"
THEMES = ("dark", "light", "ansi-dark", "ansi-light")
"""The themes that are tested; the first is the default."""


@dataclass(frozen=True, slots=True)
class AppConfig:
    """`keys` maps the id of an action to the keys that do it, with commas between."""

    theme: str = THEMES[0]
    mouse: bool = True
    keys: dict[str, str] = field(default_factory=dict)


def load_config(folder: Path, *, no_color: bool = False) -> AppConfig:
    """The configuration, or the defaults without a file. Raises ConfigError that names what is wrong.

    With `no_color` the default theme is the one that leaves all colours to the terminal.
    """
    default = AppConfig(theme="ansi-dark" if no_color else THEMES[0])
    path = folder / FILE
    try:
        facts = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return default
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}", hint="Correct the file, or move it away for the defaults.") from error
    for name in facts:
        _known(name, ("theme", "mouse", "keys"), path)
    theme, mouse, keys = facts.get("theme", default.theme), facts.get("mouse", True), facts.get("keys", {})
    if theme not in THEMES:
        raise ConfigError(f"{path}: no theme {theme!r}", hint=f"Themes: {', '.join(THEMES)}.")
    if not isinstance(mouse, bool):
        raise ConfigError(f"{path}: mouse is {mouse!r}", hint="Write `mouse = true` or `mouse = false`.")
    if not isinstance(keys, dict) or not all(isinstance(key, str) and key for key in keys.values()):
        raise ConfigError(f"{path}: [keys] pairs an action with its keys", hint='Such as "review.approve" = "A".')
    for name in keys:
        _known(name, [action.id for action in ACTIONS], path)
    if found := clashes(keys):
        raise ConfigError(f"{path}: {'; '.join(found)}", hint="Give each key one meaning.")
    return AppConfig(theme, mouse, keys)


def render_config(config: AppConfig, folder: Path) -> str:
    """The configuration in force as a `tui.toml`, with every action in it: as a comment where its keys are the default.

    Reading it gives the same configuration.
    """
    path = folder / FILE
    lines = [
        f"# {visible(str(path), multiline=False)}" + ("" if path.exists() else " (not there: these are the defaults)"),
        f"# Themes: {', '.join(THEMES)}.",
        f"theme = {_quoted(config.theme)}",
        f"mouse = {str(config.mouse).lower()}",
        "",
        "# Keys of an action, with commas between. A line without `#` in front changes them.",
        "[keys]",
    ]
    for scope, title in SCOPES.items():
        lines += ["", f"# {title}"]
        for action in actions(scope):
            default = ",".join(action.keys)
            given = config.keys.get(action.id, default)
            lines.append(("# " if given == default else "") + f"{_quoted(action.id)} = {_quoted(given)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _known(name: str, known: object, path: Path) -> None:
    names = list(known)  # type: ignore[call-overload]
    if name in names:
        return
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.0)
    raise ConfigError(f"{path}: there is no {name!r}", hint=f"Did you mean {close[0]!r}?" if close else None)
