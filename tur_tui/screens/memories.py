"""The Memories pane: search, filters, one memory in full, forgetting and restoring."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from tur.ids import short_id
from tur.model.memory import Memory, MemoryType, Status
from tur.policy.lifecycle import may_be_restored, may_become
from tur.policy.merging import merged_by
from tur.progress import Progress
from tur_tui.actions import bindings
from tur_tui.lines import Row, line, paragraph
from tur_tui.messages import Acted
from tur_tui.reading import Detail, Listing, core_words, first_note, list_memories, memory_detail, memory_rows
from tur_tui.screens.pane import Pane, cycle
from tur_tui.widgets.typed_confirm import TypedConfirm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur.stewardship.keys import StewardKey


class MemoriesScreen(Pane):
    """Memories on the left, one in full on the right."""

    name_of_pane = "memories"
    list_title = "Memories"
    text_title = "Memory"
    needs_index = True
    decides = True
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane", "memories")

    def __init__(self) -> None:
        super().__init__()
        self._type: MemoryType | None = None
        self._status: Status | None = None

    def read_listing(self, progress: Progress) -> Listing:
        """Memories, all or those that answer to filter and words."""
        return list_memories(self.tur.store, self.words, self._type, self._status)

    def read_rows(self, ids: Sequence[str]) -> list[Row]:
        """Memories in sight."""
        return memory_rows(self.tur.store, ids)

    def read_detail(self, row_id: str) -> Detail:
        """A memory in full."""
        return memory_detail(self.tur.store, row_id)

    @property
    def memory(self) -> Memory | None:
        """The memory that is shown, if it is the one under the cursor."""
        if self.detail is None or self.detail_of != self.entries.current:
            return None
        return self.detail.facts if isinstance(self.detail.facts, Memory) else None

    def filters(self) -> list[str]:
        """Words, type and status."""
        return [*super().filters(), *(str(one) for one in (self._type, self._status) if one)]

    def clear_filters(self) -> None:
        """Hide nothing any more."""
        super().clear_filters()
        self._type = self._status = None

    def action_kind(self) -> None:
        """The next type."""
        self._type = cycle(list(MemoryType), self._type)  # type: ignore[assignment]
        self.reload()

    def action_status(self) -> None:
        """The next status."""
        self._status = cycle(list(Status), self._status)  # type: ignore[assignment]
        self.reload()

    def action_source(self) -> None:
        """Go to the note it rests on."""
        memory = self.memory
        if memory is None:
            self.say("No memory is shown.", "warn")
        else:
            self.open_evidence(first_note(memory), memory.session)

    def action_memory_diff(self) -> None:
        """Show what changed it last."""
        self.open_diff(self.memory)

    def action_forget(self) -> None:
        """Put it out of force, by typing its id."""
        memory = self.memory
        if memory is None:
            self.say("No memory is shown.", "warn")
            return
        if not may_become(memory.status, Status.ARCHIVED):
            self.say(f"{short_id(memory.id)} is {memory.status} and cannot be forgotten.", "warn")
            return
        words = core_words(memory) or paragraph(memory.content[:600])
        told = [line(("title", short_id(memory.id))), *words]
        key = self.tur.key_of("memories.restore")
        told.append(line(("dim", f"It goes out of force and into the archive; {key} brings it back.")))
        confirm = TypedConfirm("Forget", told, token=memory.id[:8], what="forget it")
        self.ask(confirm, lambda typed: self._forget(memory) if typed is not None else None)

    def _forget(self, memory: Memory) -> None:
        def forget() -> Acted:
            self.tur.desk.forget(memory.id)
            return Acted(f"Forgot {short_id(memory.id)}.", undoable=memory.type is not MemoryType.CORE)

        self.act(forget)

    def action_restore(self) -> None:
        """Bring it back, by typing its id."""
        memory = self.memory
        if memory is None or not may_be_restored(memory):
            self.say("Only a forgotten memory, or a merged core memory, can be restored; s shows them.", "warn")
            return
        if not self.was_read():
            return
        words = core_words(memory) or paragraph(memory.content[:600])
        told = [line(("title", short_id(memory.id))), *words]
        if memory.type is MemoryType.CORE:
            told.append(line(("warn", "It is a core memory: bringing it back puts it into the prompt again.")))
            names = ", ".join(short_id(one) for one in sorted(merged_by(memory)))
            told += [line(("warn", f"It merges {names}: what of these is in force goes."))] if names else []
        confirm = TypedConfirm("Restore", told, token=memory.id[:8], what="bring it back")
        self.ask(confirm, lambda typed: self._restore(memory) if typed is not None else None)

    def _restore(self, memory: Memory) -> None:
        def restore(key: "StewardKey | None") -> Acted:
            review = self.tur.desk.review(memory.id)
            if review.memory != memory:
                return Acted(f"{short_id(memory.id)} changed since it was shown. Nothing was done: look again.")
            retired = self.tur.desk.restore(review, key).retired
            told = f" Retired {', '.join(short_id(one.id) for one in retired)}." if retired else ""
            return Acted(f"Restored {short_id(memory.id)}.{told}", undoable=not retired)

        if memory.type is MemoryType.CORE:
            self.tur.act_with_key(self, restore)
        else:
            self.act(lambda: restore(None))
