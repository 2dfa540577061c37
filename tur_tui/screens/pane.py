"""What all panes share: chrome, list and evidence, reading in workers, following changes, narrow screens.

A pane says what to read (`read_*`, in a worker thread) and what to show; handlers on the UI thread
own the widgets. Answers to a reading that is no longer wanted are dropped by their generation.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import Worker, get_current_worker

from tur.errors import TurError
from tur.ids import MEMORY_ID, short_id
from tur.model.memory import Memory
from tur.policy.display import one_line
from tur.progress import Progress
from tur_tui.actions import PANES, SCOPES, actions, find_action
from tur_tui.copies import copy_of, write_copy
from tur_tui.lines import Line, Row, Span, line
from tur_tui.messages import Acted, ActFailed, Copied, DetailRead, ListingRead, ReadingFailed, RowsRead, StoreChanged
from tur_tui.reading import Detail, Listing, has_session, last_changed
from tur_tui.widgets.key_bar import KeyBar
from tur_tui.widgets.modal import Answer
from tur_tui.widgets.safe_text import COMPONENTS, Bar, Page, SafeInput, content
from tur_tui.widgets.typed_confirm import Dialog
from tur_tui.widgets.virtual_list import TextView, VirtualList
from tur_tui.working import attempt

if TYPE_CHECKING:
    from tur_tui.app import TurApp

NARROW = 90
"""Below this many columns one part of a pane is shown at a time."""

SMALLEST = (60, 16)
"""Below this nothing useful can be shown."""

DEBOUNCE = 0.08
"""Seconds the cursor must rest on an entry before its evidence is read."""


class Pane(Screen[None]):
    """One pane of the app."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)
    name_of_pane: ClassVar[str] = ""
    list_title: ClassVar[str] = ""
    text_title: ClassVar[str] = ""
    decides: ClassVar[bool] = False
    needs_index: ClassVar[bool] = False
    """Whether the list can only be read once the index is up to date."""
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self) -> None:
        super().__init__()
        # It is styled when it is mounted. Textual would parse all style sheets anew for it, twice.
        self._css_update_count = self.app._css_update_count
        self.words = ""
        self.generation = 0
        self.listing: Listing | None = None
        self.detail: Detail | None = None
        self.detail_of: str | None = None
        self.fault: TurError | None = None
        self._dirty = True
        self._resting: Timer | None = None
        self._zoomed = False
        self._part = 0
        self._wanted: str | None = None
        self._unread_word: Line | None = None
        self._from_top = False

    @property
    def tur(self) -> "TurApp":
        """The app, with its services."""
        return cast("TurApp", self.app)

    # -- what a pane provides -------------------------------------------------------------------

    def read_listing(self, progress: Progress) -> Listing:
        """The list. Runs in a worker thread; `progress` raises in it once its answer is not wanted any more."""
        raise NotImplementedError

    def read_rows(self, ids: Sequence[str]) -> list[Row]:
        """Rows that came into sight. Runs in a worker thread."""
        return []

    def read_detail(self, row_id: str) -> Detail | None:
        """The evidence for an entry, or None when `show_detail` needs no reading. Runs in a worker thread."""
        return None

    def show_listing(self, listing: Listing) -> None:
        """Show more than the list itself."""

    def entry_of(self, wanted: str, listing: Listing) -> str:
        """The entry that stands for what somebody wants to go to."""
        return wanted

    def show_detail(self, row_id: str, detail: Detail | None, *, keep: bool) -> None:
        """Show the evidence."""
        if detail is not None:
            self.evidence.show(detail.lines, keep=keep)

    def show_failure(self, lines: Sequence[Line]) -> None:
        """Show why the evidence could not be read."""
        self.evidence.show(lines)

    def left_side(self) -> ComposeResult:
        """The parts on the left."""
        yield VirtualList(id="list")

    def right_side(self) -> ComposeResult:
        """The parts on the right."""
        yield TextView(id="text")

    # -- parts ----------------------------------------------------------------------------------

    @property
    def entries(self) -> VirtualList:
        """The list."""
        return self.query_one("#list", VirtualList)

    @property
    def evidence(self) -> TextView:
        """The evidence."""
        return self.query_one("#text", TextView)

    def parts(self) -> list[Widget]:
        """The parts in the order of tab."""
        return [self.entries, self.evidence]

    def compose(self) -> ComposeResult:
        """Chrome, body, status line and keys."""
        yield Bar(id="chrome")
        yield Page([line("")], id="too-small")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield from self.left_side()
            with Vertical(id="right"):
                yield from self.right_side()
        yield Bar(id="summary")
        yield SafeInput(placeholder="words, then enter; escape clears", id="filter")
        yield Bar(id="status")
        own = [action for action in actions(self.name_of_pane) if action.bar]
        undo = [find_action("app.undo")] if self.decides else []
        yield KeyBar([*own, *undo, *(action for action in actions("pane") if action.bar)], id="keys")

    def on_mount(self) -> None:
        """Name the parts and put the focus on the list."""
        self._show_heading()
        self.evidence.border_title = content(self.text_title)
        self.query_one("#filter").display = False
        self.show_chrome()
        self._fit()
        self.entries.focus()

    def on_screen_resume(self) -> None:
        """Read what changed while another pane was shown."""
        self.show_chrome()
        self.show_status()
        if self._dirty:
            # The first paint does not wait for a large store: reading begins after it.
            self.call_after_refresh(self._reload_if_dirty)

    def _reload_if_dirty(self) -> None:
        if self._dirty:
            self.reload()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault of the program is the app's to tell."""
        self.tur.on_worker_state_changed(event)

    # -- chrome -----------------------------------------------------------------------------------

    def show_chrome(self) -> None:
        """The top line: who, where, and the panes."""
        told = self.tur.chrome
        pending = told.pending if told else 0
        tabs: list[Span] = []
        for number, name in enumerate(PANES, start=1):
            label = f"{number} {SCOPES[name]}"
            if name == "review" and pending:
                label += f" ({pending})"
            here = name == self.name_of_pane
            tabs.append(Span("active-tab", f"[{label}]") if here else Span("dim", f" {label} "))
        # At 80 columns there is room for the panes and little else.
        room = self.size.width - sum(len(span.text) for span in tabs) - 6
        spans: list[Span] = [Span("title", " tur ")]
        if told is not None and room > 8:
            spans.append(Span("dim", f" {one_line(f'{told.persona} · {told.terrain}', min(room - 2, 40))} "))
        spans += tabs
        self.query_one("#chrome", Bar).show(Line(tuple(spans)))

    def show_status(self) -> None:
        """How far long work is, else the last act and how to take it back."""
        if self.is_mounted:
            self.query_one("#status", Bar).show(self.tur.working.line() or self.tur.last_word)

    def say(self, text: str, role: str = "text") -> None:
        """A word in the status line."""
        self.tur.last_word = line((role, f" {text}"))
        self.show_status()

    def summary(self) -> Line:
        """What the list shows."""
        return self.listing.summary if self.listing else line(("dim", "reading…"))

    def heading(self) -> str:
        """What the list is called."""
        return self.list_title

    def filters(self) -> list[str]:
        """What hides entries of the list, in words."""
        return [self.words] if self.words else []

    def clear_filters(self) -> None:
        """Hide nothing any more."""
        self.words = ""

    def _show_heading(self) -> None:
        filters = ", ".join(one_line(one, 40) for one in self.filters())
        self.entries.border_title = content(f"{self.heading()}, filter: {filters}" if filters else self.heading())

    def was_read(self) -> bool:
        """Whether all of the evidence has been on screen; says so when not."""
        if self.evidence.seen >= 100:
            return True
        self.say(f"Not yet: {self.evidence.seen}% was on screen. Space or J scrolls on to the end.", "warn")
        self._unread_word = self.tur.last_word
        return False

    @on(TextView.Seen)
    def _read_on(self) -> None:
        if self.evidence.seen >= 100 and self.tur.last_word is self._unread_word:
            self.say("All of it was on screen.", "info")

    def _show_summary(self) -> None:
        shown = self.summary()
        if self.fault is not None:
            hint = f"  {self.fault.hint}" if self.fault.hint else ""
            shown = line(("bad", f"! {self.tur.without_paths(self.fault.message)}"), ("dim", hint))
        self.query_one("#summary", Bar).show(Line((Span("text", " "), *shown.spans)))

    # -- reading ----------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read the list again; cursor and evidence stay where they are."""
        self._dirty = False
        self.generation += 1
        if self.is_mounted:
            self._show_heading()
        self._show_summary()
        self._read_listing(self.generation)

    def changed(self) -> None:
        """Somebody wrote to the store: read again now, or when this pane is shown next."""
        self._dirty = True
        if self.is_current or self.tur.under_dialog(self):
            self.reload()

    @work(thread=True, exclusive=True, group="listing", exit_on_error=False)
    def _read_listing(self, generation: int) -> None:
        def stop() -> bool:
            return generation != self.generation or self.tur.closing.is_set()

        def read() -> None:
            if self.needs_index and not self.tur.wait_for_index(stop):
                return
            with self.tur.working.job(f"Reading {self.list_title.lower()}", stop=stop) as progress:
                listing = self.read_listing(progress)
            self.post_message(ListingRead(generation, listing))

        self._guarded(generation, "list", read)

    @work(thread=True, exclusive=False, group="rows", exit_on_error=False)
    def _read_rows(self, generation: int, ids: Sequence[str]) -> None:
        self._guarded(generation, "rows", lambda: self.post_message(RowsRead(generation, self.read_rows(ids))))

    @work(thread=True, exclusive=True, group="detail", exit_on_error=False)
    def _read_detail(self, generation: int, row_id: str, keep: bool) -> None:
        def read() -> None:
            detail = self.read_detail(row_id)
            if detail is not None and not get_current_worker().is_cancelled:
                self.post_message(DetailRead(generation, row_id, detail, keep))

        self._guarded(generation, "detail", read)

    def _guarded(self, generation: int, what: str, read: Callable[[], object]) -> None:
        attempt(read, lambda error: self.post_message(ReadingFailed(generation, what, error)))

    @on(ListingRead)
    def _listing_read(self, message: ListingRead) -> None:
        if message.generation != self.generation:
            return
        self.listing, self.fault = message.listing, None
        held = self.entries.current
        listing = message.listing
        self.entries.show_ids(listing.ids, row_of=listing.row_of, empty=listing.empty)
        if self._from_top:
            # What answers best to new words comes first; the entry from before may be anywhere.
            self._from_top = False
            self.entries.move_to(0)
        if self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            if not self.entries.select(self.entry_of(wanted, listing)):
                if self.filters():
                    self.clear_filters()
                    self._wanted = wanted
                    self.reload()
                    return
                self.say(f"{_named(wanted)} is not in this list.", "warn")
        self.show_listing(message.listing)
        self._show_summary()
        current = self.entries.current
        if current is None:
            self.detail, self.detail_of = None, None
            self.evidence.border_title = content(self.text_title)
            self.evidence.show([])
            if self._part and self.is_current:
                self._go_to(0)
        elif current == held:
            self._ask_detail(current, keep=True)

    @on(RowsRead)
    def _rows_read(self, message: RowsRead) -> None:
        self.entries.show_rows(message.rows)

    @on(DetailRead)
    def _detail_read(self, message: DetailRead) -> None:
        if message.row_id != self.entries.current:
            return
        same = message.keep and message.row_id == self.detail_of
        self.detail, self.detail_of = message.detail, message.row_id
        self.fault = None
        self._show_summary()
        self.show_detail(message.row_id, message.detail, keep=same)

    @on(ReadingFailed)
    def _failed(self, message: ReadingFailed) -> None:
        if message.what == "list" and message.generation != self.generation:
            return
        if message.what == "detail":
            self.detail, self.detail_of = None, self.entries.current
            told = self.tur.without_paths(message.error.message)
            self.show_failure([line(("bad", told)), line(("dim", message.error.hint or ""))])
            return
        self.fault = message.error
        self._show_summary()

    @on(VirtualList.Wanted)
    def _rows_wanted(self, message: VirtualList.Wanted) -> None:
        if message.control is self.entries:
            self._read_rows(self.generation, list(message.row_ids))

    @on(VirtualList.Highlighted)
    def _highlighted(self, message: VirtualList.Highlighted) -> None:
        if message.control is not self.entries:
            return
        if self._resting is not None:
            self._resting.stop()
        self._show_crumbs()
        row_id = message.row_id
        if row_id is not None:
            self._resting = self.set_timer(DEBOUNCE, lambda: self._ask_detail(row_id, keep=False))

    def _ask_detail(self, row_id: str, *, keep: bool) -> None:
        if self.entries.current == row_id:
            self.ask_detail(row_id, keep=keep)

    def ask_detail(self, row_id: str, *, keep: bool) -> None:
        """Have the evidence for an entry read."""
        self._read_detail(self.generation, row_id, keep)

    @on(VirtualList.Chosen)
    def _chosen(self, message: VirtualList.Chosen) -> None:
        self.action_next_pane()

    # -- acting -----------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="act", exit_on_error=False)
    def act(self, do: Callable[[], Acted]) -> None:
        """Carry out an act of the steward in a worker and tell how it went."""

        def decide() -> None:
            self.tur.refuse_harness()
            self.post_message(do())

        attempt(decide, self.fail)

    def ask(self, dialog: Dialog[Answer], then: Callable[[Answer | None], None]) -> None:
        """Ask what an act needs, where there is room for the question and a human to answer it."""
        try:
            self.tur.refuse_harness()
        except TurError as error:
            self.fail(error)
        else:
            if not self._small:
                self.app.push_screen(dialog, then)

    def fail(self, error: TurError) -> None:
        """Tell that an act failed; may be called from a worker."""
        self.post_message(ActFailed(error))

    @on(Acted)
    def _acted(self, message: Acted) -> None:
        self.tur.last_word = line(
            ("good", f" {message.text}"),
            ("dim", f"   {self.tur.key_of('app.undo')} takes it back" if message.undoable else ""),
        )
        self.show_status()
        self.tur.post_message(StoreChanged())

    @on(ActFailed)
    def _act_failed(self, message: ActFailed) -> None:
        told = self.tur.without_paths(message.error.message)
        self.tur.last_word = line(("bad", f" {told}"), ("dim", f"  {message.error.hint or ''}"))
        self.show_status()
        self.tur.post_message(StoreChanged())

    # -- filter -----------------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Type words that entries must have."""
        field = self.query_one("#filter", SafeInput)
        field.display = True
        field.value = self.words
        # At once: a key that comes before the field has the focus would be taken for a command.
        self.set_focus(field)

    @on(SafeInput.Submitted, "#filter")
    def _filtered(self, event: SafeInput.Submitted) -> None:
        self.words = event.value.strip()
        self._from_top = True
        self._leave_filter()
        self.reload()

    def _leave_filter(self) -> None:
        self.query_one("#filter").display = False
        self.set_focus(self.parts()[0])

    # -- moving between parts ---------------------------------------------------------------------

    def action_back(self) -> None:
        """One step back: out of the filter's field, to the list, out of the zoom, then the filter goes."""
        if self.query_one("#filter").has_focus:
            self._leave_filter()
        elif self._focused_part() > 0:
            self._go_to(self._focused_part() - 1 if self._narrow else 0)
        elif self._zoomed:
            self.action_zoom()
        elif self.filters():
            self.clear_filters()
            self.reload()

    def action_next_pane(self) -> None:
        """To the next part."""
        self._go_to((self._focused_part() + 1) % len(self.parts()))

    def action_previous_pane(self) -> None:
        """To the part before."""
        self._go_to((self._focused_part() - 1) % len(self.parts()))

    def action_zoom(self) -> None:
        """Show the focused part alone, or all again."""
        self._zoomed = not self._zoomed
        self._fit()

    def _focused_part(self) -> int:
        for at, part in enumerate(self.parts()):
            if part.has_focus or part.has_focus_within:
                return at
        return self._part

    def _go_to(self, at: int) -> None:
        self._part = at
        self._fit()
        self.set_focus(self.parts()[at])

    @property
    def _narrow(self) -> bool:
        return self.size.width < NARROW or self._zoomed

    def on_resize(self, event: events.Resize) -> None:
        """Fit what is shown to the new size."""
        self._fit()
        self.show_chrome()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Follow the mouse: a click into another part makes it the shown one."""
        for at, part in enumerate(self.parts()):
            if part is event.widget:
                self._part = at

    @property
    def _small(self) -> bool:
        """Whether there is no room for a pane, nor for a question."""
        width, height = self.size
        return bool(width) and (width < SMALLEST[0] or height < SMALLEST[1])

    def _fit(self) -> None:
        small = self._small
        self.query_one("#too-small").display = small
        self.query_one("#body").display = not small
        if small:
            told = [
                line(("title", "Too small")),
                line(f"This is {self.size.width}x{self.size.height}; {SMALLEST[0]}x{SMALLEST[1]} is the least."),
                line(("dim", "The same verbs work as plain commands: tur-adm --help")),
            ]
            self.query_one("#too-small", Page).show(told)
        parts = self.parts()
        for at, part in enumerate(parts):
            part.display = not self._narrow or at == self._part
        self._show_crumbs()
        for side in ("#left", "#right"):
            column = self.query_one(side)
            column.display = not self._narrow or any(part in column.query("*") and part.display for part in parts)

    def _show_crumbs(self) -> None:
        for at, part in enumerate(self.parts()):
            part.border_subtitle = content(" > ".join(self.crumbs()[: at + 1])) if self._narrow and at else None

    def crumbs(self) -> Sequence[str]:
        """The path of names to each part."""
        return [self.list_title, _named(self.entries.current or ""), self.text_title]

    # -- reading on -------------------------------------------------------------------------------

    def action_scroll_down(self) -> None:
        """Scroll the evidence."""
        if self._evidence_in_sight():
            self.evidence.action_down()

    def action_scroll_up(self) -> None:
        """Scroll the evidence back."""
        if self._evidence_in_sight():
            self.evidence.action_up()

    def action_scroll_page(self) -> None:
        """Scroll the evidence by a page."""
        if self._evidence_in_sight():
            self.evidence.action_page_down()

    def _evidence_in_sight(self) -> bool:
        """Whether the evidence is on screen; where there is room for one part alone, it is brought there first."""
        at = self.parts().index(self.evidence)
        if not self._narrow or self._part == at:
            return True
        self._go_to(at)
        return False

    def action_copy(self) -> None:
        """Copy the evidence, with everything hidden made visible."""
        self._copy(self.evidence.plain)

    @work(thread=True, exclusive=True, group="copy", exit_on_error=False)
    def _copy(self, text: str) -> None:
        copy = copy_of(text)
        path = self.tur.copies
        problem = write_copy(path, copy) if path is not None else None
        self.post_message(Copied(copy, path, problem))

    @on(Copied)
    def _copied(self, message: Copied) -> None:
        self.app.copy_to_clipboard(message.copy.text)
        role, told = "info", ""
        if message.copy.hidden:
            role, told = "warn", f"{message.copy.hidden} hidden written out; "
        if message.problem is not None:
            role, told = "warn", f"{told}copied by OSC 52 alone: {message.problem}"
        elif message.path is not None:
            told += f"copied to {message.path} and by OSC 52"
        else:
            told += "copied by OSC 52"
        self.say(f"{told[0].upper()}{told[1:]} ({len(message.copy.text):,} characters)", role)

    def action_reload(self) -> None:
        """Read the store again, files that only an editor touched included."""
        self.tur.look_again()
        self.reload()

    def open_evidence(self, named: tuple[str, int] | None, session: str | None = None) -> None:
        """Go to the note that something rests on, by its session and number, else to the session it came up in."""
        if named is not None:
            self._find_evidence(named[0], partial(self.tur.open_note, *named))
        elif session is not None:
            self._find_evidence(session, partial(self.tur.open_session, session))
        else:
            self.say("It rests on no note, and came up in no session.", "warn")

    @work(thread=True, exclusive=True, group="evidence", exit_on_error=False)
    def _find_evidence(self, session_id: str, go: Callable[[], object]) -> None:
        # A core memory goes along into every project; what it rests on stays where it was written.
        if not has_session(self.tur.store, session_id):
            go = partial(self.say, f"Session {session_id} is not in this project.", "warn")
        self.app.call_from_thread(go)

    def open_diff(self, memory: Memory | None) -> None:
        """Show in Diff what changed a memory last, if one is shown."""
        if memory is None:
            self.say("No memory is shown.", "warn")
        else:
            self.tur.open_diff(last_changed(memory), memory.id)

    def action_way_back(self) -> None:
        """Go to where the last jump began."""
        if not self.tur.go_way_back():
            self.say("No jump led here.", "dim")

    def place(self) -> Callable[[], object]:
        """How to come back to what is under the cursor now."""
        current = self.entries.current
        return partial(self.go_to, current) if current is not None else self.show_status

    def go_to(self, row_id: str) -> None:
        """Put the cursor on an entry, now or once it was read; a filter that hides it goes."""
        if self.listing is not None and self.entries.select(row_id) and not self._dirty:
            return
        self._wanted = row_id
        self._dirty = True
        if self.is_current:
            self.reload()


def _named(row_id: str) -> str:
    return short_id(row_id) if MEMORY_ID.fullmatch(row_id) else row_id


def cycle(choices: Sequence[object], current: object) -> object:
    """The choice after the current one; after the last comes None."""
    options = [None, *choices]
    return options[(options.index(current) + 1) % len(options)]
