"""The Prune pane: a retention policy, the plan it leads to while it changes, and the archive."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer
from textual.widget import Widget

from tur.errors import TurError
from tur.policy.display import counted
from tur.policy.retention import Plan, RetentionPolicy
from tur.progress import Progress
from tur_tui.actions import bindings
from tur_tui.lines import Line, Row, line
from tur_tui.messages import Acted
from tur_tui.reading import (
    Detail,
    Listing,
    list_archive,
    list_prune,
    prune_detail,
    session_detail,
    session_rows,
    told_going,
)
from tur_tui.screens.pane import DEBOUNCE, Pane
from tur_tui.widgets.policy_form import PolicyForm
from tur_tui.widgets.safe_text import content
from tur_tui.widgets.typed_confirm import TypedConfirm
from tur_tui.widgets.virtual_list import VirtualList


class PruneScreen(Pane):
    """The rule and the sessions on the left, what the plan does on the right."""

    name_of_pane = "prune"
    list_title = "Sessions"
    text_title = "Plan"
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane", "prune")

    def __init__(self) -> None:
        super().__init__()
        self._in_archive = False
        self._policy = RetentionPolicy(keep=20)
        self._typing: Timer | None = None
        self._fault_of_rule: TurError | None = None
        self._page: tuple[Plan, Sequence[Line]] | None = None

    def left_side(self) -> ComposeResult:
        """The rule above the sessions."""
        yield PolicyForm(self._policy, id="policy")
        yield VirtualList(id="list")

    @property
    def form(self) -> PolicyForm:
        """The rule."""
        return self.query_one("#policy", PolicyForm)

    def parts(self) -> list[Widget]:
        """Sessions, plan; the rule is reached by its own keys."""
        return [self.entries, self.evidence]

    def on_mount(self) -> None:
        """Name the rule too."""
        super().on_mount()
        self.form.border_title = content("Rule")

    @property
    def plan(self) -> Plan | None:
        """The plan that is shown, if one is."""
        facts = self.listing.facts if self.listing is not None else None
        return facts if isinstance(facts, Plan) and not self._in_archive else None

    def read_listing(self, progress: Progress) -> Listing:
        """The plan's verdicts, or the archive."""
        if self._in_archive:
            return list_archive(self.tur.keeping, self.words, progress)
        return list_prune(self.tur.keeping, self._policy, self.words, progress)

    def read_rows(self, ids: Sequence[str]) -> list[Row]:
        """All rows come with the list."""
        return session_rows(self.tur.store, ids) if self._in_archive else []

    def read_detail(self, row_id: str) -> Detail | None:
        """The whole plan, whichever session the cursor is on; in the archive, the session."""
        if self._in_archive:
            return session_detail(self.tur.store, row_id)
        plan = self.plan
        if plan is None:
            return None
        if self._page is None or self._page[0] is not plan:
            self._page = plan, prune_detail(self.tur.store, plan)
        return Detail(row_id, self._page[1], facts=plan.fingerprint)

    def show_detail(self, row_id: str, detail: Detail | None, *, keep: bool) -> None:
        """The plan stays where it was scrolled to as long as it is the same."""
        if detail is None:
            return
        self.evidence.show(detail.lines, keep=True)

    def heading(self) -> str:
        """Which of the two lists it is."""
        return "Archive" if self._in_archive else self.list_title

    def show_listing(self, listing: Listing) -> None:
        """Say what the text beside the list is."""
        self.evidence.border_title = content("Archived session" if self._in_archive else "Plan")

    # -- rule -----------------------------------------------------------------------------------

    @on(PolicyForm.Changed)
    def _policy_changed(self, message: PolicyForm.Changed) -> None:
        self._fault_of_rule = message.error
        if not self._in_archive:
            self.evidence.border_title = content("Plan" if message.error is None else "Plan of the rule before")
        if message.error is not None:
            self.say(message.error.message, "bad")
            return
        if message.policy is not None and message.policy != self._policy:
            self._policy = message.policy
            self.say(str(message.policy), "dim")
            if self._typing is not None:
                self._typing.stop()
            # A large store is not planned anew for each digit.
            self._typing = self.set_timer(DEBOUNCE, self.reload)

    @on(PolicyForm.Left)
    def _form_left(self) -> None:
        self._go_to(0)

    def _edit(self, field: str) -> None:
        self._in_archive = False
        self._go_to(0)
        self.form.edit(field)

    def action_newest(self) -> None:
        """Type how many of the newest stay."""
        self._edit("keep")

    def action_age(self) -> None:
        """Type up to which age they stay."""
        self._edit("age")

    def action_mode(self) -> None:
        """Archive or delete."""
        self.form.toggle_delete()

    def action_unconsolidated(self) -> None:
        """Spare what no dream has seen, or not."""
        self.form.toggle_unconsolidated()

    # -- carrying out ---------------------------------------------------------------------------

    def action_run(self) -> None:
        """Carry out the plan, by typing how many sessions go."""
        plan = self.plan
        if plan is None:
            self.say("There is no plan to run. Escape leaves the archive.", "warn")
            return
        if self._fault_of_rule is not None:
            self.say(f"The plan is not that of the rule: {self._fault_of_rule.message}", "bad")
            return
        if plan.sentence != str(self._policy):
            self.say("The plan for this rule is still being made.", "warn")
            return
        if not plan.goes:
            self.say("Nothing would go under this rule.", "warn")
            return
        number = len(plan.goes)
        token = f"delete {number}" if plan.act == "delete" else str(number)
        told = [
            line(plan.sentence),
            line(("warn", f"{told_going(number, len(plan.verdicts))}, {plan.freed:,} bytes are freed.")),
            line(
                ("bad", "Deleted notes do not come back.")
                if plan.act == "delete"
                else ("dim", f"{self.tur.key_of('prune.restore')} brings them back.")
            ),
        ]
        confirm = TypedConfirm(f"Run plan {plan.fingerprint[:8]}", told, token=token, what=f"{plan.act} them")
        self.ask(confirm, lambda typed: self._run(plan) if typed is not None else None)

    def _run(self, plan: Plan) -> None:
        what = "Archiving sessions" if plan.act == "archive" else "Deleting sessions"

        def run() -> Acted:
            # Leaving the app stops it between two sessions; the next act of a steward finishes the rest.
            with self.tur.working.job(what, stop=self.tur.closing.is_set) as progress:
                report = self.tur.keeping.apply(plan, progress=progress)
            done = "Archived" if plan.act == "archive" else "Deleted"
            left = f"; {len(report.left)} stay: {report.left[0].reason}" if report.left else ""
            return Acted(f"{done} {counted(len(report.done), 'session')}, {report.freed:,} bytes freed{left}.")

        self.act(run)

    # -- archive --------------------------------------------------------------------------------

    def action_restore(self) -> None:
        """Show the archive; in it, bring the session under the cursor back."""
        if not self._in_archive:
            self._in_archive = True
            key = self.tur.key_of("prune.restore")
            self.say(
                f"The archive. {key} brings the session under the cursor back, escape returns to the plan.", "info"
            )
            self.reload()
            return
        row_id = self.entries.current
        if row_id is None:
            self.say("The archive is empty.", "warn")
            return
        told = [line(("title", row_id)), line(("dim", "Its timeline moves back beside the live ones, byte for byte."))]
        confirm = TypedConfirm("Restore", told, token=row_id[-8:], what="bring it back")
        self.ask(confirm, lambda typed: self._restore(row_id) if typed is not None else None)

    def _restore(self, session_id: str) -> None:
        def restore() -> Acted:
            session = self.tur.keeping.restore(session_id)
            return Acted(f"Restored {session.session_id}, {counted(len(session.notes), 'note')}.")

        self.act(restore)

    def action_back(self) -> None:
        """Out of the archive first."""
        if self._in_archive and self._focused_part() == 0 and not self.words:
            self._in_archive = False
            self.say("")
            self.reload()
            return
        super().action_back()
