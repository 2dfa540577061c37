"""Dialogs that ask for typing. A bare Enter never decides anything, and escape always leaves."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input

from tur_tui.lines import Line, line
from tur_tui.widgets.modal import Answer, Modal
from tur_tui.widgets.safe_text import Page, SafeInput, content


class Dialog(Modal[Answer], Generic[Answer]):
    """A box with some lines, which scroll where there is no room for all, and fields under them."""

    note: ClassVar[str] = "enter to go on, esc to leave; nothing is changed by leaving"

    def __init__(self, title: str, lines: Sequence[Line]) -> None:
        super().__init__()
        self._title = title
        self._lines = list(lines)

    def inputs(self) -> Sequence[Widget]:
        """The fields, the first of which has the focus."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """The box."""
        with Vertical(id="dialog") as box:
            box.border_title = content(self._title)
            with VerticalScroll(id="dialog-scroll", can_focus=False):
                yield Page(self._lines, id="dialog-text")
            yield from self.inputs()
            yield Page([line(("dim", self.note))], id="dialog-note")

    def on_mount(self) -> None:
        """Type at once; say how to see the rest of what does not fit."""
        self.query(SafeInput).first().focus()
        self.call_after_refresh(self._say_more)

    def _say_more(self) -> None:
        if self.scroller.max_scroll_y > 0:
            self.query_one("#dialog").border_subtitle = content("pgdn and pgup scroll")

    @property
    def scroller(self) -> VerticalScroll:
        """The lines."""
        return self.query_one("#dialog-scroll", VerticalScroll)

    def read_to_the_end(self) -> bool:
        """Whether the last of the lines is on screen."""
        return self.scroller.scroll_offset.y >= self.scroller.max_scroll_y

    def say(self, text: str) -> None:
        """A word on what was typed."""
        self.query_one("#dialog-note", Page).show([line(("warn", text))])


class Asking(Dialog[str]):
    """Shows some lines and takes a typed line; None when it was left."""

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
        super().__init__(title, lines)
        self._prompt = prompt
        self._value = value
        self._password = password
        self._numeric = numeric
        self._may_be_empty = may_be_empty

    def inputs(self) -> Sequence[Widget]:
        """The one field."""
        return [
            SafeInput(self._value, placeholder=self._prompt, password=self._password, numeric=self._numeric, id="typed")
        ]

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


class ManifestConfirm(TypedConfirm):
    """The list of a batch: goes on only when its end was on screen, and when nothing in it stops it."""

    def __init__(self, title: str, lines: Sequence[Line], *, token: str, what: str, refusal: str | None = None) -> None:
        super().__init__(title, lines, token=token, what=what)
        self._refusal = refusal
        if refusal is not None:
            self._prompt = "nothing can be typed here; esc leaves"
            self._lines = [*lines, line(""), line(("bad", refusal))]

    def judge(self, typed: str) -> str | None:
        """Nothing that is typed helps where something stops the batch."""
        if self._refusal is not None:
            return f"{self._refusal} Nothing was done."
        if not self.read_to_the_end():
            return "Read the list to its end first: pgdn scrolls. Nothing was done."
        return super().judge(typed)


class Choice(Asking):
    """One of a few numbered things."""

    def __init__(self, title: str, lines: Sequence[Line], *, count: int) -> None:
        super().__init__(title, lines, prompt=f"a number from 1 to {count}", numeric=True)
        self._count = count

    def judge(self, typed: str) -> str | None:
        """Whether there is such a one."""
        return None if typed.isdecimal() and 1 <= int(typed) <= self._count else "There is no such number here."


class Wording(Dialog[tuple[str, str]]):
    """Principle and covenant as fields of one line. Goes on only when something in them was changed.

    `check` says why the two cannot be taken, or None.
    """

    note: ClassVar[str] = "enter to the next field, and from the last to go on; esc to leave"

    def __init__(
        self,
        title: str,
        lines: Sequence[Line],
        *,
        principle: str,
        covenant: str,
        check: Callable[[str, str], str | None],
    ) -> None:
        super().__init__(title, lines)
        self._given = (principle, covenant)
        self._check = check
        self._before = self._given

    def inputs(self) -> Sequence[Widget]:
        """The two fields, filled with what there is."""
        fields = []
        for name, text in zip(("principle", "covenant"), self._given, strict=True):
            field = SafeInput(text, placeholder=name, id=name)
            field.border_title = content(name)
            fields.append(field)
        return fields

    def on_mount(self) -> None:
        """Remember what the fields hold before anything was typed."""
        super().on_mount()
        self._before = self._typed()
        self.call_after_refresh(self._to_the_ends)

    def _to_the_ends(self) -> None:
        for field in self.query(SafeInput):
            field.cursor_position = 0
            field.action_end()

    def _typed(self) -> tuple[str, str]:
        first, second = (self.query_one(f"#{name}", SafeInput).value.strip() for name in ("principle", "covenant"))
        return first, second

    @on(Input.Submitted, "#principle")
    def _next_field(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one("#covenant").focus()

    @on(Input.Submitted, "#covenant")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed = self._typed()
        if typed == tuple(text.strip() for text in self._before):
            self.say("Nothing was changed in it, so nothing is done. Escape leaves.")
            return
        problem = self._check(*typed)
        if problem is not None:
            self.say(problem)
            return
        self.dismiss(typed)


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
