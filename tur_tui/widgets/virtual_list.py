"""A list that draws only what is on screen: a vector of ids, and rows that come page by page.

It holds a hundred thousand entries as easily as ten. Rows that are not there yet are made by a
function of their id, where all is known already, or asked for by a message; the list never reads
anything itself.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tur_tui.actions import bindings
from tur_tui.lines import Line, Row, line
from tur_tui.widgets.safe_text import strip_of, wrap

CACHED_ROWS = 2_000
"""How many rows are kept; more than any screen shows, and little memory."""


class VirtualList(ScrollView, can_focus=True):
    """A list with a cursor and marks."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"list--cursor", "list--cursor-blurred"}
    BINDINGS: ClassVar[list[BindingType]] = bindings("list")

    class Highlighted(Message):
        """The cursor is on another entry, or on none."""

        def __init__(self, sender: "VirtualList", row_id: str | None) -> None:
            super().__init__()
            self.sender = sender
            self.row_id = row_id

        @property
        def control(self) -> "VirtualList":
            return self.sender

    class Chosen(Message):
        """An entry was opened with enter or a double click."""

        def __init__(self, sender: "VirtualList", row_id: str) -> None:
            super().__init__()
            self.sender = sender
            self.row_id = row_id

        @property
        def control(self) -> "VirtualList":
            return self.sender

    class Wanted(Message):
        """These entries came into sight and have no row yet."""

        def __init__(self, sender: "VirtualList", row_ids: Sequence[str]) -> None:
            super().__init__()
            self.sender = sender
            self.row_ids = row_ids

        @property
        def control(self) -> "VirtualList":
            return self.sender

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._ids: Sequence[str] = ()
        self._rows: OrderedDict[str, Row] = OrderedDict()
        self._row_of: Callable[[str], Row] | None = None
        self._stale: set[str] = set()
        self._asked: set[str] = set()
        self._empty: list[Line] = []
        self.cursor = 0
        self.marks: dict[str, str] = {}

    # -- content ------------------------------------------------------------------------------

    @property
    def ids(self) -> Sequence[str]:
        """The ids in order of display."""
        return self._ids

    @property
    def current(self) -> str | None:
        """The id under the cursor."""
        return self._ids[self.cursor] if self.cursor < len(self._ids) else None

    def show_ids(
        self,
        ids: Sequence[str],
        *,
        row_of: Callable[[str], Row] | None = None,
        empty: Sequence[Line] = (),
    ) -> None:
        """Take a new vector of ids. The cursor stays on its entry, and the entry in its place on screen."""
        held, was = self.current, self.cursor
        if row_of is not None or self._row_of is not None:
            self._rows.clear()
        self._ids = ids
        self._row_of = row_of
        self._empty = list(empty)
        self._stale = set(self._rows)
        self._asked.clear()
        if held is not None and self.cursor < len(ids) and ids[self.cursor] == held:
            pass
        elif held is not None and held in (known := {one: at for at, one in enumerate(ids)}):
            self.cursor = known[held]
        else:
            self.cursor = max(0, min(self.cursor, len(ids) - 1))
        self.virtual_size = Size(max(self.size.width, 1), len(ids))
        if self.cursor != was and held is not None:
            self.scroll_to(y=self.scroll_y + self.cursor - was, animate=False, force=True)
        self.refresh()
        self._ask_soon()
        if self.current != held:
            self.post_message(self.Highlighted(self, self.current))

    def show_rows(self, rows: Iterable[Row]) -> None:
        """Take rows that were asked for."""
        self._take(rows)
        self.refresh()

    def _take(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._rows[row.id] = row
            self._rows.move_to_end(row.id)
            self._stale.discard(row.id)
            self._asked.discard(row.id)
        while len(self._rows) > CACHED_ROWS:
            self._stale.discard(self._rows.popitem(last=False)[0])

    def select(self, row_id: str) -> bool:
        """Put the cursor on an entry; says whether it is in the list."""
        try:
            at = list(self._ids).index(row_id)
        except ValueError:
            return False
        self.move_to(at)
        return True

    # -- drawing ------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One row of what is in sight."""
        width = self.scrollable_content_region.width
        at = y + round(self.scroll_offset.y)
        if not self._ids:
            pieces = [piece for one in self._empty for piece in wrap(one, width - 2)]
            shown = pieces[y - 1] if 0 < y <= len(pieces) else Line()
            return strip_of(Line((*line(" ").spans, *shown.spans)), width, self, self.rich_style)
        if at >= len(self._ids):
            return Strip.blank(width, self.rich_style)
        base = self.rich_style
        marker = " " + self.marks.get(self._ids[at], " ")
        if at == self.cursor:
            base = self.get_component_rich_style("list--cursor" if self.has_focus else "list--cursor-blurred")
            marker = ">" + marker[1:]
        row = self._row(self._ids[at])
        shown = row.line if row is not None else line(("dim", self._ids[at]))
        return strip_of(Line((*line(marker).spans, *shown.spans)), width, self, base)

    def _row(self, row_id: str) -> Row | None:
        """The row of an entry in sight, made now where that is possible."""
        if row_id not in self._rows and self._row_of is not None:
            self._take([self._row_of(row_id)])
        return self._rows.get(row_id)

    def _ask_soon(self) -> None:
        if self.is_attached:
            self.call_after_refresh(self._ask)

    def _ask(self) -> None:
        if self._row_of is not None:
            return
        top = round(self.scroll_offset.y)
        height = max(self.size.height, 1)
        around = self._ids[max(0, top - height // 2) : top + height + height // 2]
        wanted = [one for one in around if (one not in self._rows or one in self._stale) and one not in self._asked]
        if wanted:
            self._asked.update(wanted)
            self.post_message(self.Wanted(self, wanted))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for what came into sight."""
        super().watch_scroll_y(old_value, new_value)
        self._ask_soon()

    def on_resize(self, event: events.Resize) -> None:
        """More may be in sight now."""
        self.virtual_size = Size(max(self.size.width, 1), len(self._ids))
        self._ask_soon()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    # -- moving -------------------------------------------------------------------------------

    def move_to(self, at: int) -> None:
        """Put the cursor on the entry at this index, as near as there is one, and bring it in sight."""
        at = max(0, min(at, len(self._ids) - 1))
        if not self._ids:
            return
        changed = at != self.cursor
        self.cursor = at
        self.scroll_to_region(Region(0, at, 1, 1), animate=False, force=True)
        self.refresh()
        if changed:
            self.post_message(self.Highlighted(self, self.current))

    def action_down(self) -> None:
        self.move_to(self.cursor + 1)

    def action_up(self) -> None:
        self.move_to(self.cursor - 1)

    def action_half_down(self) -> None:
        self.move_to(self.cursor + max(1, self.size.height // 2))

    def action_half_up(self) -> None:
        self.move_to(self.cursor - max(1, self.size.height // 2))

    def action_page_down(self) -> None:
        self.move_to(self.cursor + max(1, self.size.height - 1))

    def action_page_up(self) -> None:
        self.move_to(self.cursor - max(1, self.size.height - 1))

    def action_first(self) -> None:
        self.move_to(0)

    def action_last(self) -> None:
        self.move_to(len(self._ids) - 1)

    def action_choose(self) -> None:
        if self.current is not None:
            self.post_message(self.Chosen(self, self.current))

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor; a second one opens."""
        offset = event.get_content_offset(self)
        if offset is None or not self._ids:
            return
        self.move_to(offset.y + round(self.scroll_offset.y))
        if event.chain >= 2:
            self.action_choose()


class TextView(ScrollView, can_focus=True):
    """A long text, wrapped to the width, of which only what is in sight is drawn. Remembers how much was seen."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("text")

    class Seen(Message):
        """More of the text has been on screen."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._lines: Sequence[Line] = ()
        self._wrapped: list[Line] = []
        self._width = 0
        self._lowest = 0

    @property
    def seen(self) -> int:
        """How much of the text has been on screen, in percent, counted from its beginning."""
        if not self._wrapped:
            return 0
        return min(100, 100 * self._lowest // len(self._wrapped))

    @property
    def plain(self) -> str:
        """The whole text, for copying."""
        return "\n".join(one.plain for one in self._lines)

    def show(self, lines: Sequence[Line], *, keep: bool = False) -> None:
        """Replace the text; with `keep`, stay at the same place in it and count what was seen as seen."""
        changed = list(lines) != list(self._lines)
        self._lines = lines
        if changed or not keep:
            self._lowest = 0
        self._width = 0
        self._layout()
        if not keep:
            self.scroll_to(y=0, animate=False, force=True)
        self.refresh()
        self.call_after_refresh(self._look)

    def _layout(self) -> None:
        width = max(self.scrollable_content_region.width - 2, 8)
        if width == self._width:
            return
        share = self._lowest / len(self._wrapped) if self._wrapped else 0.0
        self._width = width
        self._wrapped = self.rows(width)
        # Rounded down: another width must not make the last row count as seen.
        self._lowest = int(share * len(self._wrapped))
        self.virtual_size = Size(width + 2, len(self._wrapped))

    def rows(self, width: int) -> list[Line]:
        """The text in rows of at most `width` cells."""
        return [piece for one in self._lines for piece in wrap(one, width)]

    def _look(self) -> None:
        lowest = min(len(self._wrapped), round(self.scroll_offset.y) + self.size.height)
        if self.size.height and lowest > self._lowest:
            self._lowest = lowest
            self.post_message(self.Seen())

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew."""
        self._layout()
        self.call_after_refresh(self._look)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """What scrolls into sight is seen."""
        super().watch_scroll_y(old_value, new_value)
        self._look()

    def render_line(self, y: int) -> Strip:
        """One row of what is in sight."""
        at = y + round(self.scroll_offset.y)
        shown = self._wrapped[at] if at < len(self._wrapped) else Line()
        width = self.scrollable_content_region.width
        return strip_of(Line((*line(" ").spans, *shown.spans)), width, self, self.rich_style)

    def _scroll(self, rows: int) -> None:
        self.scroll_to(y=self.scroll_y + rows, animate=False)

    def action_down(self) -> None:
        self._scroll(1)

    def action_up(self) -> None:
        self._scroll(-1)

    def action_half_down(self) -> None:
        self._scroll(max(1, self.size.height // 2))

    def action_half_up(self) -> None:
        self._scroll(-max(1, self.size.height // 2))

    def action_page_down(self) -> None:
        self._scroll(max(1, self.size.height - 1))

    def action_page_up(self) -> None:
        self._scroll(-max(1, self.size.height - 1))

    def action_first(self) -> None:
        self.scroll_to(y=0, animate=False)

    def action_last(self) -> None:
        self.scroll_to(y=len(self._wrapped), animate=False)


def by_id(rows: Iterable[Row]) -> Mapping[str, Row]:
    """Rows by their id."""
    return {row.id: row for row in rows}
