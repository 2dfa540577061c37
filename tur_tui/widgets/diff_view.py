"""One change as text, in one column or two. Owns the choice between them; the lines come from `reading`."""

from collections.abc import Callable, Sequence

from textual import events
from textual.reactive import reactive

from tur_tui.lines import Line
from tur_tui.widgets.virtual_list import TextView

LEAST_SPLIT = 50
"""Below this many columns two columns would be too narrow to read."""

Change = Callable[[int], Sequence[Line]]
"""The lines of a change for a width of one of two columns; 0 is for one column."""


class DiffView(TextView):
    """A text that can be laid out side by side."""

    split: reactive[bool] = reactive(False)

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._change: Change | None = None

    def show_change(self, change: Change, *, keep: bool) -> None:
        """Show another change."""
        self._change = change
        self._lay_out(keep=keep)

    def watch_split(self) -> None:
        """Lay the same change out anew."""
        self._lay_out(keep=False)

    def on_resize(self, event: events.Resize) -> None:
        """Columns depend on the width."""
        super().on_resize(event)
        if self.split:
            self._lay_out(keep=True)

    def _lay_out(self, *, keep: bool) -> None:
        if self._change is None:
            return
        width = self.scrollable_content_region.width - 2
        column = (width - 2) // 2 if self.split and width >= LEAST_SPLIT else 0
        self.show(self._change(column), keep=keep)
