"""Words the memories: one text of cause and effect for an arc, one plain text for a single note."""

import re
from collections.abc import Sequence

from tur.dreaming.offline import lexicon
from tur.dreaming.offline import text as plain
from tur.dreaming.offline.reading import Reading, Role

LONGEST = 780
"""Characters of a memory's content, at most."""
_TITLE = 80

_LABELS = {
    "en": {Role.CAUSE: "Cause", Role.FIX: "Remedy", Role.EFFECT: "Effect"},
    "de": {Role.CAUSE: "Ursache", Role.FIX: "Abhilfe", Role.EFFECT: "Wirkung"},
    "es": {Role.CAUSE: "Causa", Role.FIX: "Solución", Role.EFFECT: "Efecto"},
    "fr": {Role.CAUSE: "Cause", Role.FIX: "Remède", Role.EFFECT: "Effet"},
}
_WITHDRAWN = {
    "en": "An earlier reading (topics: {}) was withdrawn as wrong and is not to be relied on.",
    "de": "Eine frühere Deutung (Stichworte: {}) wurde als falsch zurückgezogen und gilt nicht.",
    "es": "Una lectura anterior (temas: {}) fue retirada como falsa y no es válida.",
    "fr": "Une lecture antérieure (sujets : {}) a été retirée comme fausse et n'est pas valable.",
}
_ON = {"en": "On {}: {}", "de": "Am {}: {}", "es": "El {}: {}", "fr": "Le {} : {}"}
SECRET_WORDING = "a credential"
_PARTS = (Role.PROBLEM, Role.CAUSE, Role.FIX, Role.EFFECT)


def single(reading: Reading, shed: plain.Shedding) -> str:
    """The content of a memory that rests on one note and is no event."""
    today = not reading.authority
    told = [_finished(shed.all(s, today=today)) for s in _spoken(reading)]
    return _fitted([t for t in told if t])


def event(reading: Reading, shed: plain.Shedding, language: str) -> str:
    """The content of an event: the note, without authors, led by the day it was written."""
    day = f"{reading.note.at:%Y-%m-%d}"
    told = _fitted([_finished(shed.authors(s)) for s in _spoken(reading)])
    return told if day in told else _ON[language].format(day, told)


def arc(readings: Sequence[Reading], shed: plain.Shedding, language: str) -> str:
    """One text for the notes of an arc, in the order of cause and effect.

    A claim that the arc withdraws appears only as withdrawn, by its topics.
    """
    withdrawn = _withdrawn(readings)
    if withdrawn:
        return _corrected(readings, withdrawn, shed, language)
    parts: dict[Role, list[tuple[Reading, str]]] = {}
    role = Role.PROBLEM
    for reading in readings:
        role = _part(reading, role)
        for sentence in _spoken(reading):
            told = _finished(shed.all(sentence))
            if told:
                parts.setdefault(role, []).append((reading, told))
    texts = {r: [t for _, t in parts.get(r, [])] for r in _PARTS}
    _compress(texts, LONGEST - 40)
    labels = _LABELS[language]
    out: list[str] = []
    for r in _PARTS:
        if texts[r]:
            body = " ".join(texts[r])
            out.append(f"{labels[r]}: {body}" if r in labels and out else body)
    return plain.shortened(" ".join(out), LONGEST)


def title(content: str) -> str:
    """One line of at most 80 characters, from the first clause of the content."""
    line = re.split(r"(?<=[.!?])\s|[;\n]", content, maxsplit=1)[0].strip().rstrip(".;:,")
    return plain.shortened(line or content[:_TITLE], _TITLE)


def tags(readings: Sequence[Reading], said: str) -> list[str]:
    """Up to four identifiers of the notes that the content still names."""
    found: list[str] = []
    for reading in readings:
        for code in plain.codes(" ".join(reading.sentences)):
            if "://" in code or code.casefold() not in said.casefold():
                continue
            tag = re.sub(r"[^a-z0-9_-]+", "-", code.casefold()).strip("-_")
            if 3 <= len(tag) <= 30 and re.search("[a-z]", tag) and tag not in found:
                found.append(tag)
    return found[:4]


def _spoken(reading: Reading) -> list[str]:
    """Sentences without lead-ins, and without those that are of emoji alone."""
    out = []
    for sentence in reading.sentences:
        told = plain.without_lead_in(sentence)
        if told and any(c.isalnum() for c in told):
            out.append(told)
    return out


def _finished(sentence: str) -> str:
    sentence = plain.capitalised(sentence.strip(" ,;"))
    if not sentence or not any(c.isalnum() for c in sentence):
        return ""
    return sentence if sentence[-1] in ".!?…:" else f"{sentence}."


def _part(reading: Reading, reached: Role) -> Role:
    """The part of the text a note goes to; the parts only move forward, except that causes may follow."""
    role = reading.role
    if role in (Role.OPEN, Role.FACT, Role.RULE, Role.EVENT):
        return reached
    if role is Role.PROBLEM and reached in (Role.FIX, Role.EFFECT):
        return Role.EFFECT
    if role is Role.EFFECT and reached is Role.PROBLEM:
        return Role.PROBLEM
    return role


def _compress(texts: dict[Role, list[str]], limit: int) -> None:
    """Drop the longest-winded sentences until the text fits; every part keeps at least one."""

    def total() -> int:
        return sum(len(t) + 1 for part in texts.values() for t in part)

    while total() > limit:
        spare = [(r, i) for r, part in texts.items() if len(part) > 1 for i in range(len(part))]
        if not spare:
            break
        r, i = min(spare, key=lambda at: (_worth(texts[at[0]][at[1]]), -at[1]))
        del texts[r][i]
    if total() > limit:
        share = limit // max(1, sum(len(p) for p in texts.values()))
        for r, part in texts.items():
            texts[r] = [plain.shortened(t, max(share, 60)) for t in part]


def _worth(sentence: str) -> float:
    cues = (lexicon.CAUSE, lexicon.FIX, lexicon.PROBLEM, lexicon.EFFECT)
    masked = plain.mask(sentence)
    return (
        sum(1.0 for cue in cues if cue.search(masked))
        + 0.5 * min(3, len(plain.codes(sentence)))
        + min(12, plain.content_words(sentence)) / 8
    )


def _fitted(told: list[str]) -> str:
    while len(told) > 1 and sum(len(t) + 1 for t in told) > LONGEST - 20:
        told.remove(min(told, key=_worth))
    return plain.shortened(" ".join(told), LONGEST - 20)


def _withdrawn(readings: Sequence[Reading]) -> set[int]:
    """Indices of the notes whose claim a later note of the arc takes back."""
    found: set[int] = set()
    for position, reading in enumerate(readings):
        if not reading.retraction:
            continue
        earlier = [r for r in readings[:position] if r.note.idx not in found and not r.retraction]
        named = {int(n) for n in re.findall(r"(?i)\b(?:note|notiz|nota)\s+#?(\d+)", reading.told)}
        targets = [r for r in earlier if r.note.idx in named] or [r for r in earlier if r.claim]
        own = [r for r in targets if r.note.author == reading.note.author]
        if not targets:
            own = [
                r for r in earlier if r.note.author == reading.note.author and r.role is not Role.PROBLEM
            ] or earlier[:1]
        found.update(r.note.idx for r in (own or targets))
    return found


def _corrected(readings: Sequence[Reading], withdrawn: set[int], shed: plain.Shedding, language: str) -> str:
    conclusion: list[str] = []
    evidence: list[str] = []
    symptoms: list[str] = []
    claims: list[str] = []
    for reading in readings:
        for sentence in _spoken(reading):
            if reading.note.idx in withdrawn:
                # What was seen stays; what was made of it goes.
                seen, claim = _split_claim(sentence)
                claims.append(claim)
                if seen:
                    symptoms.append(_finished(shed.all(seen)))
                continue
            if lexicon.STANCE.search(sentence):
                rest = re.split(r"(?<=\w)[;:,]\s+", sentence, maxsplit=1)
                if not (reading.retraction and len(rest) == 2 and len(rest[1].split()) > 3) or lexicon.STANCE.search(
                    rest[1]
                ):
                    continue
                sentence = plain.capitalised(rest[1])
            told = _finished(shed.all(sentence))
            if told:
                (conclusion if reading.retraction or reading.role is Role.FIX else evidence).append(told)
    topics = _topics(shed.all(" ".join(claims)))
    note = _WITHDRAWN[language].format(", ".join(topics)) if topics else ""
    room = LONGEST - len(note) - 10
    texts = {Role.PROBLEM: symptoms, Role.EFFECT: conclusion, Role.CAUSE: evidence}
    _compress(texts, room)
    body = " ".join([*texts[Role.PROBLEM], *texts[Role.EFFECT], *texts[Role.CAUSE]])
    return plain.shortened(f"{plain.shortened(body, room)} {note}".strip(), LONGEST)


def _split_claim(sentence: str) -> tuple[str, str]:
    clauses = re.split(r"(?<=\w)\s*[;.]\s+|\s+[–—]\s+", sentence)
    if len(clauses) < 2:
        return "", sentence
    seen = [c for c in clauses if not lexicon.CLAIM.search(c)]
    claim = [c for c in clauses if lexicon.CLAIM.search(c)]
    return ("; ".join(seen), " ".join(claim)) if claim else ("", sentence)


def _topics(claim: str) -> list[str]:
    """Names and nouns of a claim, apart from one another, so that they assert nothing."""
    found: list[str] = []
    for word in re.findall(r"[^\W_][\w@.+#/-]*[^\W_]", claim):
        low = word.casefold()
        if (
            (len(low) < 5 and not re.search(r"[\d@_]|[A-Z]{2}", word))
            or low in lexicon.FILLER
            or (plain.content_words(word) == 0 and not re.search(r"\d", word))
        ):
            continue
        if re.fullmatch(r"[\d.,]+", word) or low in found:
            continue
        found.append(low if word.istitle() else word)
    ranked = sorted(range(len(found)), key=lambda i: (not re.search(r"[\d@_]|[A-Z]{2}", found[i]), -i))
    keep = sorted(ranked[:7])
    # Out of the claim's own order: no run of its words may come out as the claim.
    return [found[i] for i in keep][::-1]
