"""Plain text work of the offline engine: sentences, terms, language, and what an atemporal memory sheds."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime

from tur.dreaming.offline import lexicon
from tur.policy.display import hidden_characters

MONTHS = (
    "january february march april may june july august september october november december".split(),
    "januar februar märz april mai juni juli august september oktober november dezember".split(),
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
    "jan feb mar apr may jun jul aug sep oct nov dec".split(),
)
READ = 3_000
"""Characters of a note that are read. What a milestone has to say stands at its beginning."""
_SENTENCE = 700

_STOP = {language: frozenset(words.split()) for language, words in lexicon.STOPWORDS.items()}
_ALL_STOP = frozenset().union(*_STOP.values())

_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|z\.\s?B|d\.\s?h|bzw|ca|vs|etc|approx|resp|Nr|No|St|Dr|Mr|Ms|p\.\s?ej|usw|evtl|ggf|incl|inkl|min|max|sec|fig|v|\d+)\.$",
    re.I,
)
_BULLET = re.compile(r"^\s*(?:[-*•–—·▪◦>#]+|\d{1,2}[.)])\s+")
_BREAK = re.compile(r"(?<=[.!?…])\s+")
_CODE = re.compile(r"`[^`\n]*`|https?://\S+|\w+\([^)\s]*\)|\b\w+(?:_\w+)+\b")
_WORD = re.compile(r"[^\W_][\w.+#@-]*[^\W_]|[^\W_]|[\U0001F300-\U0001FAFF\U0001F1E6-\U0001F1FF]")
_LINE_BREAK = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_CONTROL = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?")
_EMOJI = "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u231a-\u23ff\ufe0f\u200d\u20e3\U0001f1e6-\U0001f1ff]"
_LEADING_EMOJI = re.compile(rf"(?:{_EMOJI}|[‼⁉]|\s)*")
_EDGE_EMOJI = re.compile(rf"^(?:{_EMOJI}|\s|[‼⁉])+|(?:{_EMOJI}|\s|[‼⁉])+$")
_DECORATION = re.compile("[✅🎯✨🎉🚀⏳🔥💥🙌👏👍🎊💪⌨🏁☕🌟⭐]\ufe0f?")
_NOTEWORTHY = re.compile(
    r"^(?:it\s+is\s+worth\s+(?:writing\s+down|noting|knowing|remembering)(?:\s*:|\s+that)|(?:please\s+)?note(?:\s*:|\s+that)|worth\s+(?:knowing|noting)\s*:|for\s+the\s+record[,:]|good\s+to\s+know\s*:|"
    r"wissenswert\s*:|zu\s+merken\s*:|conviene\s+saber\s+que|à\s+noter\s*:|it\s+turned\s+out\s+that|we\s+found\s+(?:out\s+)?that|I\s+found\s+(?:out\s+)?that)\s+",
    re.IGNORECASE,
)
_ASIDE_IN = re.compile(
    r"^(?:unrelated|separate|side)\s+(?:finding|note|bug|observation|issue)\s+(?:in|about|on|from)\s+(`[^`]+`|[\w.()/-]+)\s*:\s*",
    re.IGNORECASE,
)
_SUFFIXES = (
    "ations",
    "ation",
    "ments",
    "ment",
    "ungen",
    "ungs",
    "ung",
    "ings",
    "ing",
    "ities",
    "ity",
    "ies",
    "ied",
    "edly",
    "ed",
    "ern",
    "est",
    "ers",
    "er",
    "en",
    "em",
    "es",
    "ado",
    "ada",
    "ado",
    "ción",
    "iones",
    "ées",
    "ée",
    "és",
    "ly",
    "as",
    "os",
    "al",
    "e",
    "s",
    "n",
    "a",
    "o",
)


def clean(text: str) -> str:
    """NFC text without terminal escapes and what a reader would not see; emoji and line breaks stay."""
    text = _LINE_BREAK.sub("\n", _CONTROL.sub("", _head(text, READ)))
    text = unicodedata.normalize("NFC", text).replace("\t", " ")
    hidden = {one.offset for one in hidden_characters(text)}
    return "".join(char for offset, char in enumerate(text) if offset not in hidden)


def _head(text: str, limit: int) -> str:
    """The text up to the last white space before `limit`, so that no token is cut in two."""
    if len(text) <= limit:
        return text
    end = max((i for i in range(limit, 0, -1) if text[i].isspace()), default=0)
    return text[:end]


def sentences(text: str) -> list[str]:
    """The sentences and bullets of a note, in order, without bullet marks."""
    found: list[str] = []
    for line in text.split("\n"):
        line = _BULLET.sub("", line).strip()
        pending = ""
        for part in _BREAK.split(line):
            pending = f"{pending} {part}".strip() if pending else part.strip()
            if pending and not _ABBREVIATION.search(pending[-12:]):
                found.append(_head(pending, _SENTENCE))
                pending = ""
        if pending:
            found.append(_head(pending, _SENTENCE))
    return [s for s in found if any(c.isalnum() for c in s) or re.search(_EMOJI, s)]


def mask(text: str) -> str:
    """The text with code, identifiers and URLs replaced, so that cue words in them do not count."""
    return _CODE.sub("⟦⟧", text)


def codes(text: str) -> list[str]:
    """Code spans and identifiers of the text, in order."""
    return [m.group(0).strip("`") for m in _CODE.finditer(text)]


def undecorated(sentence: str) -> str:
    """A sentence as its cues are looked for: without emoji at its edges and without mere decoration."""
    return _EDGE_EMOJI.sub("", _DECORATION.sub("", sentence)).strip()


def without_lead_in(sentence: str) -> str:
    """A sentence without its chat-like opening ("Reason found:", "user:"); emoji before that stay."""
    mark = leading_emoji(sentence)
    return mark + _without_lead_in(sentence.removeprefix(mark))


def leading_emoji(text: str) -> str:
    """The emoji that a text begins with, and the blanks around them; "" when it begins with something else."""
    found = _LEADING_EMOJI.match(text)
    return found[0] if found and found[0].strip() else ""


def _without_lead_in(sentence: str) -> str:
    aside = _ASIDE_IN.match(sentence)
    if aside:
        return f"{aside.group(1)}: {sentence[aside.end() :]}"
    sentence = _NOTEWORTHY.sub("", sentence, count=1)
    for _ in range(2):
        shorter = lexicon.LEAD_IN.sub("", sentence, count=1)
        if shorter == sentence or not shorter.strip():
            break
        sentence = shorter
    return capitalised(sentence.strip())


def noteworthy(sentence: str) -> bool:
    """True for a sentence that announces itself as a lasting finding ("It is worth noting that")."""
    return _NOTEWORTHY.match(sentence) is not None


def capitalised(sentence: str) -> str:
    """First letter in upper case, unless the sentence opens with an identifier."""
    first = sentence.split(" ", 1)[0]
    if first and first[0].islower() and first[1:].islower() and first.isalpha():
        return sentence[0].upper() + sentence[1:]
    return sentence


def language(texts: Iterable[str]) -> str:
    """Most likely of en, de, es and fr, by function words; en when nothing speaks for another."""
    counts = dict.fromkeys(_STOP, 0)
    for text in texts:
        for word in re.findall(r"[^\W\d_]+", text.casefold()):
            for name, stop in _STOP.items():
                counts[name] += word in stop
    best = max(counts.values())
    return next(name for name, count in counts.items() if count == best)


def stem(word: str) -> str:
    """A crude stem, the same for inflections of one word in most cases."""
    if any(c.isdigit() for c in word):
        return word
    for suffix in _SUFFIXES:
        if len(word) - len(suffix) >= 4 and word.endswith(suffix):
            return word[: -len(suffix)]
    return word


def terms(text: str) -> frozenset[str]:
    """Stems of the content words; identifiers count whole and by their parts."""
    found: set[str] = set()
    for match in _WORD.finditer(text.casefold()):
        word = match.group(0)
        parts = [p for p in re.split(r"[^\w]+|_", word) if p]
        for piece in {word, *parts}:
            if piece in _ALL_STOP or (len(piece) < 3 and piece.isascii() and not piece.isupper()):
                continue
            found.add(stem(piece))
    return frozenset(found)


def content_words(text: str) -> int:
    """How many words carry content."""
    return sum(1 for w in re.findall(r"[^\W_]{3,}", text.casefold()) if w not in _ALL_STOP)


class Shedding:
    """What an atemporal memory of one session must not carry: its dates, its clock times, its authors."""

    def __init__(self, moments: Sequence[datetime], authors: Iterable[str]) -> None:
        days = sorted({m.date() for m in moments})
        shapes: set[str] = set()
        for day in days:
            y, m, d = day.year, day.month, day.day
            shapes |= {
                rf"{y}-{m:02}-{d:02}(?![\w-])",
                rf"{y}/{m:02}/{d:02}",
                rf"{y}{m:02}{d:02}",
                rf"0?{d}\.\s?0?{m}\.(?:\s?{y})?",
                rf"0?{d}/0?{m}/{y}",
                rf"0?{m}/0?{d}/{y}",
            }
            for names in MONTHS:
                name = names[m - 1]
                shapes |= {
                    rf"{d}(?:st|nd|rd|th|er)?\.?\s+(?:of\s+|de\s+)?{name}\.?(?:,?\s+(?:de\s+)?{y})?",
                    rf"{name}\.?\s+{d}(?:st|nd|rd|th)?(?:,?\s+{y})?",
                }
        date = "|".join(sorted(shapes, key=lambda s: (-len(s), s))) or r"(?!)"
        times = "|".join(sorted({m.strftime("%H:%M") for m in moments})) or r"(?!)"
        joint = r"(?:(?:,?\s*(?:on|at|am|um|vom|el|le|du|del|den|dated|as\s+of|à|a\s+las)\s+)(?:the\s+)?)?"
        self._stamp = re.compile(
            r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?\s?(?:Z|UTC|[+-]\d\d:?\d\d)?", re.IGNORECASE
        )
        self._date = re.compile(rf"(?<!\w)\(?{joint}(?<![\w.-])(?:{date})(?!\w)\)?", re.IGNORECASE)
        self._time = re.compile(
            rf"(?<!\w)\(?{joint}(?<![\w:.])(?:{times})(?::\d\d)?(?!\d)(?:\s?(?:UTC|Uhr|h|CES?T|Z)\b)?\)?", re.IGNORECASE
        )
        self._today = re.compile(
            r"(?<!\w),?\s*(?:earlier\s+)?(?:today|this\s+(?:morning|afternoon|evening)|tonight|yesterday|just\s+now|heute(?:\s+(?:morgen|früh|abend))?|gestern|esta\s+mañana|ayer|aujourd['’]hui|ce\s+matin|hier\s+soir)(?!['’\w])",
            re.IGNORECASE,
        )
        names = sorted({re.escape(a) for a in authors if len(a) >= 4}, key=lambda a: (-len(a), a))
        short = sorted({re.escape(a) for a in authors if 0 < len(a) < 4})
        whole = "|".join(names) or r"(?!)"
        brief = "|".join(short) or r"(?!)"
        self._author = re.compile(
            rf"(?<![\w-])(?:(?:by|from|with|von|mit|de|por|par|per|cc|thanks\s+to|and)\s+)?@?(?:{whole})(?P<own>['’]s?)?(?![\w-])(?:\s*:\s*)?|(?<![\w-])@(?:{brief})(?![\w-])|(?<![\w-])(?:by|from)\s+(?:{brief})(?=\s*[.,;:)]|$)",
            re.IGNORECASE)  # fmt: skip

    def authors(self, text: str) -> str:
        """The text without names of the session's authors."""
        shorter = self._author.sub(lambda m: "the " if m.group("own") else "", text)
        return text if shorter == text else _tidy(shorter)

    def all(self, text: str, *, today: bool = True) -> str:
        """The text without the session's dates and times, ISO time stamps and author names."""
        shorter = text
        for pattern in (self._stamp, self._date, self._time, *((self._today,) if today else ())):
            shorter = pattern.sub("", shorter)
        return self.authors(text if shorter == text else _tidy(shorter))


def _tidy(text: str) -> str:
    mark = leading_emoji(text)
    text = mark + re.sub(r"^[\s,;:.)–—-]+(?=\w)", "", text.removeprefix(mark))
    text = re.sub(r"\s+([,.;:!?)](?:\s|$))", r"\1", text)
    return re.sub(r"\s+", " ", text).strip()


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters, cut at a word and closed with an ellipsis."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip(" ,;:-–(") + "…"
