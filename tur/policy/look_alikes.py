"""Letters that stand in for Latin ones, as a Cyrillic o in `ignore` does: a reader takes them for what they are not.

Which letter looks like which is from the Unicode consortium's confusables (UTS #39), as confusable-homoglyphs has them.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from tur.policy.display import Hidden, hidden_characters

_WORD = re.compile(r"[^\W\d_]{2,}")


def deceptive_characters(text: str) -> list[Hidden]:
    """What a reader would not see, or take for another character, in the order of the text."""
    return sorted(hidden_characters(text) + look_alikes(text), key=lambda one: one.offset)


def deceptions(texts: Mapping[str, str]) -> list[str]:
    """Each deceptive character of these named texts, with its place: `principle, character 3: <U+202E> … (bidi)`."""
    return [
        f"{name}, character {one.offset + 1}: <U+{one.code_point:04X}> {one.name} ({one.kind})"
        for name, text in texts.items()
        for one in deceptive_characters(text)
    ]


def look_alikes(text: str) -> list[Hidden]:
    """The letters that pose as Latin ones.

    A word is under suspicion when every letter of another script in it could be a Latin one. It poses when it has
    Latin letters too, or when the text has no letter which shows that it is written in that script. So Russian is
    what it is, and so are words half Latin with an ending of its own, and a single Greek letter as in a formula.
    """
    if text.isascii():
        return []
    words = [(match.start(), match[0]) for match in _WORD.finditer(text) if not match[0].isascii()]
    genuine = {_script(char) for _, word in words for char in word if _is_foreign(char) and _twin(char) is None}
    found = []
    for start, word in words:
        foreign = [(start + at, char) for at, char in enumerate(word) if _is_foreign(char)]
        if any(_twin(char) is None for _, char in foreign):
            continue
        if len(foreign) < len(word) or not genuine.intersection(_script(char) for _, char in foreign):
            found += [
                Hidden(at, ord(char), f"{unicodedata.name(char)}, LIKE {_twin(char)}", "look-alike")
                for at, char in foreign
            ]
    return found


def written_out(text: str) -> str:
    """The text with each of its look-alikes as `<U+043E>`."""
    chars = list(text)
    for one in look_alikes(text):
        chars[one.offset] = f"<U+{one.code_point:04X}>"
    return "".join(chars)


def _is_foreign(char: str) -> bool:
    return not char.isascii() and _script(char) != "LATIN"


@cache
def _script(char: str) -> str:
    """The script as the first word of a letter's name says it."""
    return unicodedata.name(char, "").partition(" ")[0]


@cache
def _twin(char: str) -> str | None:
    """The letter of ASCII that a character looks like."""
    from confusable_homoglyphs import confusables  # It reads a megabyte of tables: only for text that needs it.

    found = confusables.is_confusable(char, preferred_aliases=["latin"])
    twins = [one["c"] for one in found[0]["homoglyphs"]] if found else []
    return next((twin for twin in twins if len(twin) == 1 and twin.isascii() and twin.isalpha()), None)
