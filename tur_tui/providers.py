"""What the command palette finds: actions of the registry, and memories and sessions by their words."""

import asyncio
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from tur.errors import TurError
from tur_tui.actions import ACTIONS, Action, key_names
from tur_tui.reading import find_anything
from tur_tui.widgets.safe_text import content, safe

if TYPE_CHECKING:
    from tur_tui.app import TurApp

MOST_HITS = 50


class ActionProvider(Provider):
    """Panes, theme, help: never a decision."""

    def _offered(self) -> list[Action]:
        return [action for action in ACTIONS if action.palette]

    async def _run(self, action: Action) -> None:
        namespace = self.app if action.scope == "app" else self.screen
        await self.app.run_action(action.name, default_namespace=namespace)

    async def discover(self) -> Hits:
        """All of them."""
        for action in self._offered():
            yield DiscoveryHit(content(action.tooltip), partial(self._run, action), help=key_names(action.keys))

    async def search(self, query: str) -> Hits:
        """Those whose words match."""
        matcher = self.matcher(query)
        for action in self._offered():
            # The bar of keys calls it otherwise than the sentence does.
            score = max(matcher.match(action.tooltip), matcher.match(action.label))
            if score > 0:
                yield Hit(score, matcher.highlight(action.tooltip), partial(self._run, action))


class StoreProvider(Provider):
    """Memories and sessions."""

    async def search(self, query: str) -> Hits:
        """The best matches of the store, read in a thread."""
        app = cast("TurApp", self.app)
        if len(query.strip()) < 2:
            return
        try:
            found = await asyncio.to_thread(find_anything, app.store, query, MOST_HITS)
        except (TurError, OSError, sqlite3.Error):
            return
        for at, (kind, one, told) in enumerate(found):
            go = app.open_memory if kind == "memory" else app.open_session
            yield Hit(1 - at / (2 * MOST_HITS), content(told), partial(go, one), text=safe(told))
