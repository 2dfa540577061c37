"""The Audit pane: every act of the steward, and whether the log holds."""

from typing import ClassVar

from textual.binding import BindingType

from tur.progress import Progress
from tur_tui.actions import bindings
from tur_tui.reading import Detail, Listing, entry_detail, list_audit
from tur_tui.screens.pane import Pane


class AuditScreen(Pane):
    """Acts on the left, newest first; one in full on the right."""

    name_of_pane = "audit"
    list_title = "Acts"
    text_title = "Act"
    decides = True
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane", "audit")

    def read_listing(self, progress: Progress) -> Listing:
        """The log."""
        return list_audit(self.tur.store, self.words)

    def ask_detail(self, row_id: str, *, keep: bool) -> None:
        """All is read already."""
        facts = self.listing.facts if self.listing else None
        if isinstance(facts, tuple) and row_id in facts[0]:
            entries, alarms = facts
            same = keep and self.detail_of == row_id
            detail = Detail(row_id, entry_detail(entries[row_id], alarms), facts=entries[row_id])
            self.detail, self.detail_of = detail, row_id
            self.show_detail(row_id, detail, keep=same)

    def action_open_memory(self) -> None:
        """Go to the memory that this act was about."""
        memory_id = getattr(self.detail.facts, "id", None) if self.detail is not None else None
        if memory_id is None:
            self.say("This act was about no memory.", "warn")
            return
        self.tur.open_memory(memory_id)
