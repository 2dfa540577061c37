"""What all panes' readings share: the records they give, and how common things are told."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from tur.clock import format_time
from tur.ids import short_id
from tur.model.memory import Memory, MemoryType
from tur.service.show import LineageStep
from tur_tui.lines import BLANK, Line, Row, line, paragraph

SEARCH_LIMIT = 1_000
LONG_TEXT = 64 * 1024
"""Longest text, in characters, that a detail shows at once; a review always shows all."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A pane's list: ids in order, how their rows are made, and what stands there when it is empty.

    `row_of` makes the row of an id from what was read, without the disk; it is asked for rows in
    sight alone. Without it, the pane reads the rows in sight in a worker. `summary` is
    the line that tells what the list shows. `facts` are what else the reading found, for the
    pane's own use.
    """

    ids: Sequence[str]
    row_of: Callable[[str], Row] | None = None
    summary: Line = BLANK
    empty: Sequence[Line] = ()
    facts: object = None


@dataclass(frozen=True, slots=True)
class Detail:
    """The evidence for one entry: its text, and the entries of a second list where the pane has one.

    `facts` is what an act on the entry will be bound to.
    """

    title: str
    lines: Sequence[Line]
    items: Sequence[Row] = ()
    facts: object = None


@dataclass(frozen=True, slots=True)
class Chrome:
    """What the top line tells."""

    persona: str
    terrain: str
    pending: int


def lineage_lines(steps: Sequence[LineageStep], indent: int = 2) -> Iterator[Line]:
    pad = " " * indent
    for step in steps:
        role = "bad" if step.note or step.memory else "warn"
        doubt = (role, f"  {step.doubt}" if step.doubt else "")
        yield line(f"{pad}{step.link.relation} {step.link.uri}", doubt, indent=indent + 2)
        if step.note is not None:
            yield line(("info", f"{pad}  {step.note.author}"), ("dim", f"  {format_time(step.note.at)}"))
            yield from paragraph(cut(step.note.text), indent=indent + 4)
        elif step.memory is not None:
            found = step.memory
            yield line(("info", f"{pad}  {found.author}"), ("dim", f"  {found.type}, {found.status}"))
            yield from paragraph(cut(found.content), indent=indent + 4)
        elif step.missing:
            yield line(("dim", f"{pad}  {step.missing}"), indent=indent + 2)


def history_lines(memory: Memory) -> Iterator[Line]:
    for entry in memory.lifecycle:
        word = "verified" if entry.verified else entry.status.value
        where = f" in {entry.session}" if entry.session else ""
        yield line(("dim", f"  {format_time(entry.at)}  "), word, ("dim", f" by {entry.by}{where}"), indent=4)
        if entry.successor:
            yield line(("dim", "    by "), short_id(entry.successor))
        if entry.reason:
            yield from paragraph(entry.reason, "dim", 4)


def has_words(words: str, text: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words.casefold().split())


def count_line(shown: int, total: int, noun: str, *, filtered: bool) -> Line:
    plural = noun if total == 1 else f"{noun}s"
    return line(f"{shown:,} of {total:,} {plural}" if filtered else f"{total:,} {plural}")


def empty_page(filtered: bool, title: str, text: str) -> list[Line]:
    if filtered:
        return [line(("title", "Nothing here answers to the filter.")), line(("dim", "Press escape to clear it."))]
    return [line(("title", title)), BLANK, line(("dim", text))]


def cut(text: str) -> str:
    if len(text) <= LONG_TEXT:
        return text
    return f"{text[:LONG_TEXT]}\n… {len(text) - LONG_TEXT:,} more characters; `tur show` prints all of it"


def told_time(moment: datetime | None) -> str:
    return format_time(moment) if moment else "not recorded"


def type_word(kind: MemoryType) -> str:
    """A type as lists have it: seven cells, so that the text beside it has room."""
    return f"{'pref' if kind is MemoryType.PREFERENCE else kind.value:<7}"


def told_age(moment: datetime, now: datetime) -> str:
    seconds = max(0, int((now - moment).total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return "now"
