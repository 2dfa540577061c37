"""The bottom row: the keys that matter here, as many as fit, with `?` always among them."""

from collections.abc import Sequence

from textual import events
from textual.strip import Strip

from tur_tui.actions import Action, find_action, key_of
from tur_tui.lines import Line, Span
from tur_tui.widgets.safe_text import Bar, strip_of


class KeyBar(Bar):
    """Keys and what they do; a click does the same."""

    def __init__(self, shown: Sequence[Action], *, id: str) -> None:
        super().__init__(id=id)
        self._actions = list(shown)
        self._places: list[tuple[int, int, Action]] = []

    def render_line(self, y: int) -> Strip:
        """The row as segments; where each entry lies is kept for clicks."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.rich_style)
        last = find_action("app.help")
        room = width - self._room_of(last) - 1
        spans: list[Span] = [Span("dim", " ")]
        self._places = []
        at = 1
        for action in self._actions:
            size = self._room_of(action)
            if at + size > room:
                break
            self._places.append((at, at + size, action))
            spans += self._spans(action)
            at += size
        self._places.append((at, at + self._room_of(last), last))
        spans += self._spans(last)
        return strip_of(Line(tuple(spans)), width, self, self.rich_style)

    def _key(self, action: Action) -> str:
        return key_of(action, getattr(self.app, "config_keys", {}))

    def _room_of(self, action: Action) -> int:
        return len(self._key(action)) + 1 + len(action.label) + 2

    def _spans(self, action: Action) -> list[Span]:
        return [Span("key", self._key(action)), Span("dim", f" {action.label}  ")]

    async def on_click(self, event: events.Click) -> None:
        """Do what was clicked."""
        for start, end, action in self._places:
            if start <= event.x < end:
                namespace = self.app if action.scope == "app" else self.screen
                await self.app.run_action(action.name, default_namespace=namespace)
