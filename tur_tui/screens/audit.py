"""The Audit pane: every act of the steward, and whether the log holds."""

from typing import ClassVar

from textual.binding import BindingType

from tur.model.audit import AuditEntry
from tur.progress import Progress
from tur_tui.actions import bindings
from tur_tui.reading import Detail, Listing, entry_detail, list_audit, moment
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
        found = self._subject()
        if found is not None:
            self.tur.open_memory(found[1])

    def action_memory_diff(self) -> None:
        """Show what memories were before and after the act."""
        found = self._subject()
        if found is not None:
            entry, memory_id = found
            self.tur.open_diff(moment(entry.at), memory_id)

    def _subject(self) -> tuple[AuditEntry, str] | None:
        """The act that is shown and the memory that it was about; tells when there is none."""
        entry = self.detail.facts if self.detail is not None else None
        if not isinstance(entry, AuditEntry):
            self.say("No act is shown.", "warn")
        elif entry.id is None:
            self.say("This act was about no memory.", "warn")
        else:
            return entry, entry.id
        return None
