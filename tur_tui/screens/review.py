"""The Review pane: core memories that await a human's decision, with all that speaks for and against each."""

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from tur.ids import note_of_uri, short_id
from tur.progress import Progress
from tur_tui.actions import bindings
from tur_tui.lines import Line, Span, line
from tur_tui.messages import Acted
from tur_tui.reading import Detail, Listing, list_review, review_detail
from tur_tui.screens.pane import Pane
from tur_tui.widgets.safe_text import content
from tur_tui.widgets.typed_confirm import Asking, Reason, TypedConfirm, reason_of
from tur_tui.widgets.virtual_list import TextView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur.stewardship.keys import StewardKey
    from tur.stewardship.review import Review


class ReviewScreen(Pane):
    """What is pending on the left, the evidence on the right; a decision needs all of it to have been on screen."""

    name_of_pane = "review"
    list_title = "Pending"
    text_title = "Evidence"
    needs_index = True
    decides = True
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane", "review")

    def read_listing(self, progress: Progress) -> Listing:
        """What awaits a decision."""
        return list_review(self.tur.desk, self.words)

    def read_detail(self, row_id: str) -> Detail:
        """A memory laid out."""
        return review_detail(self.tur.desk, row_id)

    def show_detail(self, row_id: str, detail: Detail | None, *, keep: bool) -> None:
        """Show the evidence and how much of it was seen."""
        super().show_detail(row_id, detail, keep=keep)
        self._show_seen()

    @on(TextView.Seen)
    def _show_seen(self) -> None:
        self.evidence.border_title = content(f"Evidence, seen {self.evidence.seen}%")

    @property
    def shown(self) -> "Review | None":
        """The memory that is laid out, if it is the one under the cursor."""
        if self.detail is None or self.detail_of != self.entries.current:
            return None
        return self.detail.facts  # type: ignore[return-value]

    def action_approve(self) -> None:
        """Approve, by typing."""
        shown = self.shown
        if shown is None:
            self.say("Nothing is laid out to approve.", "warn")
            return
        name = short_id(shown.memory.id)
        if shown.blocked:
            self.say(f"{name} cannot be approved: {shown.blocked[0]}. r rejects it with a reason.", "bad")
            return
        if self.evidence.seen < 100:
            self.say(f"Not yet: {self.evidence.seen}% was on screen. Space or J scrolls on to the end.", "warn")
            return
        token = f"APPROVE {shown.memory.id[:8]}" if shown.remarks else shown.memory.id[:8]
        warned = [line(("bad", f"It {one}. Read it twice.")) for one in shown.remarks]
        told = [line(("title", name)), *_injected(shown), *warned]
        confirm = TypedConfirm("Approve", told, token=token, what="approve it")
        self.app.push_screen(confirm, lambda typed: self._with_key(typed, lambda key: self._approve(shown, key)))

    def _approve(self, shown: "Review", key: "StewardKey | None") -> Acted:
        decision = self.tur.desk.approve(shown, key)
        told = f"Approved {short_id(decision.memory.id)}, line {decision.entry.seq} of the audit log."
        return Acted(told, undoable=True)

    def _with_key(self, typed: str | None, do: "Callable[[StewardKey | None], Acted]") -> None:
        """Go on to the act, by way of the passphrase when there is a steward key."""
        if typed is not None:
            self.tur.act_with_key(self, do)

    def action_reject(self) -> None:
        """Reject with a reason."""
        shown = self.shown
        if shown is None:
            self.say("Nothing is laid out to reject.", "warn")
            return
        dialog: Asking = Reason("Reject", [line(("title", short_id(shown.memory.id))), *_injected(shown)])
        self.app.push_screen(dialog, lambda typed: self._rejected(shown, typed))

    def _rejected(self, shown: "Review", typed: str | None) -> None:
        if typed is None:
            return

        def reject() -> Acted:
            decision = self.tur.desk.reject(shown, reason_of(typed))
            return Acted(f"Rejected {short_id(decision.memory.id)}.", undoable=True)

        self.act(reject)

    def action_skip(self) -> None:
        """Leave it undecided."""
        self.entries.move_to(self.entries.cursor + 1)
        self.say("Left undecided.", "dim")

    def action_evidence(self) -> None:
        """Go to the note it rests on."""
        shown = self.shown
        steps = [*shown.lineage, *shown.source_lineage] if shown is not None else []
        named = next((found for step in steps if (found := note_of_uri(step.link.uri))), None)
        if named is None:
            self.say("It rests on no note.", "warn")
            return
        self.tur.open_note(*named)


def _injected(shown: "Review") -> list[Line]:
    """The words that would take effect, for the dialog."""
    core = shown.memory.core
    if core is None:
        return []
    return [
        Line((Span("dim", "principle  "), Span("text", core.derived_principle[:600])), 11),
        Line((Span("dim", "covenant   "), Span("text", core.ethical_covenant[:600])), 11),
    ]
