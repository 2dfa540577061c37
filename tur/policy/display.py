"""The one rule for showing stored text: what cannot be seen is made visible, and data cannot give orders.

Command line, app and prompt all show text of the store through this module. It changes what is
shown, never what is stored.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["control", "bidi", "invisible", "tag", "look-alike"]

_BIDI = frozenset([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_TAGS = range(0xE0000, 0xE0080)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co"})
_HIDDEN_LETTERS = frozenset([0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0])
_SELECTORS = frozenset([*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
# Unassigned, yet ignored by renderers; other unassigned characters are newer emoji and letters.
_IGNORED = frozenset([0x2065, *range(0xFFF0, 0xFFF9), *range(0xE0000, 0xE1000)])
_NAMES = {
    0x00: "NULL",
    0x07: "BELL",
    0x08: "BACKSPACE",
    0x0B: "LINE TABULATION",
    0x0C: "FORM FEED",
    0x0D: "CARRIAGE RETURN",
    0x1B: "ESCAPE",
    0x7F: "DELETE",
    0x85: "NEXT LINE",
    0x9B: "CONTROL SEQUENCE INTRODUCER",
    0x9D: "OPERATING SYSTEM COMMAND",
}

_EMOJI = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff][\U0001f3fb-\U0001f3ff]?\ufe0f?"
)
_JOINING_SCRIPTS = (
    "\u0620-\u06ff\u0700-\u07ff\u0860-\u086f\u08a0-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff"
    "\u1800-\u180a\u1810-\u18af\ua840-\ua87f\ua8e0-\ua8ff\ufb50-\ufdff\ufe70-\ufefc"
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_ALLOWED = re.compile(
    "(?:\U0001f3f4\U000e0067\U000e0062(?:"
    "\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
    f"|{_EMOJI}(?:\u200d{_EMOJI}){{0,9}}"
    "|[0-9#*]\ufe0f\u20e3"
    f"|(?<=[{_JOINING_SCRIPTS}])[\u200c\u200d](?![\u200c\u200d])"
    f"|[{_HAN}][\U000e0100-\U000e01ef])"
)
_NEEDS_CONTEXT = re.compile("[\u200c\u200d\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]")


@dataclass(frozen=True, slots=True)
class Hidden:
    """One character that a reader would not see, or take for another. `offset` counts characters from 0."""

    offset: int
    code_point: int
    name: str
    kind: Kind


def visible(text: str, *, multiline: bool = True) -> str:
    """The text with everything that a screen would obey or hide written out, as `<U+202E>` or `␛`.

    Covers control, bidi, zero-width, tag and private characters, lone surrogates and strange
    line breaks. A tab is four spaces. With `multiline` CRLF counts as a line break and LF stays;
    without it no line break is left. What scripts and emoji need stays: joiners in emoji
    sequences and after Arabic and Indic letters, emoji presentation, the three real flags made of tags.
    """
    if multiline:
        text = text.replace("\r\n", "\n")
    table = _MULTILINE if multiline else _SINGLE_LINE
    if text.isascii() or not _NEEDS_CONTEXT.search(text):
        return text.translate(table)
    pieces: list[str] = []
    end = 0
    for match in _ALLOWED.finditer(text):
        pieces += (text[end : match.start()].translate(table), match[0])
        end = match.end()
    pieces.append(text[end:].translate(table))
    return "".join(pieces)


def hidden_characters(text: str) -> list[Hidden]:
    """What `visible` would write out, in order; tabs and ordinary line breaks are not hidden."""
    if text.isascii() and text.isprintable():
        return []
    return list(_hidden(text))


def one_line(text: str, width: int) -> str:
    """The text on one line of at most `width` terminal cells, ending in `…` when it was cut."""
    line = visible(" ".join(re.split("[ \t\r\n]+", text)).strip(), multiline=False)
    if line.isascii() and len(line) <= width:
        return line
    cells = 0
    fits = 0
    for at, char in enumerate(line):
        cells += _cells(char)
        if cells > width:
            return line[:fits].rstrip() + "…" if width > 0 else ""
        if cells <= width - 1:
            fits = at + 1
    return line


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 note`, `2,000 notes`; `many` where it is not `one` and an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def as_prompt_data(text: str) -> str:
    """Stored text as an item of a prompt's list, so that it can only be read, never obeyed as structure.

    Hidden characters are written out; a heading, underline, fence, list, quote or tag loses its
    meaning by a backslash; lines after the first are indented by two spaces. Ordinary text of
    one line is unchanged. The same text always gives the same answer.
    """
    lines = visible(_TAG.sub(_escape_tag, text)).split("\n")
    inert = [_LINE_START.sub(r"\1\\\2", line, count=1) for line in lines]
    inert = [_NUMBERED.sub(r"\1\\\2", line, count=1) for line in inert]
    return "\n".join([inert[0], *(f"  {line}" if line.strip() else "" for line in inert[1:])])


def instruction_like(text: str) -> list[str]:
    """Names of the ways in which a text reads like an order to a model; empty for ordinary text.

    A hint for reviewers, not a filter: nothing is refused because of it.
    """
    plain = " ".join("".join(char for char in text if not _is_hidden(char) or char in "\t\n\r").split())
    return [name for name, pattern in _INSTRUCTIONS if pattern.search(plain)]


class _Visible(dict[int, str]):
    """A table for str.translate that learns each character at its first use."""

    def __missing__(self, point: int) -> str:
        char = chr(point)
        shown = f"<U+{point:04X}>" if _is_hidden(char) else char
        if len(self) < 20_000:
            self[point] = shown
        return shown


_MULTILINE = _Visible({0x09: "    ", 0x0A: "\n", 0x1B: "␛"})
_SINGLE_LINE = _Visible({0x09: "    ", 0x1B: "␛"})

_TAG = re.compile(r"(?<!\\)(\\*)<(?=[A-Za-z/!?])")
_LINE_START = re.compile(r"^([ \t]*)(#|>|[-*+](?=[ \t]|$)|`{3}|~{3}|=+[ \t]*$|-{2,}[ \t]*$|(?:[-*_][ \t]*){3,}$)")
_NUMBERED = re.compile(r"^([ \t]*\d{1,9})([.)](?:[ \t]|$))")

_INSTRUCTIONS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "ignores earlier instructions",
            r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|these|the)\b"
            r".{0,40}\b(?:instructions?|rules?|prompts?|messages?|directives?|guidelines?|polic(?:y|ies)|covenants?)\b",
        ),
        (
            "poses as a system message",
            r"(?:^|[\s\"'`(\[<])(?:system|developer|assistant)(?: message| prompt)?\s?:|<\s?/?\s?(?:system|"
            r"assistant|user|instructions?|tool_result|system-reminder)\b|\[/?(?:INST|SYSTEM)\]|<\|im_(?:start|end)\|>|<<SYS>>",
        ),
        (
            "waives approval",
            r"\b(?:approval|confirmation|permission|review|consent)s? (?:is|are|was) (?:not|no longer|never) "
            r"(?:needed|required|necessary)\b|\b(?:no|without|skip(?:ping)?|don'?t (?:need|ask for)|"
            r"do not (?:need|ask for)) (?:any |the |human |further |asking for )*"
            r"(?:approval|confirmation|permission|consent)\b"
            r"|\b(?:is|are|been|already|auto(?:matically)?)[ -]?(?:pre-?)?approved\b",
        ),
        (
            "orders the model",
            r"\b(?:you|the (?:agent|model|assistant|ai)) (?:must|shall|will|have to|are (?:required|instructed|ordered)"
            r" to) (?:now|always|never|immediately|henceforth|from now on)\b|\bfrom now on,? (?:you|always|never)\b",
        ),
        (
            "gives a new role",
            r"\byou are (?:now|no longer)\b|\b(?:act|behave) as (?:if you|an? (?:unrestricted|admin))\b",
        ),
        (
            "asks for secrecy",
            r"\b(?:do not|don'?t|never) (?:tell|inform|mention|reveal|show|report)\b.{0,40}\b(?:user|human|architect|"
            r"steward|operator|anyone)\b",
        ),
        (
            "asks to store an order",
            r"\b(?:store|save|remember|record|memori[sz]e|note) (?:this |it |that )?(?:as (?:an? )?"
            r"(?:axiom|rule|core|fact)|that (?:approval|permission|review|you))\b",
        ),
        (
            "asks to reveal secrets",
            r"\b(?:print|reveal|output|send|show|exfiltrate|upload|post)\b.{0,40}\b(?:system prompt|secrets?|"
            r"credentials?|api[ _-]?keys?|passwords?|tokens?|environment variables)\b",
        ),
        ("runs a download", r"\b(?:curl|wget)\b[^|\n]{0,200}\|\s?(?:sudo )?(?:ba|z)?sh\b"),
    )
)


def _hidden(text: str) -> Iterator[Hidden]:
    end = 0
    for match in _ALLOWED.finditer(text):
        yield from _hidden_between(text, end, match.start())
        end = match.end()
    yield from _hidden_between(text, end, len(text))


def _hidden_between(text: str, start: int, end: int) -> Iterator[Hidden]:
    for offset in range(start, end):
        char = text[offset]
        if char in "\t\n" or (char == "\r" and text[offset + 1 : offset + 2] == "\n"):
            continue
        if _is_hidden(char):
            yield Hidden(offset, ord(char), _name(char), _kind(char))


def _is_hidden(char: str) -> bool:
    point = ord(char)
    if 0x20 <= point < 0x7F:
        return False
    if unicodedata.category(char) in _HIDDEN_CATEGORIES:
        return True
    return point in _HIDDEN_LETTERS or point in _SELECTORS or point in _IGNORED or point & 0xFFFE == 0xFFFE


def _kind(char: str) -> Kind:
    point = ord(char)
    if point in _BIDI:
        return "bidi"
    if point in _TAGS:
        return "tag"
    return "control" if unicodedata.category(char) == "Cc" else "invisible"


def _name(char: str) -> str:
    point = ord(char)
    if named := _NAMES.get(point) or unicodedata.name(char, ""):
        return named
    kinds = {"Cc": "CONTROL CHARACTER", "Co": "PRIVATE USE CHARACTER", "Cs": "LONE SURROGATE"}
    return kinds.get(unicodedata.category(char), "UNASSIGNED CHARACTER")


def _cells(char: str) -> int:
    if char < "\x7f":
        return 1
    if char in "\u200c\u200d" or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _escape_tag(match: re.Match[str]) -> str:
    return match[1] * 2 + "\\<"
