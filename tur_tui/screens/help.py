"""The `?` help: every key there is, from the registry, with a filter."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from tur_tui.actions import SCOPES, actions, key_names
from tur_tui.lines import BLANK, Line, line
from tur_tui.widgets.modal import Modal
from tur_tui.widgets.safe_text import SafeInput, content
from tur_tui.widgets.virtual_list import TextView


class HelpScreen(Modal[None]):
    """All keys, those of the pane in front first."""

    def __init__(self, pane: str) -> None:
        super().__init__()
        self._pane = pane

    def compose(self) -> ComposeResult:
        """A filter above the table."""
        with Vertical(id="help") as box:
            box.border_title = content("Keys: type to filter, escape leaves")
            yield SafeInput(placeholder="a key or a word", id="help-filter")
            yield TextView(id="help-text")

    def on_mount(self) -> None:
        """All keys to begin with."""
        self._show("")
        self.query_one("#help-filter").focus()

    @on(Input.Changed, "#help-filter")
    def _typed(self, event: Input.Changed) -> None:
        self._show(event.value)

    @on(Input.Submitted, "#help-filter")
    def _entered(self) -> None:
        self.scroller.focus()

    def _show(self, words: str) -> None:
        self.scroller.show(_table(self._pane, words.casefold(), self._keymap()))

    def _keymap(self) -> dict[str, str]:
        return getattr(self.app, "config_keys", {})

    @property
    def scroller(self) -> TextView:
        """The keys."""
        return self.query_one("#help-text", TextView)


def _table(pane: str, words: str, keymap: dict[str, str]) -> list[Line]:
    order = [
        pane,
        "pane",
        "list",
        "text",
        "app",
        *(scope for scope in SCOPES if scope not in (pane, "pane", "list", "text", "app")),
    ]
    shown: list[Line] = []
    for scope in order:
        rows = []
        for action in actions(scope):
            keys = key_names(keymap[action.id].split(",") if action.id in keymap else action.keys)
            if all(word in f"{keys} {action.tooltip} {action.label}".casefold() for word in words.split()):
                rows.append(line(("key", f"  {keys:<12}"), action.tooltip, indent=14))
        if rows:
            shown += [line(("head", SCOPES[scope])), *rows, BLANK]
    shown += [
        line(("head", "Mouse")),
        line(
            "  Click selects, double click opens, the wheel scrolls, a click in the bottom row does what it says.",
            indent=2,
        ),
        line("  Hold shift while dragging to select text as your terminal does.", indent=2),
    ]
    return shown
