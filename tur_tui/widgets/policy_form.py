"""The fields of a retention policy. Tells each change as a whole policy, or why it is none."""

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input

from tur.errors import TurError
from tur.policy.retention import RetentionPolicy
from tur_tui.lines import Line, Span
from tur_tui.widgets.safe_text import Bar, SafeInput


class PolicyForm(Vertical):
    """Two numbers to type and two switches with keys of their own."""

    class Changed(Message):
        """Another policy was entered, or something that is none."""

        def __init__(self, policy: RetentionPolicy | None, error: TurError | None = None) -> None:
            super().__init__()
            self.policy = policy
            self.error = error

    class Left(Message):
        """Typing is over."""

    def __init__(self, policy: RetentionPolicy, *, id: str) -> None:
        super().__init__(id=id)
        self._policy = policy
        self._delete = policy.delete
        self._unconsolidated = policy.include_unconsolidated

    def compose(self) -> ComposeResult:
        """The fields."""
        with Horizontal(classes="field"):
            yield Bar(Line((Span("key", " n "), Span("text", "keep the newest"))), classes="label")
            keep = "" if self._policy.keep is None else str(self._policy.keep)
            yield SafeInput(keep, placeholder="no rule", numeric=True, id="keep")
        with Horizontal(classes="field"):
            yield Bar(Line((Span("key", " a "), Span("text", "keep those of days"))), classes="label")
            age = "" if self._policy.max_age_days is None else str(self._policy.max_age_days)
            yield SafeInput(age, placeholder="no rule", numeric=True, id="age")
        yield Bar(id="mode")
        yield Bar(id="undreamt")

    def on_mount(self) -> None:
        """Show the switches; the fields get the focus only by their keys."""
        self._show_switches()
        for field in self.query(SafeInput):
            field.can_focus = False

    def _show_switches(self) -> None:
        what = ("removed", "delete, a tombstone stays") if self._delete else ("good", "archive")
        self.query_one("#mode", Bar).show(Line((Span("key", " m "), Span("text", "what goes: "), Span(*what))))
        which = ("removed", "go too") if self._unconsolidated else ("good", "stay")
        self.query_one("#undreamt", Bar).show(Line((Span("key", " i "), Span("text", "undreamt ones: "), Span(*which))))

    def edit(self, field: str) -> None:
        """Put the focus into a field."""
        found = self.query_one(f"#{field}", SafeInput)
        found.can_focus = True
        # At once: a key that comes before the field has the focus would be taken for a command.
        self.screen.set_focus(found)
        # What is typed takes the place of what was there.
        found.select_all()

    def toggle_delete(self) -> None:
        """Archive or delete."""
        self._delete = not self._delete
        self._show_switches()
        self._tell()

    def toggle_unconsolidated(self) -> None:
        """Spare or include what no dream has seen."""
        self._unconsolidated = not self._unconsolidated
        self._show_switches()
        self._tell()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._tell()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._leave()

    def on_key(self, event: events.Key) -> None:
        """Escape and tab leave a field."""
        if event.key in ("escape", "tab", "shift+tab"):
            event.stop()
            event.prevent_default()
            self._leave()

    def _leave(self) -> None:
        for field in self.query(SafeInput):
            field.can_focus = False
        self.post_message(self.Left())

    def _tell(self) -> None:
        try:
            policy = RetentionPolicy(
                keep=self._number("keep"),
                max_age_days=self._number("age"),
                delete=self._delete,
                include_unconsolidated=self._unconsolidated,
            )
        except TurError as error:
            self.post_message(self.Changed(None, error))
        else:
            self.post_message(self.Changed(policy))

    def _number(self, field: str) -> int | None:
        text = self.query_one(f"#{field}", SafeInput).value.strip()
        return int(text) if text.isdecimal() else None
