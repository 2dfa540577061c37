"""What every box in front of a pane has: the roles' colours, a way out, and a text that scrolls from any field."""

from typing import ClassVar, Generic, TypeVar

from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.widget import Widget

from tur_tui.actions import bindings
from tur_tui.widgets.safe_text import COMPONENTS

Answer = TypeVar("Answer")


class Modal(ModalScreen[Answer | None], Generic[Answer]):
    """A box in front of a pane; None when it was left."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)
    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    @property
    def scroller(self) -> Widget:
        """What holds the text."""
        raise NotImplementedError

    def action_text_down(self) -> None:
        """On in the text."""
        self.scroller.scroll_page_down(animate=False)

    def action_text_up(self) -> None:
        """Back in the text."""
        self.scroller.scroll_page_up(animate=False)

    def action_cancel(self) -> None:
        """Leave; nothing is changed."""
        self.dismiss(None)

    def action_leave_app(self) -> None:
        """Leave the app; nothing is changed."""
        self.app.exit()
