"""A diff as lines of text, in the layout of EP-0133. Owns signs, colours and order of lines; prints nothing.

Whether to colour and how wide the screen is, the caller knows. All stored text passes through
`tur.policy.display`, so the only escape sequences in the result are those of `Style`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tur.clock import format_time
from tur.ids import note_of_uri, short_id
from tur.model.memory import LifecycleEntry, Memory
from tur.policy.diff import Kind, MemoryDelta, counts, enumerate_types, ledger_counts
from tur.policy.display import one_line, visible
from tur.policy.words import word_diff

NARROW = 60
"""Below this many columns an entry takes three lines."""

SIGNS: Mapping[Kind, str] = {
    "ADDED": "[+]",
    "SUPERSEDED": "[~]",
    "REFUTED": "[-]",
    "MERGED": "[&]",
    "DECAYED": "[*]",
    "MODIFIED": "[!]",
}
_COLOURS: Mapping[Kind, str] = {
    "ADDED": "32",
    "SUPERSEDED": "33",
    "REFUTED": "31",
    "MERGED": "35",
    "DECAYED": "36",
    "MODIFIED": "34",
}
_OLD = "4;31"
_NEW = "4;32"
_BOLD = "1"
_INDENT = "    "
_NOTE_WIDTH = 60


@dataclass(frozen=True, slots=True)
class Style:
    """How to paint. Without colour nothing is added to the text at all."""

    colour: bool = False

    def paint(self, code: str, text: str) -> str:
        """The text between an SGR sequence and its reset."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


PLAIN = Style()


def render_diff(
    deltas: Sequence[MemoryDelta],
    *,
    heading: str,
    style: Style = PLAIN,
    width: int | None = None,
    details: bool = False,
    note_texts: Mapping[str, str] | None = None,
) -> list[str]:
    """The whole diff. `heading` says what was compared, such as `Session <id>`.

    A `width` under 60 gives the narrow form. `details` adds who, when, from which notes and all
    steps to each entry; without it, steps show only where there are several. `note_texts` maps
    note URIs to their text, for the provenance of what was dreamt.
    """
    lines = [_title(heading, deltas, style)]
    narrow = width is not None and width < NARROW
    for delta in deltas:
        lines.append("")
        if narrow:
            lines += _narrow(delta, style, width or NARROW)
        else:
            lines.append(_head(delta, style))
            lines += [f"{_INDENT}{line}" for line in _fields(delta, style, details, note_texts or {})]
    return lines


def render_stat(deltas: Sequence[MemoryDelta], *, heading: str, style: Style = PLAIN) -> list[str]:
    """One line a kind: how many, of which types."""
    lines = [_title(heading, deltas, style)]
    ledger = ledger_counts(deltas)
    for kind, count in counts(deltas).items():
        if count:
            sign = style.paint(_COLOURS[kind], f"{SIGNS[kind]} {kind:<10}")
            lines.append(f"{sign} {count:>5}  {enumerate_types(ledger[kind])}")
    return lines


def provenance(memory: Memory, note_texts: Mapping[str, str]) -> str:
    """Where a memory comes from, in a few words: an observation, its notes, or who learned it."""
    observed = memory.extra.get("observed_at")
    if isinstance(observed, str) and observed.strip():
        return f"observed at {one_line(observed, 200)}"
    notes: dict[str, list[int]] = {}
    uris: list[str] = []
    for link in memory.links:
        found = note_of_uri(link.uri)
        if found is not None:
            notes.setdefault(found[0], []).append(found[1])
            uris.append(link.uri)
    if not notes:
        where = f" in {one_line(memory.session, 64)}" if memory.session else ""
        return f"learned by {one_line(memory.author, 64)}{where}"
    told = [
        f"{'note' if len(numbers) == 1 else 'notes'} {', '.join(map(str, numbers))} of {session}"
        for session, numbers in notes.items()
    ]
    if len(uris) == 1 and (text := note_texts.get(uris[0])):
        return f'{told[0]}: "{one_line(text, _NOTE_WIDTH)}"'
    return "; ".join(told)


def _title(heading: str, deltas: Sequence[MemoryDelta], style: Style) -> str:
    mutations = "mutation" if len(deltas) == 1 else "mutations"
    return style.paint(_BOLD, f"Memory Delta: {heading} ({len(deltas)} {mutations})")


def _head(delta: MemoryDelta, style: Style) -> str:
    return style.paint(_COLOURS[delta.status], f"{SIGNS[delta.status]} {delta.status} ({_type(delta.record)})")


def _type(memory: Memory) -> str:
    return memory.type.value.capitalize()


def _fields(delta: MemoryDelta, style: Style, details: bool, note_texts: Mapping[str, str]) -> list[str]:
    memory = delta.record
    lines = [f"id: {_identity(delta)}"]
    match delta.status:
        case "ADDED":
            lines.append(f"scope: {memory.scope.value}")
            lines.append(_quoted("content", memory.content))
            if memory.core is not None:
                lines.append(_quoted("principle", memory.core.derived_principle))
                lines.append(_quoted("covenant", memory.core.ethical_covenant))
            lines.append(f"provenance: {provenance(memory, note_texts)}")
        case "SUPERSEDED" | "MERGED":
            lines += _both(delta, style)
        case "REFUTED":
            lines.append(_quoted("content", memory.content))
        case "DECAYED":
            lines.append(_quoted("content", memory.content))
            lines.append(f"status: fresh -> stale ({delta.reason})")
        case "MODIFIED":
            lines += _both(delta, style) if _edited(delta) else [_quoted("content", memory.content)]
    if delta.pending and delta.status == "ADDED":
        lines.append("status: pending approval")
    elif delta.reason and delta.status != "DECAYED":
        lines.append(_quoted("reason", delta.reason))
    lines += _dating(delta)
    if details:
        lines += _details(delta)
    if len(delta.steps) > 1 or (details and delta.steps):
        lines.append(f"history: {' -> '.join(map(_step, delta.steps))}")
    return lines


def _identity(delta: MemoryDelta) -> str:
    if delta.successor_id is None:
        return short_id(delta.record.id)
    verb = "merged into" if delta.status == "MERGED" else "superseded by"
    return f"{short_id(delta.record.id)} -> {verb} {_successor(delta)}"


def _successor(delta: MemoryDelta) -> str:
    return one_line(short_id(delta.successor_id or ""), 80)


def _edited(delta: MemoryDelta) -> bool:
    state = delta.changes[0].after if delta.changes else None
    was = delta.changes[0].before if delta.changes else None
    if delta.old_text is not None:
        return True
    # An edit of the frontmatter alone leaves one text, and nothing to set against it.
    edit = state.edit if state is not None and was is not None and state.edit != was.edit else None
    return edit is not None and edit.old != delta.record.content


def _both(delta: MemoryDelta, style: Style) -> list[str]:
    if delta.new_text is None:
        named = f"({_successor(delta)} is not in this store)" if delta.successor_id else "(not recorded)"
        return [_quoted("old", delta.old_text or ""), f"new: {named}"]
    if delta.old_text is None:
        return ["old: (not known)", _quoted("new", delta.new_text)]
    # Made visible first, so that no segment can begin in the middle of something hidden.
    old, new = visible(delta.old_text), visible(delta.new_text)
    if not style.colour:
        return [_line("old", f'"{old}"'), _line("new", f'"{new}"')]
    painted = {"old": "", "new": ""}
    for op, text in word_diff(old, new):
        if op in ("same", "old"):
            painted["old"] += _painted(text, style, _OLD) if op == "old" else text
        if op in ("same", "new"):
            painted["new"] += _painted(text, style, _NEW) if op == "new" else text
    return [_line(label, f'"{text}"') for label, text in painted.items()]


def _painted(text: str, style: Style, code: str) -> str:
    """Painted line by line, so that no colour runs over an indent."""
    return "\n".join(style.paint(code, line) for line in text.split("\n"))


def _quoted(label: str, text: str) -> str:
    return _line(label, f'"{visible(text)}"')


def _line(label: str, text: str) -> str:
    """Further lines of a text stand under its beginning, so none can pass for a line of ours."""
    return f"{label}: {text}".replace("\n", "\n" + _INDENT + " " * (len(label) + 3))


def _dating(delta: MemoryDelta) -> list[str]:
    if delta.dated_by == "lifecycle" or not delta.changes:
        return []
    by = "its file's time, estimated" if delta.estimated else "its timestamp, for want of a lifecycle"
    return [f"born: {format_time(delta.record.timestamp)} (by {by})"]


def _details(delta: MemoryDelta) -> list[str]:
    lines = []
    if delta.actor is not None:
        where = f" in session {one_line(delta.session, 64)}" if delta.session else ""
        lines.append(f"by: {one_line(delta.actor, 64)}{where}")
    if delta.at is not None:
        lines.append(f"at: {format_time(delta.at)}")
    if delta.sources:
        lines.append(f"notes: {', '.join(one_line(uri, 120) for uri in delta.sources)}")
    return lines


def _step(entry: LifecycleEntry) -> str:
    word = "verified" if entry.verified else entry.status.value.replace("_", " ")
    return f"{word} {format_time(entry.at)} by {one_line(entry.by, 64)}"


def _narrow(delta: MemoryDelta, style: Style, width: int) -> list[str]:
    """Kind and id; the text as it is now; and the most telling other thing."""
    room = max(width - len(_INDENT), 10)
    head = f"{SIGNS[delta.status]} {delta.status} {short_id(delta.record.id)}"
    match delta.status:
        case "SUPERSEDED" | "MERGED":
            text, other = delta.old_text or "", f"-> {delta.new_text or _successor(delta)}"
        case "ADDED":
            text, other = delta.record.content, "pending approval" if delta.pending else provenance(delta.record, {})
        case "DECAYED":
            text, other = delta.record.content, f"stale, {delta.reason}"
        case "REFUTED" | "MODIFIED":
            text, other = delta.record.content, delta.reason or "no reason given"
    return [
        style.paint(_COLOURS[delta.status], one_line(head, max(width, 10))),
        _INDENT + one_line(text, room),
        _INDENT + one_line(other, room),
    ]
