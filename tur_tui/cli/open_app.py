"""`tur-adm` with no verb: open the app, where there is a terminal to open it on."""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from tur.clock import Clock
from tur.errors import MissingExtra, NotFound, Refused
from tur.paths import HomePaths, find_terrain
from tur.store.store import Store, open_store
from tur_tui import output
from tur_tui.compose import Desk, SessionKeeping, Stewardship, harness_here, open_desk, terminal_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur_tui.config import AppConfig


def can_open() -> bool:
    """Whether there is a terminal to draw on and the app is installed."""
    return _why_not() is None and _installed()


def open_app(*, mouse: bool = True) -> None:
    """Open the app over the store here; without one, offer to make one or to show the demo.

    Raises Refused where there is no terminal, MissingExtra when Textual is not installed, ConfigError.
    """
    _require()
    from tur_tui.config import load_config

    desk = open_desk()
    config = load_config(desk.config, no_color=terminal_facts().no_color)
    store: Store | None
    try:
        store = desk.store()
    except NotFound:
        store = _welcome(config)
    if store is not None:
        run(store, desk, config, mouse=mouse)


def config_page(*, mouse: bool = True) -> str:
    """The configuration in force, as TOML. Raises ConfigError."""
    from tur_tui.config import load_config, render_config

    desk = open_desk()
    config = load_config(desk.config, no_color=terminal_facts().no_color)
    return render_config(replace(config, mouse=mouse and config.mouse), desk.config).removesuffix("\n")


def open_demo(folder: Path, clock: Clock, *, mouse: bool = True) -> None:
    """Open the app over the demo that was played in `folder`."""
    _require()
    from tur_tui.config import load_config

    desk = open_desk()
    config = load_config(desk.config, no_color=terminal_facts().no_color)
    run(demo_store(folder, clock), desk, config, mouse=mouse)


def demo_store(folder: Path, clock: Clock) -> Store:
    """The store of a demo. Raises NotFound when none was played there."""
    home = HomePaths(folder / "home")
    terrain = find_terrain(folder / "project", home)
    if terrain is None:
        raise NotFound(f"there is no demo in {folder}")
    return open_store(home, terrain, clock, folder / "config")


def run(store: Store, desk: Desk, config: "AppConfig", *, mouse: bool = True) -> None:
    """Run the app to its end."""
    from tur_tui.app import TurApp

    argv = ("tur-adm",)
    app = TurApp(
        Stewardship(store, desk.name, argv),
        SessionKeeping(store, desk.name, argv),
        config,
        harness=harness_here(),
        copies=desk.state / "copy.txt",
    )
    app.run(mouse=mouse and config.mouse)


def _welcome(config: "AppConfig") -> Store | None:
    from tur.service.setup import set_up
    from tur_tui.app import WelcomeApp
    from tur_tui.demo import after, play

    desk = open_desk()
    choice = WelcomeApp(Path.cwd(), config.theme).run(mouse=config.mouse)
    if choice == "init":
        set_up(desk.home, desk.clock, Path.cwd())
        return desk.store()
    if choice == "demo":
        with tempfile.TemporaryDirectory(prefix="tur-demo-") as scratch:
            for _ in play(Path(scratch)):
                pass
            run(demo_store(Path(scratch), after()), desk, config)
        output.emit_text("The demo's folder is gone again; `tur-adm demo --dir DIR` keeps it.")
    return None


def _require() -> None:
    why = _why_not()
    if why is not None:
        raise Refused(why, hint="`tur-adm --help` lists the same acts as plain commands.")
    if not _installed():
        raise MissingExtra("the app needs Textual, which is not installed", hint="pip install 'tur[adm]'")


def _why_not() -> str | None:
    """Why nothing can be drawn here, or None. Both streams count: Textual draws on stderr's terminal too."""
    streams = (sys.stdin, sys.stdout)
    if not all(stream is not None and stream.isatty() for stream in streams):
        return "the app needs a terminal: stdin and stdout must be one"
    if terminal_facts().dumb:
        return "the app needs a terminal that can be drawn on; TERM says it cannot"
    return None


def _installed() -> bool:
    from importlib.util import find_spec

    return find_spec("textual") is not None
