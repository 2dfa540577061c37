"""The one way from stored text to the screen: no markup is parsed, no control character passes.

Everything that draws text or takes it in is made here or from here; a test keeps the constructors
of Textual that would parse markup out of every other module.
"""

from collections.abc import Iterator

from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from tur.policy.display import hidden_characters, visible
from tur_tui.lines import ROLES, Line, Span, line

COMPONENTS = frozenset(f"role--{role}" for role in ROLES)
"""The component classes through which the stylesheet reaches the roles.

Each screen has them once: for each widget that has them, all are worked out anew whenever it is styled.
"""


def safe(text: str) -> str:
    """Text on one line with everything that a terminal would obey, or not show, written out."""
    return visible(text, multiline=False)


def content(text: str) -> Content:
    """Text for places of Textual that take content: titles, notifications. Never parsed as markup."""
    return Content(safe(text))


def strip_of(shown: Line, width: int, widget: Widget, base: Style) -> Strip:
    """A line as the terminal gets it, cut or filled to `width` cells."""
    segments: list[Segment] = []
    room = width
    for span in shown.spans:
        if room <= 0:
            break
        # A terminal's width is all that can be seen: what lies beyond need not be looked at.
        text = safe(span.text if len(span.text) < 4 * width else span.text[: 4 * width])
        size = cell_len(text)
        if size > room:
            text = _cut(text, room - 1) + "…"
            size = cell_len(text)
        style = base
        if not base.reverse:
            # In a reversed row colours would become patches of background.
            style = base + widget.screen.get_component_rich_style(f"role--{span.role}", partial=True)
        segments.append(Segment(text, style))
        room -= size
    if room > 0:
        segments.append(Segment(" " * room, base))
    return Strip(segments, width)


def wrap(shown: Line, width: int) -> Iterator[Line]:
    """The line in pieces of at most `width` cells, broken at blanks where there are any."""
    spans = [Span(span.role, safe(span.text)) for span in shown.spans if span.text]
    text = "".join(span.text for span in spans)
    width = max(width, 8)
    indent = shown.indent if shown.indent <= width // 2 else 0
    if not text:
        yield Line()
    at = offset = 0  # where the next piece takes its spans from: which span, and where that begins in the text
    for start, end in _breaks(text, width, indent):
        piece = [Span("dim", " " * indent)] if start and indent else []
        while at < len(spans) and offset < end:
            role, whole = spans[at]
            part = whole[max(start - offset, 0) : end - offset]
            if part:
                piece.append(Span(role, part))
            if offset + len(whole) > end:
                break
            offset += len(whole)
            at += 1
        yield Line(tuple(piece))


def _breaks(text: str, width: int, indent: int) -> Iterator[tuple[int, int]]:
    """Where each piece begins and ends. The blanks at a break belong to neither side."""
    start = 0
    while start < len(text):
        room = width - indent if start else width
        end = start + max(1, len(_cut(text[start : start + 2 * room + 8], room)))
        if end < len(text) and text[end] != " ":
            blank = text.rfind(" ", start, end)
            # Not within what stands in front of the indented column, nor where only blanks would be left.
            if blank >= start + (0 if start else indent) and text[start:blank].strip(" "):
                end = blank
        yield start, end
        start = end
        while start < len(text) and text[start] == " ":
            start += 1


def _cut(text: str, cells: int) -> str:
    """The longest beginning of the text that fits."""
    if cells <= 0:
        return ""
    beginning = text[: 2 * cells + 8]
    if beginning.isascii():
        return beginning[:cells]
    used = 0
    for at, char in enumerate(beginning):
        used += get_character_cell_size(char)
        if used > cells:
            return beginning[:at]
    return beginning


class Bar(Widget):
    """One row of text, such as the chrome on top or the status line."""

    DEFAULT_CSS = "Bar { height: 1; width: 1fr; }"

    def __init__(self, shown: Line | None = None, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.shown = shown or line("")

    def show(self, shown: Line) -> None:
        """Replace the text."""
        self.shown = shown
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The row as segments."""
        if y:
            return Strip.blank(self.size.width, self.rich_style)
        return strip_of(self.shown, self.size.width, self, self.rich_style)


class Page(Widget):
    """A few rows of wrapped text, as tall as they need; for dialogs and empty states."""

    DEFAULT_CSS = "Page { height: auto; width: 1fr; }"

    def __init__(self, lines: list[Line], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines = lines
        self._wrapped: tuple[int, list[Line]] = (0, [])

    def show(self, lines: list[Line]) -> None:
        """Replace the text."""
        self._lines = lines
        self._wrapped = (0, [])
        self.refresh(layout=True)

    def _rows(self, width: int) -> list[Line]:
        if self._wrapped[0] != width:
            self._wrapped = (width, [piece for one in self._lines for piece in wrap(one, width)])
        return self._wrapped[1]

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """As many rows as the wrapped text has."""
        return len(self._rows(width))

    def render_line(self, y: int) -> Strip:
        """One row as segments."""
        rows = self._rows(self.size.width)
        return strip_of(rows[y] if y < len(rows) else Line(), self.size.width, self, self.rich_style)


class SafeInput(Input):
    """A field to type into. It shows what was pasted with hidden characters taken out, and never blinks."""

    def __init__(
        self, value: str = "", *, placeholder: str = "", password: bool = False, numeric: bool = False, id: str
    ) -> None:
        super().__init__(
            safe(value),
            placeholder=safe(placeholder),
            password=password,
            restrict=r"[0-9]{0,6}" if numeric else None,
            select_on_focus=False,
            id=id,
        )
        self.cursor_blink = False

    def validate_value(self, value: str) -> str:
        """Take out what a terminal would obey; typed text has none of it."""
        hidden = {one.offset for one in hidden_characters(value)}
        return "".join(char for at, char in enumerate(value) if at not in hidden and char not in "\n\r\t")
