"""Dialogs that ask for typing. A bare Enter never decides anything, and escape always leaves."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from tur_tui.actions import bindings
from tur_tui.lines import Line, line
from tur_tui.widgets.safe_text import Page, SafeInput, content


class Asking(ModalScreen[str | None]):
    """Shows some lines and takes a typed line; None when it was left."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    def __init__(
        self,
        title: str,
        lines: Sequence[Line],
        *,
        prompt: str,
        value: str = "",
        password: bool = False,
        numeric: bool = False,
        may_be_empty: bool = False,
    ) -> None:
        super().__init__()
        self._title = title
        self._lines = list(lines)
        self._prompt = prompt
        self._value = value
        self._password = password
        self._numeric = numeric
        self._may_be_empty = may_be_empty

    def compose(self) -> ComposeResult:
        """The box."""
        with Vertical(id="dialog") as box:
            box.border_title = content(self._title)
            yield Page(self._lines, id="dialog-text")
            yield SafeInput(
                self._value, placeholder=self._prompt, password=self._password, numeric=self._numeric, id="typed"
            )
            yield Page([line(("dim", "enter to go on, esc to leave; nothing is changed by leaving"))], id="dialog-note")

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one("#typed").focus()

    def say(self, text: str) -> None:
        """A word on what was typed."""
        self.query_one("#dialog-note", Page).show([line(("warn", text))])

    @on(Input.Submitted, "#typed")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed = event.value.strip() if not self._password else event.value
        if not typed and not self._may_be_empty:
            self.say("Nothing was typed, so nothing is done. Escape leaves.")
            return
        problem = self.judge(typed)
        if problem is not None:
            self.say(problem)
            return
        self.dismiss(typed)

    def judge(self, typed: str) -> str | None:
        """Why what was typed cannot be taken, or None."""
        return None

    def action_cancel(self) -> None:
        """Leave; nothing is changed."""
        self.dismiss(None)


class TypedConfirm(Asking):
    """Goes on only when the very words it names were typed."""

    def __init__(self, title: str, lines: Sequence[Line], *, token: str, what: str) -> None:
        self._token = token
        told = [*lines, line(""), line("Type ", ("key", token), f" to {what}.")]
        super().__init__(title, told, prompt="type it here")

    def judge(self, typed: str) -> str | None:
        """Whether it was typed, letter by letter; ids may be given as they are shown elsewhere."""
        if typed == self._token or typed.lower().removeprefix("concept-") == self._token:
            return None
        return "That is not what it says above. Nothing was done."


REASONS = ("wrong", "stale", "private", "unsafe")


class Reason(Asking):
    """A reason in words, or by the number of a common one."""

    def __init__(self, title: str, lines: Sequence[Line]) -> None:
        numbered = "   ".join(f"{number} {word}" for number, word in enumerate(REASONS, start=1))
        told = [*lines, line(""), line(("dim", numbered)), line(("dim", "or in your own words: the agent is told"))]
        super().__init__(title, told, prompt="reason")


def reason_of(typed: str) -> str:
    """What a typed reason stands for."""
    return REASONS[int(typed) - 1] if typed in ("1", "2", "3", "4") else typed
