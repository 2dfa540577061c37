"""The Timeline pane: sessions, the notes of one, and what each note became."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from tur.progress import Progress
from tur_tui.actions import bindings
from tur_tui.lines import Line, Row, line
from tur_tui.reading import Detail, Listing, SessionFacts, list_timeline, note_detail, session_detail, session_rows
from tur_tui.screens.pane import Pane
from tur_tui.widgets.safe_text import content
from tur_tui.widgets.virtual_list import TextView, VirtualList, by_id


class TimelineScreen(Pane):
    """Sessions on the left; the notes of one, and one note in full, on the right."""

    name_of_pane = "timeline"
    list_title = "Sessions"
    text_title = "Session"
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane", "timeline")

    def __init__(self) -> None:
        super().__init__()
        self._note: int | None = None
        self._following = False
        self._base: str | None = None

    def right_side(self) -> ComposeResult:
        """Notes above, text below."""
        yield VirtualList(id="notes")
        yield TextView(id="text")

    @property
    def notes(self) -> VirtualList:
        """The notes of the session under the cursor."""
        return self.query_one("#notes", VirtualList)

    def parts(self) -> list[Widget]:
        """Sessions, notes, text."""
        return [self.entries, self.notes, self.evidence]

    def on_mount(self) -> None:
        """Name the notes too."""
        super().on_mount()
        self.notes.border_title = content("Notes")

    def read_listing(self, progress: Progress) -> Listing:
        """All sessions."""
        return list_timeline(self.tur.store, self.words, progress)

    def read_rows(self, ids: Sequence[str]) -> list[Row]:
        """Sessions in sight."""
        return session_rows(self.tur.store, ids)

    def read_detail(self, row_id: str) -> Detail:
        """A session with its notes."""
        return session_detail(self.tur.store, row_id)

    def show_listing(self, listing: Listing) -> None:
        """Go to the newest session when following."""
        if self._following:
            self.entries.move_to(0)
        if not listing.ids:
            self.notes.show_ids([])

    def show_detail(self, row_id: str, detail: Detail | None, *, keep: bool) -> None:
        """Show the notes; the text shows the session until a note is chosen."""
        if detail is None:
            return
        self.notes.border_title = content(f"Notes of {row_id}")
        rows = by_id(detail.items)
        empty = [line(("dim", "No notes to show."))]
        self.notes.show_ids(list(rows), row_of=rows.__getitem__, empty=empty)
        if not keep:
            self.notes.move_to(0)
        if self._note is not None:
            wanted, self._note = self._note, None
            self.notes.select(str(wanted))
            self._go_to(1)
        self._show_text(keep=keep)

    def show_failure(self, lines: Sequence[Line]) -> None:
        """There are no notes then."""
        self.notes.border_title = content("Notes")
        self.notes.show_ids([])
        self.evidence.border_title = content("Session")
        super().show_failure(lines)

    def _show_text(self, *, keep: bool) -> None:
        detail = self.detail
        if detail is None:
            return
        facts = detail.facts
        idx = self.notes.current
        if isinstance(facts, SessionFacts) and idx is not None and self.notes.has_focus and int(idx) in facts.notes:
            self.evidence.border_title = content(f"Note {idx}")
            self.evidence.show(note_detail(facts, int(idx)), keep=keep)
        elif not self.evidence.has_focus or not keep:
            self.evidence.border_title = content("Session")
            self.evidence.show(detail.lines, keep=keep)

    @on(VirtualList.Highlighted, "#notes")
    def _note_highlighted(self, message: VirtualList.Highlighted) -> None:
        message.stop()
        if self.notes.has_focus:
            self._show_text(keep=False)

    def on_descendant_focus(self, event: object) -> None:
        """The text tells of what has the focus: the session or the note."""
        super().on_descendant_focus(event)  # type: ignore[arg-type]
        if self.focused in (self.entries, self.notes):
            self._show_text(keep=False)

    def place(self) -> Callable[[], object]:
        """A note, if the cursor is among the notes."""
        session, note = self.entries.current, self.notes.current
        if session is None or note is None or not self.notes.has_focus:
            return super().place()
        return partial(self.go_to_note, session, int(note))

    def go_to_note(self, session_id: str, idx: int) -> None:
        """Open a session at one of its notes."""
        self._note = idx
        if self.detail_of == session_id and self.entries.current == session_id:
            self.ask_detail(session_id, keep=False)
        else:
            self.go_to(session_id)

    def action_open_memory(self) -> None:
        """Go to the first memory that the selected note became."""
        detail, idx = self.detail, self.notes.current
        facts = detail.facts if detail is not None else None
        if not isinstance(facts, SessionFacts) or not facts.became:
            self.say("No memory rests on this session's notes.", "warn")
            return
        chosen = int(idx) if idx is not None and not self.entries.has_focus else None
        memories = facts.became.get(chosen) if chosen is not None else next(iter(facts.became.values()))
        if not memories:
            self.say("No memory rests on this note.", "warn")
            return
        self.tur.open_memory(memories[0].id)

    def summary(self) -> Line:
        """The sessions, and the base when one is marked."""
        shown = super().summary()
        if self._base is None:
            return shown
        return Line((*shown.spans, *line(("key", f"  B base {self._base}"), ("dim", ", d on another compares")).spans))

    def action_base(self) -> None:
        """Mark this session as the base to compare with, or take the mark away."""
        current = self.entries.current
        if current is None:
            return
        self._base = None if self._base == current else current
        self.entries.marks = {} if self._base is None else {self._base: "B"}
        self.entries.refresh()
        self._show_summary()

    def action_session_diff(self) -> None:
        """Show what this session changed, or what lies between the base and it."""
        current = self.entries.current
        if current is not None:
            # The earlier one first, whichever was marked: ids are in the order of time.
            ends = sorted({self._base or current, current})
            self.tur.open_diff(" ".join(ends))

    def action_follow(self) -> None:
        """Stay on the newest session, or stay where the cursor is."""
        self._following = not self._following
        self.say("Following the newest session." if self._following else "No longer following.", "info")
        if self._following:
            self.entries.move_to(0)
