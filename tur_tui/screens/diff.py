"""The Diff pane: what changed between two moments, sessions or revisions."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from tur.errors import TurError
from tur.model.memory import MemoryType, Scope
from tur.policy.diff import KINDS, Kind, MemoryDelta
from tur.progress import Progress
from tur.service.diff import DiffReport, DiffSelection
from tur_tui.actions import bindings
from tur_tui.lines import line
from tur_tui.reading import Detail, Listing, delta_detail, list_diff, parse_selection
from tur_tui.screens.pane import Pane, cycle
from tur_tui.widgets.diff_view import DiffView
from tur_tui.widgets.typed_confirm import Asking


class DiffScreen(Pane):
    """Changes on the left, one of them in full on the right."""

    name_of_pane = "diff"
    list_title = "Changes"
    text_title = "Change"
    needs_index = True
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane", "diff")

    def __init__(self) -> None:
        super().__init__()
        self._typed = ""
        self._kind: Kind | None = None
        self._type: MemoryType | None = None
        self._scope: Scope | None = None

    def right_side(self) -> ComposeResult:
        """The change."""
        yield DiffView(id="text")

    @property
    def view(self) -> DiffView:
        """The change."""
        return self.query_one("#text", DiffView)

    def read_listing(self, progress: Progress) -> Listing:
        """The changes of the selection."""
        chosen = parse_selection(self._typed)
        selection = DiffSelection(
            chosen.sessions,
            chosen.since,
            chosen.git,
            (self._type,) if self._type else (),
            (self._scope,) if self._scope else (),
        )
        return list_diff(self.tur.store, selection, self._kind, self.words)

    def ask_detail(self, row_id: str, *, keep: bool) -> None:
        """All is read already."""
        facts = self.listing.facts if self.listing else None
        if isinstance(facts, tuple):
            report, deltas = facts
            if row_id in deltas:
                same = keep and self.detail_of == row_id
                self.detail, self.detail_of = Detail(row_id, []), row_id
                self._show(report, deltas[row_id], keep=same)

    def _show(self, report: DiffReport, delta: MemoryDelta, *, keep: bool) -> None:
        self.view.show_change(lambda split: delta_detail(report, delta, split=split), keep=keep)

    def compare(self, typed: str) -> None:
        """Compare something else."""
        self._typed = typed
        self._dirty = True
        if self.is_current:
            self.reload()

    def action_compare(self) -> None:
        """Ask what to compare."""
        told = [
            line(("key", "@~1"), "  the last session      ", ("key", "@~2 @"), "  two sessions, or their ids"),
            line(("key", "2h"), "   since a time, or an ISO time after ", ("key", "since")),
            line(("key", "git HEAD~3"), "  or ", ("key", "git REV..REV")),
            line(("dim", "nothing: the active session, or the last one")),
        ]
        asking = Asking(
            "Compare", told, prompt="sessions, a time or git revisions", value=self._typed, may_be_empty=True
        )
        self.app.push_screen(asking, self._compared)

    def _compared(self, typed: str | None) -> None:
        if typed is None:
            return
        try:
            parse_selection(typed)
        except TurError as error:
            self.say(error.message, "bad")
            return
        self.compare(typed)

    def action_split(self) -> None:
        """Side by side, or one under the other."""
        self.view.split = not self.view.split

    def action_kind(self) -> None:
        """The next kind of change."""
        self._kind = cycle(KINDS, self._kind)  # type: ignore[assignment]
        self.reload()

    def action_type(self) -> None:
        """The next type of memory."""
        self._type = cycle(list(MemoryType), self._type)  # type: ignore[assignment]
        self.reload()

    def action_scope(self) -> None:
        """The next scope."""
        self._scope = cycle(list(Scope), self._scope)  # type: ignore[assignment]
        self.reload()

    def action_open_memory(self) -> None:
        """Go to this memory."""
        if self.entries.current is not None:
            self.tur.open_memory(self.entries.current)
