"""How near two core memories are in what they say, and what that means for a decision. Pure.

Words decide, whatever their case and the marks between them. The cost grows with the length of the
texts alone, so that no text can make a review slow.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from tur.ids import short_id
from tur.model.memory import Core, Memory

SIMILAR = 0.8
"""From which likeness (0 to 1) two core memories are called near-identical."""

OVERLAP = 0.5
"""From which likeness two core memories are called overlapping."""

NEAREST = 3
"""How many neighbours a review shows."""

_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+(?:'[^\W_]+)*"
)
_ARTICLES = frozenset({"a", "an", "the"})
_NEGATIONS = frozenset({"not", "no", "never", "none", "nothing", "nobody", "nowhere", "neither", "nor", "without"})
_SPLIT = {"cannot": ("can", "not"), "can't": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not")}
_NUMBERS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
_OPPOSITES = (
    *(("always", "never"), ("before", "after"), ("first", "last"), ("more", "less"), ("with", "without")),
    *(("all", "none"), ("everything", "nothing"), ("everyone", "nobody"), ("on", "off"), ("true", "false")),
    *(("allow", "forbid"), ("accept", "refuse"), ("include", "exclude"), ("enable", "disable"), ("keep", "delete")),
    *(("must", "may"), ("public", "private"), ("minimum", "maximum"), ("least", "most"), ("above", "below")),
)
_PAIR = {word: at for at, pair in enumerate(_OPPOSITES) for word in pair}


class Verdict(StrEnum):
    """What one core memory means to another one that is approved."""

    SAME = "same"
    CONTRADICTS = "contradicts"
    OVERLAPS = "overlaps"
    APART = "apart"


@dataclass(frozen=True, slots=True)
class Near:
    """An approved core memory beside one that awaits a decision. `why` says what the two disagree on."""

    memory: Memory
    score: float
    verdict: Verdict
    why: str = ""

    @property
    def told(self) -> str:
        """The verdict in words, without what to do about it; "" when there is nothing to say."""
        name = short_id(self.memory.id)
        match self.verdict:
            case Verdict.SAME:
                return f"says the same as {name}"
            case Verdict.CONTRADICTS:
                return f"contradicts {name}: {self.why}"
            case Verdict.OVERLAPS:
                return f"overlaps {name}"
            case Verdict.APART:
                return ""


def nearest(memory: Memory, approved: Iterable[Memory], most: int = NEAREST) -> list[Near]:
    """The nearest of the approved core memories, what says the same or the contrary before all others."""
    mine = memory.core
    if mine is None:
        return []
    found = [judge(mine, one) for one in approved if one.id != memory.id and one.core is not None]
    loud = (Verdict.SAME, Verdict.CONTRADICTS)
    return sorted(found, key=lambda near: (near.verdict not in loud, -near.score, near.memory.id))[:most]


def judge(mine: Core, other: Memory) -> Near:
    """What a principle and covenant mean beside those of another core memory."""
    theirs = other.core
    if theirs is None:
        return Near(other, 0.0, Verdict.APART)
    score = likeness(mine, theirs)
    ours, others = _fields(mine), _fields(theirs)
    if ours == others:
        return Near(other, score, Verdict.SAME)
    reasons = (_contradiction(one, two) for one, two in zip(ours, others, strict=True))
    why = next((reason for reason in reasons if reason is not None), None)
    if why is not None:
        return Near(other, score, Verdict.CONTRADICTS, why)
    return Near(other, score, Verdict.OVERLAPS if score >= OVERLAP else Verdict.APART)


def likeness(one: Core, other: Core) -> float:
    """How much of what two core memories say is said by both: 0 for nothing, 1 for the same words in the same order."""
    return _share(_fields(one), _fields(other))


def _fields(core: Core) -> list[list[str]]:
    return [_words(core.derived_principle), _words(core.ethical_covenant)]


def _words(text: str) -> list[str]:
    """The words that count, with shortened negations written out and small numbers as figures."""
    words: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")):
        if word in _SPLIT:
            words += _SPLIT[word]
        elif word.endswith("n't") and len(word) > 3:
            words += (word[:-3], "not")
        elif word not in _ARTICLES:
            words.append(_NUMBERS.get(word, word))
    return words


def _share(mine: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]]) -> float:
    """The share of words, and of neighbouring pairs of words, that two texts have in common (Dice)."""
    if mine == theirs:
        return 1.0
    one, other = _grams(mine), _grams(theirs)
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def _grams(fields: Sequence[Sequence[str]]) -> Counter[tuple[str, ...]]:
    grams: Counter[tuple[str, ...]] = Counter()
    for words in fields:
        grams.update((word,) for word in words)
        grams.update(pairwise(words))
    return grams


def _contradiction(mine: list[str], theirs: list[str]) -> str | None:
    """Why two sentences that are otherwise near-identical cannot both hold, or None."""
    if mine == theirs:
        return None
    paired = _share([_by_pair(mine)], [_by_pair(theirs)]) >= SIMILAR
    for one, other in ((mine, theirs), (theirs, mine)) if paired else ():
        for first, second in _OPPOSITES:
            there = first in one and second in other
            if there and first not in other and second not in one:
                words = (first, second) if one is mine else (second, first)
                return f"“{words[0]}” against “{words[1]}”"
    ours, others = _numbers(mine), _numbers(theirs)
    if ours and others and ours != others and _share([_blanked(mine)], [_blanked(theirs)]) >= SIMILAR:
        first, second = min((ours - others) or ours), min((others - ours) or others)
        return f"{first} against {second}"
    positive, negative = _positive(mine), _positive(theirs)
    odd = (len(mine) - len(positive) + len(theirs) - len(negative)) % 2 == 1
    if odd and positive and _share([positive], [negative]) >= SIMILAR:
        return "one of the two says not"
    return None


def _by_pair(words: list[str]) -> list[str]:
    return [f"pair {_PAIR[word]}" if word in _PAIR else word for word in words]


def _numbers(words: list[str]) -> Counter[str]:
    return Counter(word for word in words if word[0].isdigit())


def _blanked(words: list[str]) -> list[str]:
    return ["#" if word[0].isdigit() else word for word in words]


def _positive(words: list[str]) -> list[str]:
    return [word for word in words if word not in _NEGATIONS]
