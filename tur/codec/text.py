"""What text may enter the store, and how text is made comparable. It owns no file format."""

import re
import unicodedata

from tur.errors import InvalidInput

MAX_TEXT_BYTES = 65536
"""Longest text of one note or memory, in bytes of UTF-8."""

LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""Every character that some reader takes for the end of a line."""

BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that count as letters, marks or symbols, and show nothing."""

_BREAKS = re.compile("\r\n|[\r\x85\u2028\u2029]")
_LEADING = re.compile(r"[\s\ufeff]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def check_text(text: str, what: str, *, limit: int = MAX_TEXT_BYTES, one_line: bool = False) -> str:
    """The text, unchanged, when the store may keep it; `what` names it in the message.

    `limit` is in bytes of UTF-8. Raises InvalidInput for text that shows nothing, holds NUL or
    half a surrogate pair (undecodable bytes of a command line arrive so), is over the limit, or
    with `one_line` holds anything that some reader takes for a line break.
    """
    if "\0" in text:
        raise InvalidInput(f"{what} holds a NUL character", hint="Remove it: text of the store is UTF-8 without NUL.")
    if broken := _SURROGATE.search(text):
        raise InvalidInput(
            f"{what} is not valid Unicode: half a surrogate pair at character {broken.start() + 1}",
            hint="Give the text as UTF-8.",
        )
    size = len(text.encode("utf-8"))
    if size > limit:
        raise InvalidInput(
            f"{what} is too long: {size:,} bytes, and the limit is {limit:,}",
            hint="Nothing was kept. Shorten it, or split it in several.",
            size=size,
            limit=limit,
        )
    if not any(map(_shows, text)):
        raise InvalidInput(f"{what} is empty", hint=f"Give a text of 1 to {limit:,} bytes that can be seen.")
    if one_line and (found := next((char for char in text if char in LINE_BREAKS), None)):
        raise InvalidInput(
            f"{what} must be one line, and holds a line break (U+{ord(found):04X})", hint="Join the lines."
        )
    return text


def normalise(text: str) -> str:
    """The form of a text that is hashed, so that editors and systems do not change an id.

    NFC; every kind of line break is LF; byte order marks in front and whitespace around are
    dropped. What is stored and shown is never this form, always the text as it was given.
    """
    composed = unicodedata.normalize("NFC", _BREAKS.sub("\n", text))
    leading = _LEADING.match(composed)
    return composed[leading.end() if leading else 0 :].rstrip()


def _shows(char: str) -> bool:
    if char in BLANK_LETTERS or char.isspace():
        return False
    # A variation selector or another lone mark shows nothing without a base.
    return unicodedata.category(char) not in {"Cc", "Cf", "Mn", "Me"}
