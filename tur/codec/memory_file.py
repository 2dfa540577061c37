"""The file format of a memory: YAML frontmatter between `---` lines, then the content, byte for byte.

A file is written whole once. Afterwards only `append_lifecycle` touches it, by adding one line,
so that what a human or another tool wrote there survives.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NoReturn, TypeVar

import yaml

from tur.clock import parse_time
from tur.codec.seal import memory_id, memory_seal
from tur.codec.yamlio import dump_mapping, flow_mapping, load_mapping
from tur.errors import StoreCorrupt
from tur.ids import MEMORY_ID
from tur.model.memory import Core, CoreType, LifecycleEntry, Memory, MemoryLink, MemoryType, Scope, Status

MAX_FRONTMATTER_BYTES = 65536
"""Longest frontmatter that is read, in bytes: a lifecycle grows by a line at each verification."""

MAX_TITLE = 80
"""Longest derived title, in characters."""

_WHAT = "frontmatter"
_FIRST_LINE = 2
_BOM = b"\xef\xbb\xbf"
_OPENING = re.compile(rb"---[ \t]*(\r?\n)")
_CLOSING = re.compile(rb"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_MARKDOWN_LEAD = re.compile(r"^(?:[#>*+-]+[ \t]+)+")
_SENTENCE = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?:[.!?]+[\"')\]]*(?=\s+[^\sa-z])|[\u3002\uff01\uff1f])"
)
_JOINERS = "\u200c\u200d"
_CORE_KEYS = ("core_type", "derived_principle", "ethical_covenant")
_KEYS = frozenset({"type", "title", "hash", "seal", "memory_type", "scope", "timestamp"}).union(
    {"session", "author", "tags", "links", "lifecycle"}
)

_Word = TypeVar("_Word", bound=StrEnum)


def render_memory(memory: Memory) -> bytes:
    """The whole file of a memory. Its body is the content as it is, and one newline."""
    fields: dict[str, object] = {
        "type": "L1 Memory",
        "title": memory.title,
        "hash": memory.id,
        "seal": memory.seal or None,
        "memory_type": memory.type.value.upper(),
        "scope": memory.scope.value.upper(),
        "timestamp": memory.timestamp,
        "session": memory.session,
        "author": memory.author,
        "tags": list(memory.tags) or None,
    }
    fields = {key: value for key, value in fields.items() if value is not None}
    known = _KEYS
    if memory.core is not None:
        known = _KEYS.union(_CORE_KEYS)
        fields["core_type"] = memory.core.core_type.value
        fields["derived_principle"] = memory.core.derived_principle
        fields["ethical_covenant"] = memory.core.ethical_covenant
    fields |= {key: value for key, value in memory.extra.items() if key not in known}
    if memory.links:
        fields["links"] = [_present(uri=link.uri, relation=link.relation, hash=link.hash) for link in memory.links]
    if memory.lifecycle:
        fields["lifecycle"] = [_lifecycle_fields(entry) for entry in memory.lifecycle]
    frontmatter = dump_mapping(fields, flow=("links", "lifecycle"))
    return f"---\n{frontmatter}---\n{memory.content}\n".encode()


def parse_memory(data: bytes) -> Memory:
    """Read a memory's file, one that the program wrote or that a human did.

    Scope and type in any case; a string of tags is split; a time without a zone is UTC. Absent
    `hash` is computed, absent `title` derived, absent `seal` is "", absent `author` "unknown",
    absent `lifecycle` and `links` are empty. Keys that Tur does not know are in `extra`. Raises
    StoreCorrupt with the field or the line. Whether the content still matches its id is not
    judged here: see `is_edited`.
    """
    parts = _split(data)
    fields = load_mapping(parts.frontmatter, limit=MAX_FRONTMATTER_BYTES, what=_WHAT, first_line=_FIRST_LINE)
    return _Fields(fields, parts.frontmatter).memory(parts.content)


def append_lifecycle(data: bytes, entry: LifecycleEntry) -> bytes:
    """The same file with one more lifecycle entry; every other byte stays as it was.

    The result is read again before it is returned. Raises StoreCorrupt when the file cannot be
    read, or is written in a way in which no entry can be added safely.
    """
    before = parse_memory(data)
    parts = _split(data)
    frontmatter = _with_entry(parts.frontmatter, flow_mapping(_lifecycle_fields(entry)), parts.line_end)
    if len(frontmatter.encode("utf-8")) > MAX_FRONTMATTER_BYTES:
        raise StoreCorrupt(
            f"the lifecycle is full: {_WHAT} would be over {MAX_FRONTMATTER_BYTES:,} bytes",
            hint="Supersede it by a memory that says the same in other words.",
            field="lifecycle",
        )
    spliced = parts.opening + frontmatter.encode("utf-8") + parts.rest
    try:
        after = parse_memory(spliced)
    except StoreCorrupt as error:
        raise _no_entry(error.message) from error
    if after != before.appended(entry) or after.extra != before.extra:
        raise _no_entry("the result does not read back")
    return spliced


def is_edited(memory: Memory) -> bool:
    """Whether content or seal no longer match what the file claims: someone changed it by hand.

    A historical memory without a seal is judged by its content alone.
    """
    if memory.id != memory_id(memory.scope, memory.type, memory.content, memory.core):
        return True
    return bool(memory.seal) and memory.seal != memory_seal(memory.id, memory.timestamp, memory.links)


def derive_title(content: str) -> str:
    """A title from content: its first sentence or line, at most 80 characters, without markup or control characters."""
    for line in content.splitlines():
        text = _MARKDOWN_LEAD.sub("", "".join(map(_title_char, line[:2000])).strip(), count=1)
        text = " ".join(text.split())
        if text.strip(_JOINERS + " #>*+-=_`~"):
            break
    else:
        return "Untitled"
    if end := _SENTENCE.search(text):
        text = text[: end.end()]
    if text.endswith(".") and not text.endswith("..") and text != ".":
        text = text[:-1]
    if len(text) <= MAX_TITLE:
        return text
    cut = text[: MAX_TITLE - 1]
    words, _, rest = cut.rpartition(" ")
    return (words if words and len(rest) < MAX_TITLE // 2 else cut).rstrip(" ,;:-") + "…"


def core_title(memory_id: str) -> str:
    """The title of a core memory: `Core Memory` and the first eight digits of its id (EP-0113)."""
    return f"Core Memory {memory_id[:8]}"


def split_tags(given: str) -> tuple[str, ...]:
    """Tags from one string, `a,b` or `["a", "b"]`: trimmed, without brackets, quotes or doubles."""
    pieces = (piece.strip(" \t\r\n\"'[]#") for piece in given.split(","))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


@dataclass(frozen=True, slots=True)
class _Parts:
    """A file cut at its delimiters: `opening` + `frontmatter` + `rest` is the file."""

    opening: bytes
    frontmatter: str
    rest: bytes
    content: str
    line_end: str


def _split(data: bytes) -> _Parts:
    bom = len(_BOM) if data.startswith(_BOM) else 0
    opening = _OPENING.match(data, bom)
    if opening is None:
        raise StoreCorrupt(
            "no frontmatter: the first line is not `---`", hint="A memory file begins with a line `---`.", line=1
        )
    start = opening.end()
    closing = _CLOSING.search(data, start, start + MAX_FRONTMATTER_BYTES + 8)
    # Where the search window ends is not where the file ends, and `\Z` cannot tell them apart.
    if closing is not None and closing.end() == start + MAX_FRONTMATTER_BYTES + 8 < len(data):
        closing = None
    if closing is None:
        if len(data) - start > MAX_FRONTMATTER_BYTES:
            raise StoreCorrupt(
                f"{_WHAT} is over {MAX_FRONTMATTER_BYTES:,} bytes, or not closed",
                hint="It ends with a line `---`.",
                limit=MAX_FRONTMATTER_BYTES,
            )
        raise StoreCorrupt(f"{_WHAT} is not closed", hint="It ends with a line `---`.", line=1)
    crlf = opening[1] == b"\r\n"
    body = data[closing.end() :]
    # Only a file that is CRLF in its frontmatter too had its last line end converted: in one that
    # the program wrote, a "\r" before the final newline belongs to the content.
    if crlf and body.endswith(b"\r\n"):
        body = body[:-2]
    elif body.endswith(b"\n"):
        body = body[:-1]
    return _Parts(
        opening=data[:start],
        frontmatter=_decoded(data[start : closing.start()], _WHAT),
        rest=data[closing.start() :],
        content=_decoded(body, "content"),
        line_end="\r\n" if crlf else "\n",
    )


def _decoded(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StoreCorrupt(f"{what} is not UTF-8: byte {error.start + 1} of it", hint="Save it as UTF-8.") from error


class _Fields:
    """Typed reading of frontmatter; every refusal names the field and its line."""

    def __init__(self, fields: dict[str, object], frontmatter: str) -> None:
        self._fields = fields
        self._frontmatter = frontmatter

    def memory(self, content: str) -> Memory:
        kind = self._word("memory_type", MemoryType)
        scope = self._word("scope", Scope)
        core = self._core() if kind is MemoryType.CORE else None
        known = _KEYS.union(_CORE_KEYS) if core else _KEYS
        identity = self._hash() or memory_id(scope, kind, content, core)
        title = self._text("title")
        if title is None:
            title = core_title(identity) if core else derive_title(content)
        author = self._text("author")
        return Memory(
            id=identity,
            seal=self._text("seal") or "",
            type=kind,
            scope=scope,
            title=title,
            content=content,
            timestamp=self._time("timestamp", self._required("timestamp")),
            author="unknown" if author is None else author,
            session=self._text("session"),
            tags=self._tags(),
            links=tuple(self._link(at, item) for at, item in self._mappings("links")),
            lifecycle=tuple(self._entry(at, item) for at, item in self._mappings("lifecycle")),
            core=core,
            extra={key: value for key, value in self._fields.items() if key not in known},
        )

    def _fail(self, field: str, problem: str) -> NoReturn:
        name = re.escape(re.split(r"[.\[]", field)[0])
        found = re.search(rf"(?m)^[ \t]*[\"']?{name}[\"']?[ \t]*:", self._frontmatter)
        line = self._frontmatter.count("\n", 0, found.start()) + _FIRST_LINE if found else None
        place = f", line {line}" if line else ""
        raise StoreCorrupt(
            f"{_WHAT}{place}, field {field}: {problem}", hint="The file was left as it is.", field=field, line=line
        )

    def _text(self, name: str) -> str | None:
        return self._as_text(name, self._fields.get(name))

    def _as_text(self, field: str, value: object) -> str | None:
        if value is not None and not isinstance(value, str):
            self._fail(field, "is not text")
        return None if value is None else str(value)

    def _required(self, name: str) -> str:
        value = self._text(name)
        if value is None:
            self._fail(name, "is missing")
        return value

    def _word(self, name: str, words: type[_Word]) -> _Word:
        return self._as_word(name, self._required(name), words)

    def _as_word(self, field: str, value: str, words: type[_Word]) -> _Word:
        try:
            return words(value.strip().lower())
        except ValueError:
            self._fail(field, f"{value!r} is none of {', '.join(words)}")

    def _time(self, field: str, value: object) -> datetime:
        text = self._as_text(field, value)
        if text is None:
            self._fail(field, "is missing")
        try:
            return parse_time(text.strip()).replace(microsecond=0)
        except (ValueError, OverflowError):
            self._fail(field, f"is not a date or time: {text!r}")

    def _hash(self) -> str | None:
        value = self._text("hash")
        if value is None:
            return None
        if not MEMORY_ID.fullmatch(value.lower()):
            self._fail("hash", "is not a sha256 in 64 hex digits")
        return value.lower()

    def _core(self) -> Core:
        return Core(
            core_type=self._word("core_type", CoreType),
            derived_principle=self._required("derived_principle"),
            ethical_covenant=self._required("ethical_covenant"),
        )

    def _tags(self) -> tuple[str, ...]:
        value = self._fields.get("tags")
        if not isinstance(value, list):
            return split_tags(self._as_text("tags", value) or "")
        tags = tuple(tag for item in value if (tag := self._as_text("tags", item)))
        if len(tags) > 1 and tags[0].startswith("[") and tags[-1].endswith("]"):
            return split_tags(",".join(tags))
        return tags

    def _mappings(self, name: str) -> list[tuple[str, dict[str, object]]]:
        value = self._fields.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            self._fail(name, "is not a list")
        found: list[tuple[str, dict[str, object]]] = []
        for number, item in enumerate(value, start=1):
            field = f"{name}[{number}]"
            if not isinstance(item, dict):
                self._fail(field, "is not a mapping")
            found.append((field, item))
        return found

    def _link(self, field: str, item: dict[str, object]) -> MemoryLink:
        uri = self._as_text(f"{field}.uri", item.get("uri"))
        relation = self._as_text(f"{field}.relation", item.get("relation"))
        if uri is None or relation is None:
            self._fail(field, "needs `uri` and `relation`")
        return MemoryLink(uri, relation, self._as_text(f"{field}.hash", item.get("hash")))

    def _entry(self, field: str, item: dict[str, object]) -> LifecycleEntry:
        status = self._as_text(f"{field}.status", item.get("status"))
        if status is None:
            self._fail(field, "needs `status`")
        by = self._as_text(f"{field}.by", item.get("by"))
        return LifecycleEntry(
            at=self._time(f"{field}.at", item.get("at")),
            status=self._as_word(f"{field}.status", status, Status),
            by="unknown" if by is None else by,
            session=self._as_text(f"{field}.session", item.get("session")),
            reason=self._as_text(f"{field}.reason", item.get("reason")),
            successor=self._as_text(f"{field}.successor", item.get("successor")),
            verified=(self._as_text(f"{field}.verified", item.get("verified")) or "").lower() == "true",
        )


def _present(**fields: object) -> dict[str, object]:
    return {key: value for key, value in fields.items() if value is not None}


def _lifecycle_fields(entry: LifecycleEntry) -> dict[str, object]:
    return _present(
        at=entry.at,
        status=entry.status.value,
        by=entry.by,
        session=entry.session,
        reason=entry.reason,
        successor=entry.successor,
        verified=True if entry.verified else None,
    )


def _title_char(char: str) -> str:
    if char.isspace():
        return " "
    return char if char.isprintable() or char in _JOINERS else ""


def _with_entry(frontmatter: str, line: str, line_end: str) -> str:
    """The frontmatter with `line` as the last item of `lifecycle`. Marks of the parser count characters."""
    root = yaml.compose(frontmatter, Loader=yaml.CSafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise _no_entry("it is not written as lines of `key: value`")
    node = next((value for key, value in root.value if key.value == "lifecycle"), None)
    margin = " " * root.start_mark.column
    if node is None:
        return f"{frontmatter}{margin}lifecycle:{line_end}{margin}  - {line}{line_end}"
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.SequenceNode) and not node.flow_style:
        at = _end_of_line(frontmatter, _end_of(node))
        return f"{frontmatter[:at]}{' ' * node.start_mark.column}- {line}{line_end}{frontmatter[at:]}"
    if isinstance(node, yaml.SequenceNode) and (node.value or frontmatter[start + 1 : end - 1].strip()):
        last = node.value[-1].end_mark.index if node.value else end - 1
        comma = "" if not node.value or "," in frontmatter[last : end - 1] else ", "
        return f"{frontmatter[: end - 1]}{comma}{line}{frontmatter[end - 1 :]}"
    if isinstance(node, yaml.ScalarNode) and start == end:
        # The mark of a value that is not there may stand before the comment of its line, or lines further on.
        key = next(key for key, _ in root.value if key.value == "lifecycle")
        at = _end_of_line(frontmatter, key.end_mark.index)
        return f"{frontmatter[:at]}{margin}  - {line}{line_end}{frontmatter[at:]}"
    return f"{frontmatter[:start]}{line_end}{margin}  - {line}{frontmatter[end:]}"


def _end_of(node: yaml.Node) -> int:
    """Where the text of a node ends: block collections are marked up to whatever comes next."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return int(node.end_mark.index)


def _end_of_line(text: str, at: int) -> int:
    if at and text[at - 1] == "\n":
        return at
    return text.find("\n", at) + 1 or len(text)


def _no_entry(problem: str) -> StoreCorrupt:
    return StoreCorrupt(
        f"no lifecycle entry can be added to this frontmatter: {problem}",
        hint="Write `lifecycle:` as a list with one `- {at: …, status: …, by: …}` on each line.",
        field="lifecycle",
    )
