"""What workers tell the screens. Workers only ever post these; the screens own all that is shown.

`generation` numbers the readings of a pane: an answer to an older question is dropped.
"""

from collections.abc import Sequence
from pathlib import Path

from textual.message import Message

from tur.errors import TurError
from tur.policy.prompt_effect import PromptEffect
from tur_tui.copies import Copy
from tur_tui.lines import Row
from tur_tui.reading import Detail, Listing


class ListingRead(Message):
    """The ids of a pane's list, and what the pane says beside it."""

    def __init__(self, generation: int, listing: Listing) -> None:
        super().__init__()
        self.generation = generation
        self.listing = listing


class RowsRead(Message):
    """Rows that came into sight."""

    def __init__(self, generation: int, rows: Sequence[Row]) -> None:
        super().__init__()
        self.generation = generation
        self.rows = rows


class DetailRead(Message):
    """The evidence for the entry under the cursor."""

    def __init__(self, generation: int, row_id: str, detail: Detail, keep: bool) -> None:
        super().__init__()
        self.generation = generation
        self.row_id = row_id
        self.detail = detail
        self.keep = keep


class EffectRead(Message):
    """What the changes of a diff do to the wake prompt, or why that is not known."""

    def __init__(self, generation: int, effect: PromptEffect | str) -> None:
        super().__init__()
        self.generation = generation
        self.effect = effect


class ReadingFailed(Message):
    """Something could not be read; what was shown before stays."""

    def __init__(self, generation: int, what: str, error: TurError) -> None:
        super().__init__()
        self.generation = generation
        self.what = what
        self.error = error


class Acted(Message):
    """An act of the steward is done. `line` tells it; `select` is the entry to go on with."""

    def __init__(self, text: str, *, undoable: bool = False) -> None:
        super().__init__()
        self.text = text
        self.undoable = undoable


class ActFailed(Message):
    """An act was refused or failed; nothing was changed, unless the error says so."""

    def __init__(self, error: TurError) -> None:
        super().__init__()
        self.error = error


class Copied(Message):
    """A text is ready for the clipboard. `problem` is why it is not in the file at `path` as well."""

    def __init__(self, copy: Copy, path: Path | None, problem: str | None) -> None:
        super().__init__()
        self.copy = copy
        self.path = path
        self.problem = problem


class StoreChanged(Message):
    """Somebody wrote to the store."""
