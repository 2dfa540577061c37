"""The YAML that Tur reads and writes: a strict, string-only reader and a small emitter.

The reader knows mappings, lists and strings (and null). Whatever YAML would retype (`no`, `012`,
a date) stays the text that stands in the file, and what makes YAML dangerous or ambiguous
(aliases, tags, merge keys, duplicate keys, deep nesting) is refused.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

import yaml

from tur.clock import format_time
from tur.codec.text import BLANK_LETTERS
from tur.errors import InvalidInput, StoreCorrupt

MAX_DEPTH = 20
_MAX_KEY = 1000
_FLOW_WIDTH = 100

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_RETYPED_WORDS = frozenset({"", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"})
_RETYPED_INITIALS = frozenset(first for word in _RETYPED_WORDS for first in (word[:1], word[:1].upper()))
_NUMERIC = re.compile(r"[-+]?(?:0[xob][0-9a-f_]+|[0-9._,:]+(?:e[-+]?[0-9_]*)?|\.inf|\.nan)", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)[\d:.]+[ \t]*(?:Z|[-+]\d{1,2}(?::?\d\d)?)?)?")
_PLAIN = re.compile(r"[^\W_](?:[\w./@+() -]*[\w./@+()-])?")
_ODD_BREAKS = re.compile("[\x85\u2028\u2029]")
_SHORT_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\e", "\0": "\\0"}
_QUOTE_HINT = "Put the value in double quotes."


class Plain(str):
    """A string that stood unquoted in a file and that YAML itself would retype; written back unquoted."""

    __slots__ = ()


def load_mapping(text: str, *, limit: int, what: str, first_line: int = 1) -> dict[str, object]:
    """Read one YAML mapping of strings, lists, mappings and None.

    `limit` is in bytes of UTF-8, `what` names the text in messages, `first_line` is the number
    of its first line in the file. Quoted scalars are strings; an unquoted `null`, `~` or nothing
    is None; every other scalar is the text as it stands. Raises StoreCorrupt with the line and a hint.
    """
    reader = _Reader(text, what, first_line)
    if len(text) > limit or len(text.encode("utf-8", "surrogatepass")) > limit:
        raise StoreCorrupt(f"{what} is over {limit:,} bytes", hint="It was left as it is, and not read.", limit=limit)
    try:
        return reader.read()
    except StoreCorrupt:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise reader.corrupt(error.problem or "not YAML", mark.line if mark else None, _hint(error)) from error
    except Exception as error:  # the parser raises more than YAMLError: ValueError, RecursionError, UnicodeError
        raise reader.corrupt(str(error).partition("\n")[0] or type(error).__name__, None, None) from error


def dump_mapping(mapping: Mapping[str, object], *, flow: Collection[str] = ()) -> str:
    """Write a mapping of str, int, bool, None, aware datetime, lists and mappings as YAML, ending in a newline.

    Block style; a short list of scalars goes on one line, and so does each mapping in a list
    under a key named in `flow`. Strings that YAML would retype, or that hold anything invisible,
    are double-quoted, with escapes for what cannot be seen. Lines are never wrapped. Raises
    InvalidInput for a value of another type and for text that is not valid Unicode.
    """
    lines: list[str] = []
    _write_mapping(mapping, "", frozenset(flow), lines)
    return "\n".join(lines) + "\n" if lines else "{}\n"


def scalar(value: object) -> str:
    """One scalar as YAML writes it, safe in block and flow context."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case datetime():
            return format_time(value)
        case Plain():
            return str(value)
        case str():
            return _string(value)
    raise InvalidInput(f"cannot be written as YAML: {type(value).__name__}")


def flow_mapping(mapping: Mapping[str, object]) -> str:
    """A mapping of scalars on one line: `{key: value, …}`."""
    return "{" + ", ".join(f"{_key(key)}: {_flow(value)}" for key, value in mapping.items()) + "}"


class _Reader:
    """Builds values from parser events, so that every refusal comes before anything is built."""

    def __init__(self, text: str, what: str, first_line: int) -> None:
        self._text = text
        self._what = what
        self._first_line = first_line
        self._depth = 0
        self._loader: yaml.CSafeLoader
        self._next: Callable[[], Any]
        self._odd_breaks = [match.start() for match in _ODD_BREAKS.finditer(text)]
        self._quoted_breaks = 0

    def read(self) -> dict[str, object]:
        self._loader = yaml.CSafeLoader(self._text)
        self._next = self._loader.get_event
        try:
            event: Any = self._next()
            event = self._next()
            if isinstance(event, yaml.StreamEndEvent):
                raise self.corrupt("is empty", None, None)
            event = self._next()
            if not isinstance(event, yaml.MappingStartEvent):
                raise self.corrupt("is not a mapping", _line(event), "It must be lines of `key: value`.")
            value = self._value(event)
            self._next()
            event = self._next()
            if not isinstance(event, yaml.StreamEndEvent):
                raise self.corrupt("holds a second document", _line(event), None)
            self._refuse_odd_breaks(before=len(self._text))
            assert isinstance(value, dict)
            return value
        finally:
            self._loader.dispose()

    def corrupt(self, problem: str, line: int | None, hint: str | None) -> StoreCorrupt:
        if line is None:
            return StoreCorrupt(f"{self._what}: {problem}", hint=hint)
        number = self._first_line + line
        return StoreCorrupt(f"{self._what}, line {number}: {problem}", hint=hint, line=number)

    def _value(self, event: Any) -> object:
        # An alias has the anchor it points to.
        if event.anchor is not None:
            raise self.corrupt("anchors and aliases (& and *) are not taken", _line(event), _QUOTE_HINT)
        if event.tag is not None:
            raise self.corrupt("tags (!) are not taken", _line(event), _QUOTE_HINT)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.corrupt(f"is nested more than {MAX_DEPTH} deep", _line(event), None)
        value = self._mapping() if isinstance(event, yaml.MappingStartEvent) else self._list()
        self._depth -= 1
        return value

    def _scalar(self, event: Any) -> str | None:
        text: str = event.value
        if not event.style:
            if text in _NULLS:
                return None
            return Plain(text) if _is_retyped(text) else text
        if self._odd_breaks:
            self._refuse_odd_breaks(before=event.start_mark.index)
            self._quoted_breaks = bisect_left(self._odd_breaks, event.end_mark.index)
        return text

    def _refuse_odd_breaks(self, *, before: int) -> None:
        """Inside quotes they are part of the text; elsewhere they start a line that nobody sees."""
        if self._quoted_breaks < bisect_left(self._odd_breaks, before):
            line = self._text.count("\n", 0, self._odd_breaks[self._quoted_breaks])
            hint = "It would end the line in some readers: remove it, or write it as an escape in double quotes."
            raise self.corrupt("holds an invisible line break (U+0085, U+2028 or U+2029)", line, hint)

    def _mapping(self) -> dict[str, object]:
        found: dict[str, object] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            if isinstance(event, yaml.CollectionStartEvent):
                raise self.corrupt("a key must be text", _line(event), _QUOTE_HINT)
            self._value(event)
            name = event.value
            if name == "<<" and not event.style:
                raise self.corrupt("merge keys (<<) are not taken", _line(event), None)
            if name in found:
                hint = "Keep the one that is right."
                raise self.corrupt(f"the key {name!r} is there twice", _line(event), hint)
            found[name] = self._value(self._next())
        return found

    def _list(self) -> list[object]:
        found: list[object] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            found.append(self._value(event))
        return found


def _line(event: Any) -> int:
    return int(event.start_mark.line)


def _hint(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or ""
    if "mapping values are not allowed" in problem:
        return 'A value with a colon must be quoted: `title: "One: two"`.'
    if "control characters" in problem:
        return "Write control characters as escapes in double quotes."
    if "unexpected end of stream" in problem:
        return "A quote is opened and never closed."
    if "flow" in (error.context or ""):
        return "A value that begins with [ or { must be closed by ] or }; where it is mere text, it must be quoted."
    return _QUOTE_HINT


def _is_retyped(text: str) -> bool:
    if text[:1].isalpha() and text[0] not in _RETYPED_INITIALS:
        return False
    return text.lower() in _RETYPED_WORDS or bool(_NUMERIC.fullmatch(text) or _DATE.fullmatch(text))


@lru_cache(maxsize=4096)
def _key(key: str) -> str:
    if not isinstance(key, str):
        raise InvalidInput(f"a key must be text: {key!r}")
    written = _string(key)
    if len(written) > _MAX_KEY:
        raise InvalidInput(f"a key is over {_MAX_KEY} characters")
    return written


def _string(text: str) -> str:
    if _PLAIN.fullmatch(text) and not _is_retyped(text) and not any(map(_is_hazard, text)):
        return str(text)
    if text.isascii() and text.isprintable():
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return '"' + "".join(map(_escaped, text)) + '"'


def _is_hazard(char: str) -> bool:
    return not char.isprintable() or char in BLANK_LETTERS or _is_selector(ord(char))


def _is_selector(point: int) -> bool:
    return 0xFE00 <= point <= 0xFE0F or 0xE0100 <= point <= 0xE01EF or 0x180B <= point <= 0x180F


@lru_cache(maxsize=4096)
def _escaped(char: str) -> str:
    if short := _SHORT_ESCAPES.get(char):
        return short
    if char == " " or not _is_hazard(char):
        return char
    point = ord(char)
    if 0xD800 <= point <= 0xDFFF:
        raise InvalidInput("text is not valid Unicode: half a surrogate pair", hint="Give the text as UTF-8.")
    if point <= 0xFF:
        return f"\\x{point:02X}"
    return f"\\u{point:04X}" if point <= 0xFFFF else f"\\U{point:08X}"


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_leaf(value: object) -> bool:
    return not isinstance(value, Mapping) and not _is_list(value)


def _flow(value: object) -> str:
    if isinstance(value, Mapping):
        return flow_mapping(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return scalar(value)


def _write_mapping(mapping: Mapping[str, object], indent: str, flow: frozenset[str], lines: list[str]) -> None:
    for key, value in mapping.items():
        _write_entry(f"{indent}{_key(key)}:", value, indent, flow, key in flow, lines)


def _write_entry(head: str, value: object, indent: str, flow: frozenset[str], one_line: bool, lines: list[str]) -> None:
    """`head` (a key or a dash) and its value, on the same line or indented below it."""
    if _is_leaf(value) or not value:
        lines.append(f"{head} {_flow(value)}")
    elif isinstance(value, Mapping):
        lines.append(head)
        _write_mapping(value, indent + "  ", flow, lines)
    elif isinstance(value, Sequence):
        short = _flow(value) if all(map(_is_leaf, value)) else ""
        if short and len(short) <= _FLOW_WIDTH:
            lines.append(f"{head} {short}")
            return
        lines.append(head)
        for item in value:
            _write_item(item, indent + "  ", flow, one_line, lines)


def _write_item(item: object, indent: str, flow: frozenset[str], one_line: bool, lines: list[str]) -> None:
    if isinstance(item, Mapping) and item and not one_line:
        start = len(lines)
        _write_mapping(item, indent + "  ", flow, lines)
        lines[start] = f"{indent}- {lines[start].lstrip(' ')}"
    elif _is_list(item) and item and not one_line:
        lines.append(f"{indent}- {_flow(item)}")
    else:
        lines.append(f"{indent}- {_flow(item)}")
