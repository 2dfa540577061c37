"""What is shown where there is no store."""

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.screen import Screen

from tur_tui.lines import BLANK, line
from tur_tui.widgets.safe_text import COMPONENTS, Page, content


class WelcomeScreen(Screen[None]):
    """Where one would be made, and the choices."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def compose(self) -> ComposeResult:
        """The choices."""
        page = Page(
            [
                line(("title", "There is no store here yet")),
                line(("dim", str(self._folder))),
                BLANK,
                line(("key", "i"), "  make one in this folder, as `tur-adm init` does"),
                line(("key", "d"), "  open the demo: three sessions of two agents, in a throw-away folder"),
                line(("key", "q"), "  leave; nothing is changed"),
            ],
            id="welcome",
        )
        page.border_title = content("tur-adm")
        yield page
