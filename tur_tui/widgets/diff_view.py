"""One change as text, in one column or two, and the way from hunk to hunk. The lines come from `reading`."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from textual.reactive import reactive

from tur_tui.lines import Beside, ChangedText, Line, Span, one_above_the_other
from tur_tui.widgets.safe_text import wrap
from tur_tui.widgets.virtual_list import TextView

LEAST_SPLIT = 44
"""Below this many columns two columns would be too narrow to read."""

CONTEXT = 1
"""Rows above a hunk that stay in sight when it is scrolled to."""

_CHANGED = frozenset({"added", "removed", "added-word", "removed-word"})


class DiffView(TextView):
    """A change that can be laid out side by side."""

    split: reactive[bool] = reactive(False)

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._change: ChangedText | None = None
        self._changed: list[int] = []

    def show(self, lines: Sequence[Line], *, keep: bool = False) -> None:
        """Show a text that is no change."""
        self._change = None
        super().show(lines, keep=keep)

    def show_change(self, change: ChangedText, *, keep: bool) -> None:
        """Show another change."""
        self._change = change
        super().show(change.one_column, keep=keep)

    def watch_split(self) -> None:
        """Lay the same change out anew."""
        if self._change is not None:
            self.show_change(self._change, keep=False)

    def rows(self, width: int) -> list[Line]:
        """The change wrapped to the width; which rows hold changed words is kept for the way from hunk to hunk."""
        self._changed = []
        if self._change is None:
            return super().rows(width)
        shown = [row for one in self._change.head for row in wrap(one, width)]
        for pair in self._change.pairs:
            for row, changed in _beside(pair, width) if self.split and width >= LEAST_SPLIT else _above(pair, width):
                if changed:
                    self._changed.append(len(shown))
                shown.append(row)
        return shown + [row for one in self._change.tail for row in wrap(one, width)]

    def next_hunk(self) -> bool:
        """Scroll on to what changed and was not in sight yet; False when there is no more below."""
        return self._scroll_to_row(row_below(self._changed, round(self.scroll_offset.y), self.size.height))

    def previous_hunk(self) -> bool:
        """Scroll back to what changed above; False when there is none."""
        return self._scroll_to_row(row_above(self._changed, round(self.scroll_offset.y), self.size.height))

    def _scroll_to_row(self, row: int | None) -> bool:
        if row is None:
            return False
        self.scroll_to(y=row, animate=False)
        return True


def _above(pair: Beside, width: int) -> Iterator[tuple[Line, bool]]:
    for one in one_above_the_other(pair):
        yield from _wrapped(one, width)


def _beside(pair: Beside, width: int) -> Iterator[tuple[Line, bool]]:
    column = (width - 2) // 2
    left = [row for one in pair.left for row in _wrapped(one, column)]
    right = [row for one in pair.right for row in _wrapped(one, width - 2 - column)]
    nothing = (Line(), False)
    for (one, before), (other, after) in zip_longest(left, right, fillvalue=nothing):
        filled = Span("dim", " " * max(0, column - cell_len(one.plain)) + "│ ")
        yield Line((*one.spans, filled, *other.spans)), before or after


def _wrapped(shown: Line, width: int) -> Iterator[tuple[Line, bool]]:
    """The rows of a line, each with whether words in it changed; a sign with nothing behind it is an empty line."""
    for at, row in enumerate(wrap(shown, width)):
        text = [span for span in (row.spans if at else row.spans[1:]) if span.text]
        empty = not at and not text and any(span.role in _CHANGED for span in row.spans)
        yield row, empty or any(span.role in _CHANGED for span in text)


def row_below(changed: Sequence[int], top: int, height: int) -> int | None:
    """The row to scroll to so that the next changed row below the screen comes in sight, None without one.

    A hunk that fits on the screen is shown from its beginning, a longer one page by page.
    """
    at = bisect_left(changed, top + max(height, 2))
    if at == len(changed):
        return None
    start, end = _hunk(changed, at)
    fits = end - start + CONTEXT < height
    return (start if fits and start > top + CONTEXT else changed[at]) - CONTEXT


def row_above(changed: Sequence[int], top: int, height: int) -> int | None:
    """The row to scroll to so that the next changed row above the screen comes in sight, None without one."""
    at = bisect_left(changed, top) - 1
    if at < 0:
        return None
    start, end = _hunk(changed, at)
    fits = end - start + CONTEXT < height
    return max(0, start - CONTEXT if fits else max(start - CONTEXT, changed[at] + 1 - max(height, 2)))


def _hunk(changed: Sequence[int], at: int) -> tuple[int, int]:
    """The first and last row of the unbroken run that `changed[at]` lies in."""
    first = last = at
    while first and changed[first - 1] == changed[first] - 1:
        first -= 1
    while last + 1 < len(changed) and changed[last + 1] == changed[last] + 1:
        last += 1
    return changed[first], changed[last]
