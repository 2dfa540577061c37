"""A change by hand in a memory's file: what the text was before, and whether the change can be accepted."""

from dataclasses import dataclass, replace

from tur.codec.memory_file import is_edited, parse_memory
from tur.codec.seal import memory_id
from tur.errors import Conflict, TurError
from tur.ids import short_id
from tur.model.memory import Memory, Status
from tur.store.git import GitMemories
from tur.store.store import Store

_HERE = (Status.ACTIVE, Status.PENDING_APPROVAL)
_TAKE_OUT = "Nothing was changed. Take the change out of its file again"


@dataclass(frozen=True, slots=True)
class Edit:
    """A hand edit. `becomes` is the id of the text as it is now.

    `written` is the memory as it was written, None when its text is not known any more. `refused`
    says why the edit cannot be accepted, with a hint; None when it can.
    """

    becomes: str
    written: Memory | None
    refused: tuple[str, str] | None


def edit_of(store: Store, memory: Memory) -> Edit | None:
    """The hand edit in a memory as its file has it, or None when it is as it was written."""
    if not is_edited(memory):
        return None
    becomes = memory_id(memory.scope, memory.type, memory.content, memory.core)
    return Edit(becomes, _as_written(store, memory), _refusal(store, memory, becomes))


def check_edit(memory: Memory, edit: Edit | None) -> Edit:
    """The edit, if it can be accepted. Raises Conflict."""
    if edit is None:
        raise Conflict(
            f"{short_id(memory.id)} is as it was written: there is no edit to accept",
            hint="Nothing was changed.",
            id=memory.id,
        )
    if edit.refused is not None:
        why, hint = edit.refused
        raise Conflict(f"{short_id(memory.id)} {why}", hint=hint, id=memory.id)
    return edit


def _refusal(store: Store, memory: Memory, becomes: str) -> tuple[str, str] | None:
    if memory.status not in _HERE:
        return (
            f"is {memory.status}: accepting its edit would bring it back into force",
            f"{_TAKE_OUT}; what should hold again is learned anew with `tur learn`.",
        )
    if becomes == memory.id:
        return (
            "has the text that it was written with: only its time or its links were changed by hand",
            f"{_TAKE_OUT}; `git diff` shows it.",
        )
    try:
        there = store.memories.get(becomes) if store.memories.path_of(becomes) is not None else None
    except TurError as error:
        return f"now has the text of {short_id(becomes)}, which cannot be read: {error.message}", f"{_TAKE_OUT}."
    if there is not None and there.status not in _HERE:
        return (
            f"now has the text of {short_id(becomes)}, which is {there.status}: that would bring it back into force",
            f"{_TAKE_OUT}, or say it in other words.",
        )
    return None


def _as_written(store: Store, memory: Memory) -> Memory | None:
    """The memory with its text as git has it at HEAD, or None when that is not the text its id stands for."""
    path = store.memories.path_of(memory.id)
    if path is None:
        return None
    try:
        data = GitMemories(path.parent).text_before(path.name)
        committed = None if data is None else parse_memory(data)
    except TurError:
        return None
    if committed is None or committed.id != memory.id or is_edited(committed):
        return None
    return replace(committed, lifecycle=memory.lifecycle)
