"""The Review pane: core memories that await a human's decision, with all that speaks for and against each."""

import re
from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from textual import on, work
from textual.binding import BindingType

from tur.errors import Conflict, TurError
from tur.ids import note_of_uri, short_id
from tur.model.memory import Memory
from tur.policy.display import one_line
from tur.policy.look_alikes import deceptive_characters, written_out
from tur.progress import Progress
from tur.service.evolve import take_words
from tur_tui.actions import bindings
from tur_tui.lines import BLANK, Line, line
from tur_tui.messages import Acted
from tur_tui.reading import Detail, Listing, core_words, list_review, review_detail
from tur_tui.screens.pane import Pane
from tur_tui.widgets.safe_text import content
from tur_tui.widgets.typed_confirm import (
    Asking,
    Choice,
    ManifestConfirm,
    Reason,
    TypedConfirm,
    Wording,
    reason_of,
)
from tur_tui.widgets.virtual_list import TextView
from tur_tui.working import attempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur.policy.nearness import Near
    from tur.stewardship.batch import Manifest, Outcome
    from tur.stewardship.keys import StewardKey
    from tur.stewardship.restage import Restaged
    from tur.stewardship.review import Review


Found = TypeVar("Found")


class ReviewScreen(Pane):
    """What is pending on the left, the evidence on the right; a decision needs all of it to have been on screen."""

    name_of_pane = "review"
    list_title = "Pending"
    text_title = "Evidence"
    needs_index = True
    decides = True
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane", "review")

    def __init__(self) -> None:
        super().__init__()
        self._marked: list[str] = []
        self._anchor = ""
        self._seen: dict[str, Review] = {}

    def read_listing(self, progress: Progress) -> Listing:
        """What awaits a decision."""
        return list_review(self.tur.desk, self.words)

    def read_detail(self, row_id: str) -> Detail:
        """A memory laid out."""
        return review_detail(self.tur.desk, row_id)

    def show_listing(self, listing: Listing) -> None:
        """Marks, and what was seen, go with what is no longer in the list."""
        there = set(listing.ids)
        self._seen = {one: shown for one, shown in self._seen.items() if one in there}
        self._mark([one for one in self._marked if one in there])

    def summary(self) -> Line:
        """What the list shows, and how many of it are marked."""
        shown = super().summary()
        marked = line(("key", f"   marked {len(self._marked)}") if self._marked else "")
        return Line((*shown.spans, *marked.spans))

    def show_detail(self, row_id: str, detail: Detail | None, *, keep: bool) -> None:
        """Show the evidence and how much of it was seen."""
        super().show_detail(row_id, detail, keep=keep)
        self._show_seen()

    @on(TextView.Seen)
    def _show_seen(self) -> None:
        self.evidence.border_title = content(f"Evidence, seen {self.evidence.seen}%")
        shown = self.shown
        if shown is not None and self.evidence.seen == 100:
            self._seen[shown.memory.id] = shown

    @property
    def shown(self) -> "Review | None":
        """The memory that is laid out, if it is the one under the cursor."""
        if self.detail is None or self.detail_of != self.entries.current:
            return None
        return self.detail.facts  # type: ignore[return-value]

    def action_approve(self) -> None:
        """Approve, by typing."""
        if self._marked:
            self._lay_out_batch(list(self._marked), dict(self._seen))
            return
        shown = self.shown
        if shown is None:
            self.say("Nothing is laid out to approve.", "warn")
            return
        name = short_id(shown.memory.id)
        if shown.blocked:
            key = self.tur.key_of("review.reject")
            self.say(f"{name} cannot be approved: {shown.blocked[0]}. {key} rejects it with a reason.", "bad")
            return
        if not self.was_read():
            return
        token = f"APPROVE {shown.memory.id[:8]}" if shown.remarks else shown.memory.id[:8]
        warned = [line(("bad", f"It {one}. Read it twice.")) for one in shown.remarks]
        retires = [
            line(("warn", f"Approving it retires {short_id(one.id)}, which it merges.")) for one in shown.retires
        ]
        told = [line(("title", name)), *core_words(shown.memory), *warned, *retires]
        confirm = TypedConfirm("Approve", told, token=token, what="approve it")
        self.ask(confirm, lambda typed: self._with_key(typed, lambda key: self._approve(shown, key)))

    def _approve(self, shown: "Review", key: "StewardKey | None") -> Acted:
        decision = self.tur.desk.approve(shown, key)
        told = f"Approved {short_id(decision.memory.id)}, line {decision.entry.seq} of the audit log."
        if decision.retired:
            told += f" Retired {', '.join(short_id(one.id) for one in decision.retired)}."
        return Acted(told, undoable=not decision.retired)

    def _with_key(self, typed: str | None, do: "Callable[[StewardKey | None], Acted]") -> None:
        """Go on to the act, by way of the passphrase when there is a steward key."""
        if typed is not None:
            self.tur.act_with_key(self, do)

    def action_reject(self) -> None:
        """Reject with a reason."""
        if self._marked:
            self._lay_out_rejection(list(self._marked))
            return
        shown = self.shown
        if shown is None:
            self.say("Nothing is laid out to reject.", "warn")
            return
        dialog: Asking = Reason("Reject", [line(("title", short_id(shown.memory.id))), *core_words(shown.memory)])
        self.ask(dialog, lambda typed: self._rejected(shown, typed))

    def _rejected(self, shown: "Review", typed: str | None) -> None:
        if typed is None:
            return

        def reject() -> Acted:
            decision = self.tur.desk.reject(shown, reason_of(typed))
            return Acted(f"Rejected {short_id(decision.memory.id)}.", undoable=True)

        self.act(reject)

    # -- in other words, or as one with an approved one ---------------------------------------------

    def _to_restage(self, what: str) -> "Review | None":
        """The memory that is laid out, if it can be put into other words; else it is said why not."""
        shown = self.shown
        if shown is None:
            self.say(f"Nothing is laid out to {what}.", "warn")
            return None
        try:
            self.tur.refuse_harness()
            shown.check_restaging()
        except TurError as error:
            self.fail(error)
            return None
        return shown

    def action_reword(self) -> None:
        """Put it into other words."""
        shown = self._to_restage("edit")
        core = shown.memory.core if shown is not None else None
        if shown is None or core is None:
            return
        told = [
            line(("title", short_id(shown.memory.id)), ("dim", "  will be rejected; the agent is told for what")),
            *core_words(shown.memory),
            line(("dim", "The new words await approval like any others.")),
        ]
        dialog = Wording(
            "Edit",
            told,
            principle=written_out(core.derived_principle),
            covenant=written_out(core.ethical_covenant),
            check=lambda *typed: _wording_problem(shown.memory, *typed),
        )
        self.ask(dialog, lambda typed: self._reword(shown, typed))

    def _reword(self, shown: "Review", typed: tuple[str, str] | None) -> None:
        if typed is not None:
            self.act(lambda: self._restaged(self.tur.desk.reword(shown, *typed), "Reworded as"))

    def action_merge(self) -> None:
        """Make one of it and an approved one."""
        shown = self._to_restage("merge")
        if shown is None:
            return
        if not shown.nearest:
            self.say("No core memory is approved yet, so there is none to merge it with.", "warn")
        elif len(shown.nearest) == 1:
            self._ask_merge(shown, shown.nearest[0])
        else:
            told = [line("Merge ", ("title", short_id(shown.memory.id)), " with which approved one?"), BLANK]
            for number, near in enumerate(shown.nearest, start=1):
                told += _candidate(number, near)
            dialog = Choice("Merge", told, count=len(shown.nearest))
            self.ask(dialog, lambda typed: self._ask_merge(shown, shown.nearest[int(typed) - 1]) if typed else None)

    def _ask_merge(self, shown: "Review", near: "Near") -> None:
        mine, theirs = shown.memory.core, near.memory.core
        if mine is None or theirs is None:
            return
        told = [
            line(
                ("title", f"approved {short_id(near.memory.id)}"),
                ("dim", "  stays until the new one is approved"),
            ),
            *core_words(near.memory),
            line(
                ("title", f"pending {short_id(shown.memory.id)}"),
                ("dim", "  will be rejected; the agent is told for what"),
            ),
            *core_words(shown.memory),
        ]
        dialog = Wording(
            "Merge",
            told,
            principle=written_out(_joined(theirs.derived_principle, mine.derived_principle)),
            covenant=written_out(_joined(theirs.ethical_covenant, mine.ethical_covenant)),
            check=lambda *typed: _wording_problem(shown.memory, *typed),
        )
        self.ask(dialog, lambda typed: self._merge(shown, near.memory.id, typed))

    def _merge(self, shown: "Review", into: str, typed: tuple[str, str] | None) -> None:
        if typed is not None:
            self.act(lambda: self._restaged(self.tur.desk.merge(shown, into, *typed), "Merged into"))

    def _restaged(self, done: "Restaged", what: str) -> Acted:
        """Tell it, and go on with the new one. Runs in a worker."""
        self.app.call_from_thread(self.go_to, done.memory.id)
        told = f"{what} {short_id(done.memory.id)}, which awaits approval."
        if done.redacted:
            told += f" Taken out of it: {', '.join(done.redacted)}."
        return Acted(told, undoable=True)

    # -- several at once ------------------------------------------------------------------------------

    def action_mark(self) -> None:
        """Mark the entry under the cursor, or take its mark away."""
        current = self.entries.current
        if current is None:
            self.say("There is nothing to mark.", "warn")
        elif current in self._marked:
            self._mark([one for one in self._marked if one != current])
        else:
            order = {one: at for at, one in enumerate(self.entries.ids)}
            self._anchor = current
            self._mark(sorted([*self._marked, current], key=lambda one: order[one]))

    def action_mark_range(self) -> None:
        """Mark all from the last one that was marked to the cursor."""
        ids, anchor = list(self.entries.ids), self._anchor
        if anchor not in self._marked or self.entries.current is None:
            self.action_mark()
            return
        ends = sorted((ids.index(anchor), self.entries.cursor))
        between = set(ids[ends[0] : ends[1] + 1])
        self._mark([one for one in ids if one in between or one in self._marked])

    def _mark(self, marked: list[str]) -> None:
        self._marked = marked
        self.entries.marks = dict.fromkeys(marked, "*")
        self.entries.refresh()
        self._show_summary()

    def action_back(self) -> None:
        """One step back; marks go before the filter does."""
        if self._marked and self.entries.has_focus and not self._zoomed:
            self._mark([])
        else:
            super().action_back()

    @work(thread=True, exclusive=True, group="act", exit_on_error=False)
    def _lay_out_batch(self, ids: Sequence[str], seen: "dict[str, Review]") -> None:
        self._laid_out(lambda: self.tur.desk.manifest(ids, seen), self._ask_batch)

    @work(thread=True, exclusive=True, group="act", exit_on_error=False)
    def _lay_out_rejection(self, ids: Sequence[str]) -> None:
        self._laid_out(lambda: [self.tur.desk.review(one) for one in ids], self._ask_rejection)

    def _laid_out(self, read: Callable[[], Found], ask: Callable[[Found], None]) -> None:
        """Read in this worker, then ask on the UI thread; refused inside of an agent's harness."""

        def lay_out() -> None:
            self.tur.refuse_harness()
            self.app.call_from_thread(ask, read())

        attempt(lay_out, self.fail)

    def _ask_batch(self, manifest: "Manifest") -> None:
        entries, stop = manifest.entries, manifest.stops_at
        told = [line(("title", f"{len(entries)} marked"), ("dim", f"  {manifest.effect.told}"))]
        for entry in entries:
            memory = entry.shown.memory
            told.append(_listed(memory, "bad" if entry.problem else "text"))
            if entry.problem is not None:
                told.append(line(("bad", f"    {entry.problem}"), indent=4))
        told += [
            line(("warn", f"This retires {short_id(one.id)}, which is merged.")) for one in manifest.effect.retired
        ]
        refusal = f"Stops at {short_id(stop.shown.memory.id)}: it {stop.problem}." if stop is not None else None
        token = f"approve {len(entries)}"
        shown = [entry.shown for entry in entries]
        confirm = ManifestConfirm("Approve the marked ones", told, token=token, what="approve these", refusal=refusal)
        self.ask(
            confirm,
            lambda typed: self._with_key(
                typed, lambda key: _told_batch(self.tur.desk.approve_each(shown, key), "Approved")
            ),
        )

    def _ask_rejection(self, shown: "list[Review]") -> None:
        told = [line(("title", f"{len(shown)} marked")), *(_listed(one.memory, "text") for one in shown)]
        dialog = Reason("Reject the marked ones", told)
        self.ask(dialog, lambda typed: self._reject_each(shown, typed))

    def _reject_each(self, shown: "list[Review]", typed: str | None) -> None:
        if typed is not None:
            self.act(lambda: _told_batch(self.tur.desk.reject_each(shown, reason_of(typed)), "Rejected"))

    def action_skip(self) -> None:
        """Leave it undecided."""
        self.entries.move_to(self.entries.cursor + 1)
        self.say("Left undecided.", "dim")

    def action_evidence(self) -> None:
        """Go to the note it rests on."""
        shown = self.shown
        if shown is None:
            self.say("No memory is shown.", "warn")
            return
        steps = [*shown.lineage, *shown.source_lineage]
        named = next((found for step in steps if (found := note_of_uri(step.link.uri))), None)
        if named is None and any(step.elsewhere for step in steps):
            self.say("What it rests on is not in this project.", "warn")
        else:
            self.open_evidence(named, shown.memory.session)

    def action_open_memory(self) -> None:
        """Go to this memory."""
        if self.entries.current is not None:
            self.tur.open_memory(self.entries.current)

    def action_memory_diff(self) -> None:
        """Show what changed it last."""
        self.open_diff(self.shown.memory if self.shown is not None else None)


def _listed(memory: Memory, role: str) -> Line:
    """One memory of a batch: its id, and its principle whole, since it is what would be decided on."""
    return line(("key", f"{memory.id[:8]}  "), (role, memory.headline[:600]), indent=10)


def _candidate(number: int, near: "Near") -> list[Line]:
    core = near.memory.core
    verdict = near.verdict.value if near.told else "far from it"
    return [
        line(("key", f"{number}  "), short_id(near.memory.id), ("dim", f"  likeness {near.score:.2f}, {verdict}")),
        line(("dim", f"   {one_line(core.derived_principle, 300) if core else ''}"), indent=3),
    ]


def _joined(one: str, other: str) -> str:
    """Both sentences, or one of them where they are the same."""
    first, second = one.strip(), other.strip()
    if first.casefold() == second.casefold():
        return first
    return f"{first if first.endswith(('.', '!', '?')) else f'{first}.'} {second}"


def _wording_problem(memory: Memory, principle: str, covenant: str) -> str | None:
    """Why words cannot be taken, or None; the act itself checks again."""
    core = memory.core
    if core is None:
        return "It is no core memory."
    deceptive = any(deceptive_characters(text) for text in (core.derived_principle, core.ethical_covenant))
    if deceptive and (written := re.search("<U\\+[0-9A-F]+>|[\u2400-\u2421]", f"{principle} {covenant}")):
        return f"Take out {written[0]}: it stands for a character that is not seen, or taken for another."
    try:
        take_words(core.core_type, principle, covenant)
    except TurError as error:
        return f"{error.message}."
    return None


def _told_batch(outcome: "Outcome", what: str) -> Acted:
    """What a batch did, for the status line. Raises Conflict when it stopped, with all that is to be known."""
    done = ", ".join(one.memory.id[:8] for one in outcome.done)
    if outcome.failed is None:
        single = len(outcome.done) == 1 and not outcome.done[0].retired
        return Acted(f"{what} {len(outcome.done)}: {done}.", undoable=single)
    left = ", ".join(one.memory.id[:8] for one in outcome.left)
    total = len(outcome.done) + 1 + len(outcome.left)
    raise Conflict(
        f"{what} {len(outcome.done)} of {total}{f' ({done})' if done else ''}{f'; not tried: {left}' if left else ''}; "
        f"stopped at {outcome.failed.memory.id[:8]}: {outcome.error.message if outcome.error else ''}"
    )
