"""The Diff pane: what changed between two moments, sessions or revisions."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType

from tur.errors import TurError
from tur.ids import note_of_uri, short_id
from tur.model.memory import MemoryType, Scope, Status
from tur.policy.diff import KINDS, Kind, MemoryDelta
from tur.policy.prompt_effect import PromptEffect
from tur.progress import Progress
from tur.report import as_tur_error
from tur_tui.actions import bindings
from tur_tui.lines import line
from tur_tui.messages import EffectRead
from tur_tui.reading import Detail, DiffFacts, Listing, delta_detail, list_diff, parse_selection, read_effect
from tur_tui.screens.pane import Pane, cycle
from tur_tui.widgets.diff_view import DiffView
from tur_tui.widgets.typed_confirm import Asking
from tur_tui.working import attempt


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
        self._effect: PromptEffect | str | None = None
        self._words = True

    def right_side(self) -> ComposeResult:
        """The change."""
        yield DiffView(id="text")

    @property
    def view(self) -> DiffView:
        """The change."""
        return self.query_one("#text", DiffView)

    def read_listing(self, progress: Progress) -> Listing:
        """The changes of the selection."""
        types = (self._type,) if self._type else ()
        scopes = (self._scope,) if self._scope else ()
        selection = replace(parse_selection(self._typed), types=types, scopes=scopes)
        return list_diff(self.tur.store, selection, self._kind, self.words)

    def filters(self) -> list[str]:
        """Words, kind, type and scope."""
        kind = self._kind.lower() if self._kind else None
        return [*super().filters(), *(str(one) for one in (kind, self._type, self._scope) if one)]

    def clear_filters(self) -> None:
        """Hide nothing any more."""
        super().clear_filters()
        self._kind = self._type = self._scope = None

    @property
    def facts(self) -> DiffFacts | None:
        """What was compared, and what came of it."""
        facts = self.listing.facts if self.listing else None
        return facts if isinstance(facts, DiffFacts) else None

    @property
    def delta(self) -> MemoryDelta | None:
        """The change under the cursor."""
        current, facts = self.entries.current, self.facts
        return None if current is None or facts is None else facts.listed.get(current)

    def show_listing(self, listing: Listing) -> None:
        """Have the effect on the prompt worked out, once for all changes."""
        self._effect = None
        if self.facts is not None:
            self._read_effect(self.generation, self.facts)

    @work(thread=True, exclusive=True, group="effect", exit_on_error=False)
    def _read_effect(self, generation: int, facts: DiffFacts) -> None:
        attempt(
            lambda: self.post_message(EffectRead(generation, read_effect(self.tur.store, facts))),
            lambda error: self.post_message(EffectRead(generation, error.message)),
        )

    @on(EffectRead)
    def _effect_read(self, message: EffectRead) -> None:
        if message.generation == self.generation:
            self._effect = message.effect
            if self.detail_of is not None and self.detail_of == self.entries.current:
                self.ask_detail(self.detail_of, keep=True)

    def ask_detail(self, row_id: str, *, keep: bool) -> None:
        """All is read already."""
        facts = self.facts
        if facts is not None and row_id in facts.listed:
            same = keep and self.detail_of == row_id
            self.detail, self.detail_of = Detail(row_id, []), row_id
            shown = delta_detail(facts.report, facts.listed[row_id], self._effect, words=self._words)
            self.view.show_change(shown, keep=same)

    def entry_of(self, wanted: str, listing: Listing) -> str:
        """The change that a memory has a part in."""
        listed = listing.facts.listed if isinstance(listing.facts, DiffFacts) else {}
        return next((key for key, delta in listed.items() if wanted in delta.covers), wanted)

    def place(self) -> Callable[[], object]:
        """What is compared is a part of it."""
        return partial(self.compare, self._typed, self.entries.current)

    def compare(self, typed: str, memory_id: str | None = None) -> None:
        """Compare something else, and go to the change of a memory if one is named."""
        self._typed, self._wanted = typed, memory_id
        self._dirty = True
        if self.is_current:
            self.reload()

    def action_compare(self) -> None:
        """Ask what to compare."""
        self.app.push_screen(Comparing(self._typed), self._compared)

    def _compared(self, typed: str | None) -> None:
        if typed is not None:
            self.compare(typed)

    def action_next_hunk(self) -> None:
        """On to what changed further down, else to the next change."""
        self._go_on(1)

    def action_previous_hunk(self) -> None:
        """Back to what changed further up, else to the change before."""
        self._go_on(-1)

    def _go_on(self, step: int) -> None:
        view = self.view
        if view.is_on_screen and (view.next_hunk() if step > 0 else view.previous_hunk()):
            return
        if 0 <= self.entries.cursor + step < len(self.entries.ids):
            self.entries.move_to(self.entries.cursor + step)
        elif self.entries.ids:
            self.say("That was the last change." if step > 0 else "That was the first change.", "dim")

    def action_split(self) -> None:
        """Side by side, or one under the other."""
        self.view.split = not self.view.split

    def action_words(self) -> None:
        """Words or whole lines."""
        self._words = not self._words
        if self.detail_of is not None:
            self.ask_detail(self.detail_of, keep=True)
        self.say("Words that differ are highlighted." if self._words else "Whole lines are highlighted.", "info")

    def action_evidence(self) -> None:
        """Go to the note it rests on."""
        delta = self.delta
        if delta is None:
            self.say("No change is shown.", "warn")
        else:
            self.open_evidence(next(filter(None, map(note_of_uri, delta.sources)), None), delta.session)

    def action_review(self) -> None:
        """Go to Review, if it awaits a decision now."""
        delta = self.delta
        if delta is None:
            self.say("No change is shown.", "warn")
        else:
            self._find_pending(delta.covers)

    @work(thread=True, exclusive=True, group="find", exit_on_error=False)
    def _find_pending(self, ids: tuple[str, ...]) -> None:
        told = ""
        for one in ids:
            try:
                memory = self.tur.store.memories.get(one)
            except (TurError, OSError) as error:
                told = told or (error.message if isinstance(error, TurError) else as_tur_error(error).message)
                continue
            if memory.type is MemoryType.CORE and memory.status is Status.PENDING_APPROVAL:
                self.app.call_from_thread(self.tur.open_review, memory.id)
                return
            told = told or f"{short_id(memory.id)} is {memory.status}: nothing awaits a decision."
        self.app.call_from_thread(self.say, self.tur.without_paths(told), "warn")

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


class Comparing(Asking):
    """Takes two ends to compare, or one."""

    def __init__(self, typed: str) -> None:
        told = [
            line(("key", f"{'@~1':<14}"), "a session: what it changed; @ is the active one"),
            line(("key", f"{'@~2 @~1':<14}"), "two sessions; beginnings of their ids do as well"),
            line(("key", f"{'2h':<14}"), "since a time: a duration, or 2026-09-14T12:00 (UTC)"),
            line(("key", f"{'@~2 1d':<14}"), "a session and a time, or two times"),
            line(("key", f"{'git HEAD~3':<14}"), "since a git revision; ", ("key", "git A..B"), " between two"),
            line(("dim", f"{'nothing':<14}the active session, or the last one")),
        ]
        super().__init__("Compare", told, prompt="sessions, times or git revisions", value=typed, may_be_empty=True)

    def judge(self, typed: str) -> str | None:
        """Whether it names ends that can be compared."""
        try:
            parse_selection(typed)
        except TurError as error:
            return error.message
        return None
