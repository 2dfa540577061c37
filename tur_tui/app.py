"""The app `tur-adm` opens: its modes, themes, services, and what it does on behalf of all panes.

It owns no rule: panes read through `reading`, and every act is one of `tur_tui.compose`.
"""

import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import App
from textual.binding import BindingType
from textual.driver import Driver
from textual.screen import Screen
from textual.theme import Theme
from textual.widget import AwaitMount
from textual.worker import Worker, WorkerState

from tur.errors import StewardRequired, TurError
from tur.ids import short_id
from tur.model.audit import Act, AuditEntry
from tur.policy.display import one_line
from tur.store.store import Store
from tur_tui.actions import PANES, SCOPES, bindings, find_action, key_of
from tur_tui.compose import SessionKeeping, Stewardship, preload
from tur_tui.config import THEMES, AppConfig
from tur_tui.lines import BLANK, Line, line
from tur_tui.messages import Acted, StoreChanged
from tur_tui.providers import ActionProvider, StoreProvider
from tur_tui.reading import Chrome, read_chrome, refresh_index, store_stamp
from tur_tui.screens.audit import AuditScreen
from tur_tui.screens.diff import DiffScreen
from tur_tui.screens.help import HelpScreen
from tur_tui.screens.memories import MemoriesScreen
from tur_tui.screens.pane import Pane
from tur_tui.screens.prune import PruneScreen
from tur_tui.screens.review import ReviewScreen
from tur_tui.screens.timeline import TimelineScreen
from tur_tui.screens.verify import VerifyScreen
from tur_tui.screens.welcome import WelcomeScreen
from tur_tui.widgets.typed_confirm import Asking, TypedConfirm
from tur_tui.working import Stopped, Working, attempt

if TYPE_CHECKING:
    from tur.stewardship.keys import StewardKey

LOOK_EVERY = 0.4
"""Seconds between two looks at the store for changes by others."""

TELL_EVERY = 0.2
"""Seconds between two looks at how far long work is."""

MOST_JUMPS = 100
"""How many jumps can be gone back on."""

_DARK = Theme(
    name="dark",
    primary="#7aa2f7",
    secondary="#9d7cd8",
    accent="#e0af68",
    foreground="#d5d9e8",
    background="#14161f",
    surface="#1a1d29",
    panel="#242838",
    success="#9ece6a",
    warning="#e0af68",
    error="#f7768e",
    dark=True,
    variables={"faint": "#8d93ab"},
)
_LIGHT = Theme(
    name="light",
    primary="#1f5fbf",
    secondary="#6b3fa0",
    accent="#9a5b00",
    foreground="#1f2430",
    background="#fbfbf8",
    surface="#f2f2ec",
    panel="#e4e4dc",
    success="#2f6f1f",
    warning="#8a5200",
    error="#b3142f",
    dark=False,
    variables={"faint": "#6a6f80"},
)


class TurApp(App[None]):
    """The steward's app over one opened store."""

    CSS_PATH = "tur.tcss"
    TITLE = "tur-adm"
    BINDINGS: ClassVar[list[BindingType]] = bindings("app")
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "timeline": TimelineScreen,
        "diff": DiffScreen,
        "review": ReviewScreen,
        "prune": PruneScreen,
        "memories": MemoriesScreen,
        "audit": AuditScreen,
    }
    COMMANDS: ClassVar[set[Any]] = {ActionProvider, StoreProvider}

    def __init__(
        self,
        desk: Stewardship,
        keeping: SessionKeeping,
        config: AppConfig | None = None,
        *,
        harness: tuple[str, str] | None = None,
        copies: Path | None = None,
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(driver_class=driver_class)
        preload()
        settings = config or AppConfig()
        self.desk = desk
        self.keeping = keeping
        self.config_keys = dict(settings.keys)
        self.harness = harness
        self.copies = copies
        self.chrome: Chrome | None = None
        self.last_word: Line = BLANK
        self.closing = threading.Event()
        self.working = Working()
        self._told: Line | None = None
        self._jumps: deque[tuple[str, Callable[[], object]]] = deque(maxlen=MOST_JUMPS)
        self._indexed = threading.Event()
        self._looking = False
        self._seen: object = None
        self.animation_level = "none"
        self.register_theme(_DARK)
        self.register_theme(_LIGHT)
        self.theme = settings.theme
        self.set_keymap(self.config_keys)

    @property
    def store(self) -> Store:
        """The opened store."""
        return self.desk.store

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What a theme that is not ours lacks."""
        return {"faint": "ansi_bright_black"}

    def on_mount(self) -> None:
        """Open the first pane and begin to follow changes."""
        self.switch_mode("timeline")
        self.call_after_refresh(self._look)
        self.set_interval(LOOK_EVERY, self._look)
        self.set_interval(TELL_EVERY, self._tell_working)

    def on_unmount(self) -> None:
        """Whoever waits in a worker goes."""
        self.closing.set()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault of the program in a worker, the app's or a screen's, is told; what is on screen stays."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None and not isinstance(error, Stopped):
            self._tell(f"Something is wrong in the program: {type(error).__name__}: {one_line(str(error), 200)}", "bad")

    def _tell_working(self) -> None:
        """Show how far long work is, and take the bar away when it is done."""
        told = self.working.line()
        if told != self._told:
            self._told = told
            if isinstance(self.screen, Pane):
                self.screen.show_status()

    # -- following changes ------------------------------------------------------------------------

    def _look(self) -> None:
        if not self._looking:
            self._looking = True
            self._follow()

    @work(thread=True, group="watch", exit_on_error=False)
    def _follow(self) -> None:
        """Look whether anybody wrote to the store; then bring the index up to date and tell the panes."""
        try:
            stamp = store_stamp(self.store)
            if stamp == self._seen:
                return
            fresh = self._seen is None
            with self.working.job("Indexing memories", stop=self.closing.is_set) as progress:
                fresh = not refresh_index(self.store, progress) and fresh
            self._seen = stamp
            # What was shown before the first look is still right, unless the index was behind.
            if fresh and not self.closing.is_set():
                self._read_chrome()
            else:
                self.post_message(StoreChanged())
        except (Stopped, TurError, OSError, sqlite3.Error):
            return  # the pane in front says what is wrong
        finally:
            self._indexed.set()
            self._looking = False

    def look_again(self) -> None:
        """Take the store for changed at the next look."""
        self._seen = ()

    def wait_for_index(self, stop: Callable[[], bool]) -> bool:
        """Wait, in a worker, until the index was brought up to date once; False when `stop` came first."""
        while not self._indexed.wait(0.05):
            if stop():
                return False
        return True

    @on(StoreChanged)
    def _store_changed(self) -> None:
        self._read_chrome()
        for pane in self._panes():
            pane.changed()

    def _panes(self) -> list[Pane]:
        return [screen for stack in self._screen_stacks.values() for screen in stack[:1] if isinstance(screen, Pane)]

    def under_dialog(self, pane: Pane) -> bool:
        """Whether the pane is in front, but for a dialog over it."""
        return bool(self.screen_stack) and self.screen_stack[0] is pane

    @work(thread=True, exclusive=True, group="chrome", exit_on_error=False)
    def _read_chrome(self) -> None:
        try:
            told = read_chrome(self.store)
        except (TurError, OSError, sqlite3.Error):
            return  # the pane in front says what is wrong
        if not self.closing.is_set():
            self.call_from_thread(self._show_chrome, told)

    def _show_chrome(self, told: Chrome) -> None:
        self.chrome = told
        for pane in self._panes():
            if pane.is_mounted:
                pane.show_chrome()

    # -- from pane to pane ------------------------------------------------------------------------

    def switch_mode(self, mode: str) -> AwaitMount:
        """Show a pane. What was said on the one before is no word on this one; what was done still is."""
        if self.last_word.spans and self.last_word.spans[0].role != "good":
            self.last_word = BLANK
        return super().switch_mode(mode)

    def _jump(self, name: str) -> Pane:
        """The pane of a name, brought to the front; the way back to what is left is kept, and told."""
        left = self.screen_stack[0]
        assert isinstance(left, Pane)
        self._jumps.append((left.name_of_pane, left.place()))
        self.switch_mode(name)
        found = self._screen_stacks[name][0]
        assert isinstance(found, Pane)
        if not self.last_word.spans:
            found.say(f"{self.key_of('pane.way_back')} leads back to {SCOPES[left.name_of_pane]}.", "dim")
        return found

    def key_of(self, name: str) -> str:
        """The key of an action, by the configuration if it names one."""
        return key_of(find_action(name), self.config_keys)

    def go_way_back(self) -> bool:
        """Go to where the last jump began, and forget that jump; False when there is none."""
        if not self._jumps:
            return False
        name, place = self._jumps.pop()
        self.switch_mode(name)
        self.call_later(place)
        return True

    def open_memory(self, memory_id: str) -> None:
        """Show a memory."""
        self.call_later(self._jump("memories").go_to, memory_id)

    def open_note(self, session_id: str, idx: int) -> None:
        """Show a note in its session."""
        pane = self._jump("timeline")
        assert isinstance(pane, TimelineScreen)
        self.call_later(pane.go_to_note, session_id, idx)

    def open_review(self, memory_id: str) -> None:
        """Show a core memory that awaits a decision."""
        self.call_later(self._jump("review").go_to, memory_id)

    def open_session(self, session_id: str) -> None:
        """Show a session."""
        self.call_later(self._jump("timeline").go_to, session_id)

    def open_diff(self, typed: str, memory_id: str | None = None) -> None:
        """Show what a session, or what lies between two ends, changed; of a memory if one is named."""
        pane = self._jump("diff")
        assert isinstance(pane, DiffScreen)
        self.call_later(pane.compare, typed, memory_id)

    def action_pane_timeline(self) -> None:
        self.switch_mode("timeline")

    def action_pane_diff(self) -> None:
        self.switch_mode("diff")

    def action_pane_review(self) -> None:
        self.switch_mode("review")

    def action_pane_prune(self) -> None:
        self.switch_mode("prune")

    def action_pane_memories(self) -> None:
        self.switch_mode("memories")

    def action_pane_audit(self) -> None:
        self.switch_mode("audit")

    def action_palette(self) -> None:
        """Find a command, memory or session by typing."""
        self.action_command_palette()

    def action_theme(self) -> None:
        """The next theme."""
        at = THEMES.index(self.theme) if self.theme in THEMES else -1
        self.theme = THEMES[(at + 1) % len(THEMES)]
        self._tell(f"Theme {self.theme}.", "info")

    def action_verify(self) -> None:
        """Check the whole store."""
        if isinstance(self.screen, Pane):
            self.push_screen(VerifyScreen(self.store))

    def action_help(self) -> None:
        """Every key."""
        front = self.screen
        self.push_screen(HelpScreen(front.name_of_pane if isinstance(front, Pane) else PANES[0]))

    def without_paths(self, text: str) -> str:
        """A message with the long beginnings of paths cut, so that what matters is seen."""
        for root, name in ((self.store.terrain.root, ".tur"), (self.store.home.root, "the home")):
            text = text.replace(str(root), name)
        return text

    # -- acts -------------------------------------------------------------------------------------

    def refuse_harness(self) -> None:
        """Raise StewardRequired inside an agent's harness: what follows is for a human alone."""
        if self.harness is not None:
            variable, name = self.harness
            raise StewardRequired(
                f"deciding is for a human: {name} is at work here ({variable} is set)", hint="Nothing was changed."
            )

    def act_with_key(self, pane: Pane, do: "Callable[[StewardKey | None], Acted]") -> None:
        """Carry out an act that must be signed once there is a steward key: asks for the passphrase then."""
        self._find_key(pane, do)

    @work(thread=True, exclusive=True, group="act", exit_on_error=False)
    def _find_key(self, pane: Pane, do: "Callable[[StewardKey | None], Acted]") -> None:
        def act_or_ask() -> None:
            self.refuse_harness()
            if self.desk.key_state().fingerprint is None:
                pane.post_message(do(None))
            else:
                self.call_from_thread(self._ask_passphrase, pane, do)

        attempt(act_or_ask, pane.fail)

    def _ask_passphrase(self, pane: Pane, do: "Callable[[StewardKey | None], Acted]") -> None:
        def typed(passphrase: str | None) -> None:
            if passphrase is not None:
                pane.act(lambda: do(self.desk.unlock(passphrase)))

        told = [line("This persona has a steward key: what enters the prompt is signed with it.")]
        pane.ask(Asking("Steward key", told, prompt="passphrase", password=True), typed)

    def action_help_quit(self) -> None:
        """Ctrl+c leaves no app on this side; it tells what does."""
        self._tell(f"{self.key_of('app.quit')} leaves the app.", "info")

    def action_undo(self) -> None:
        """Take back the last decision, after showing which one that is."""
        if isinstance(self.screen, Pane):
            self._find_last(self.screen)

    @work(thread=True, exclusive=True, group="act", exit_on_error=False)
    def _find_last(self, pane: Pane) -> None:
        attempt(lambda: self.call_from_thread(self._ask_undo, pane, self.desk.last_decision()[1]), pane.fail)

    def _ask_undo(self, pane: Pane, last: AuditEntry) -> None:
        def typed(word: str | None) -> None:
            if word is not None:
                pane.act(lambda: self._undo(last.seq))

        name = short_id(last.id or "")
        becomes = {Act.APPROVE: "pending again", Act.REJECT: "pending again", Act.FORGET: "what it was before"}
        told = [
            line(("title", f"{last.act.value} of {name}"), ("dim", f"  {last.at:%Y-%m-%d %H:%M} by {last.actor}")),
            line(f"Taken back, it is {becomes.get(last.act, 'out of force again')}; the log gets one more line."),
        ]
        pane.ask(TypedConfirm("Take back", told, token="undo", what="take it back"), typed)

    def _undo(self, line: int) -> Acted:
        decision = self.desk.undo(line)
        return Acted(f"Took back: {short_id(decision.memory.id)} is {decision.memory.status.value} again.")

    def _tell(self, text: str, role: str) -> None:
        if isinstance(self.screen, Pane):
            self.screen.say(text, role)


class WelcomeApp(App[str]):
    """What is shown where there is no store: make one here, or look at the demo."""

    CSS_PATH = "tur.tcss"
    TITLE = "tur-adm"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [("i", "choose('init')"), ("d", "choose('demo')"), ("q,escape", "quit")]

    def __init__(self, folder: Path, theme: str = THEMES[0]) -> None:
        super().__init__()
        self._folder = folder
        self.register_theme(_DARK)
        self.register_theme(_LIGHT)
        self.theme = theme

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What a theme that is not ours lacks."""
        return {"faint": "ansi_bright_black"}

    def get_default_screen(self) -> Screen[None]:
        """The choices."""
        return WelcomeScreen(self._folder)

    def action_choose(self, what: str) -> None:
        """Leave with the choice."""
        self.exit(what)
