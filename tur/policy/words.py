"""What changed between two texts, word by word. Owns the highlight of `tur diff`; knows nothing of colour."""

import re
from difflib import SequenceMatcher
from typing import Literal

from tur.policy.budget import byte_size

Op = Literal["same", "old", "new"]
Segment = tuple[Op, str]

LIMIT = 8_192
"""Longest text, in UTF-8 bytes, that is compared by words; a longer one is shown as replaced whole."""

_COMPARISONS = 40_000
"""Most pairs of equal words that the matcher may have to look at: 200 times the same word on both sides."""

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def word_diff(old: str, new: str) -> list[Segment]:
    """Segments in reading order; `same` and `old` joined give the old text, `same` and `new` the new one.

    Texts beyond LIMIT, and those that repeat a word so often that comparing would be slow, come
    back as one old and one new segment.
    """
    if old == new:
        return [("same", old)] if old else []
    before, after = _WORD.findall(old), _WORD.findall(new)
    if _too_long(old) or _too_long(new) or _pairs(before, after) > _COMPARISONS:
        whole: list[Segment] = [("old", old), ("new", new)]
        return [segment for segment in whole if segment[1]]
    segments: list[Segment] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(str.isspace, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            segments.append(("same", "".join(before[i1:i2])))
            continue
        if i1 < i2:
            segments.append(("old", "".join(before[i1:i2])))
        if j1 < j2:
            segments.append(("new", "".join(after[j1:j2])))
    return segments


def block_diff(old: str, new: str) -> list[list[Segment]]:
    """Blocks of whole lines in reading order: one `same` segment, or the segments of lines that differ.

    All segments joined give the texts as those of `word_diff` do; its limits hold for each block.
    """
    before, after = _LINE.findall(old), _LINE.findall(new)
    if _pairs(before, after) > _COMPARISONS:
        return [word_diff(old, new)] if old or new else []
    blocks: list[list[Segment]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(str.isspace, before, after, autojunk=False).get_opcodes():
        there, here = "".join(before[i1:i2]), "".join(after[j1:j2])
        blocks.append([("same", there)] if tag == "equal" else word_diff(there, here))
    return blocks


def _too_long(text: str) -> bool:
    return len(text) > LIMIT or byte_size(text) > LIMIT


def _pairs(before: list[str], after: list[str]) -> int:
    """How many pairs of equal words there are, which is what one pass of the matcher costs."""
    times: dict[str, int] = {}
    for word in before:
        if word.isspace():  # junk to the matcher: costs nothing, and no match begins with it
            continue
        times[word] = times.get(word, 0) + 1
    return sum(times.get(word, 0) for word in after)
