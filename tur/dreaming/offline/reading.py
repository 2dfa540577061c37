"""Reads one note: which role it plays in the session, and which of its sentences are worth keeping."""

import re
from dataclasses import dataclass
from enum import StrEnum

from tur.dreaming.offline import lexicon, screen
from tur.dreaming.offline import text as plain
from tur.model.note import Note


class Role(StrEnum):
    """What a note is for. The first five can follow one another in an arc."""

    PROBLEM = "problem"
    CAUSE = "cause"
    FIX = "fix"
    EFFECT = "effect"
    OPEN = "open"
    RULE = "rule"
    EVENT = "event"
    FACT = "fact"
    CHATTER = "chatter"


@dataclass(frozen=True, slots=True)
class Reading:
    """A note as the engine understood it. `sentences` are cleaned of chatter, secrets and planted text."""

    note: Note
    role: Role
    roles: frozenset[Role]
    sentences: tuple[str, ...]
    terms: frozenset[str]
    weight: float
    wish: bool = False
    authority: bool = False
    aside: bool = False
    continues: bool = False
    claim: bool = False
    retraction: bool = False

    @property
    def told(self) -> str:
        """The kept sentences as one text."""
        return " ".join(self.sentences)


def read(note: Note, secret_wording: str) -> Reading:
    """Classify one note. A note of which nothing is left is chatter."""
    marked = screen.mark_secrets(plain.clean(note.text))
    safe = screen.without_planted(marked)
    whole = plain.sentences(safe)
    # A note that itself gives out a credential may be about a leak only if it says so.
    kept: list[str] = []
    for sentence in whole:
        shown = screen.without_secrets(sentence, secret_wording)
        topic = (
            not kept and shown is not None and len(whole) > 1 and _TOPIC.fullmatch(plain.undecorated(shown)) is not None
        )
        if shown is not None and (topic or not _idle(shown, len(whole))):
            kept.append(shown)
    lost_secret = screen.MARK.search(marked) is not None and not any(secret_wording in s for s in kept)
    kept, corrected = _without_corrected(kept)
    marks = _emoji_roles(safe)
    body = " ".join(kept)
    masked = plain.mask(body)
    words = plain.content_words(body)
    if not kept or "chatter" in marks or (lost_secret and words < 8):
        return _chatter(note)
    authority = bool(lexicon.AUTHORITY.search(masked))
    score = _scores(kept, masked, authority, marks)
    specific = bool(plain.codes(body)) or bool(re.search(r"\d", body))
    top = max(score.values())
    if (words < 2 and not (specific and (marks or top > 0 or _VALUE.match(body)))) or (
        words < 3 and not specific and top < 1.5 and not marks
    ):
        return _chatter(note)
    # Too little to stand alone; it may still be a link of an arc it shares terms with.
    faint = (
        words < 2 or (top <= 0 and (words < 4 or not specific) and words < 9) or (top < 1.5 and words < 4 and not marks)
    )
    role = _role(score)
    roles = frozenset(r for r, s in score.items() if s >= 1) | {role}
    return Reading(
        note=note,
        role=role,
        roles=roles,
        sentences=tuple(kept),
        terms=plain.terms(body),
        weight=0.0 if faint else top + min(words, 20) / 20,
        wish=bool(lexicon.WISH.search(masked)),
        authority=authority,
        aside=(bool(lexicon.ASIDE.search(masked)) or plain.noteworthy(body)) and not lexicon.CLAIM.search(masked),
        continues=bool(lexicon.CONTINUES.search(plain.undecorated(whole[0]))),
        claim=not corrected and bool(lexicon.CLAIM.search(masked)),
        retraction=not corrected and bool(lexicon.RETRACTION.search(masked)),
    )


def _without_corrected(kept: list[str]) -> tuple[list[str], bool]:
    """The sentences without a claim that the very next sentence takes back, and whether there was one."""
    for i, sentence in enumerate(kept[1:], 1):
        opening = lexicon.SELF_CORRECTION.match(sentence)
        rest = sentence[opening.end() :].strip() if opening else ""
        if opening and lexicon.CLAIM.search(kept[i - 1]) and len(rest.split()) >= 3:
            return [*kept[: i - 1], plain.capitalised(rest), *kept[i + 1 :]], True
    return kept, False


def _chatter(note: Note) -> Reading:
    return Reading(note, Role.CHATTER, frozenset({Role.CHATTER}), (), frozenset(), 0.0)


def _role(score: dict[Role, float]) -> Role:
    if score[Role.RULE] >= 3 and score[Role.RULE] >= score[Role.EVENT]:
        return Role.RULE
    event = score[Role.EVENT]
    rivals = max(score[Role.CAUSE], score[Role.PROBLEM])
    if (event >= 2 and event >= score[Role.FIX] - 1) or (event >= 1.5 and event >= score[Role.FIX] and event >= rivals):
        return Role.EVENT
    order = (Role.FIX, Role.CAUSE, Role.PROBLEM, Role.RULE, Role.EFFECT, Role.FACT)
    best = max(order, key=lambda r: score[r])
    return best if score[best] > 0 else Role.OPEN


def _count(cue: re.Pattern[str], text: str, most: int = 2) -> int:
    found = 0
    for _ in cue.finditer(text):
        found += 1
        if found == most:
            break
    return found


def _scores(kept: list[str], masked: str, authority: bool, marks: set[str]) -> dict[Role, float]:
    lx = lexicon
    strong = _count(lx.RULE_STRONG, masked)
    never = _count(lx.RULE_NEVER, masked) + _count(lx.RULE_PASSIVE, masked)
    orders = sum(1 for s in kept if lx.IMPERATIVE.match(s) and len(s.split()) >= 4)
    rule = 1.6 * min(strong, 1) + 0.6 * max(strong - 1, 0) + 1.8 * min(never, 1) + 1.6 * min(orders, 2)
    if authority:
        rule += (
            2.2 + (0.8 if lx.AUTHORITY.match(masked.lstrip("-• ")) else 0) + (0.8 if lx.RULE_ONLY.search(masked) else 0)
        )
    elif rule and lx.RULE_ONLY.search(masked):
        rule += 0.5
    if lx.RULE_WORD.match(masked):
        rule += 1.6
    if "rule" in marks:
        rule += 2
    background = bool(lx.EVENT_BACKGROUND.search(masked))
    event = 1.6 * _count(lx.EVENT, _NEGATED.sub(" ", masked)) - (2.5 if background else 0)
    starts = re.match(r"(?i)(?:app|release|version|build|firmware)?\s*v?\d+\.\d+\.\d+(?![\w.])", masked)
    if (
        event == 0
        and not background
        and (starts or "event" in marks)
        and lx.STRONG_RELEASE.search(masked)
        and not lx.PROBLEM.search(masked)
    ):
        event = 0.8
    if event == 0 and not background and "event" in marks and plain.content_words(masked) >= 4:
        event = 0.5
    if event > 0:
        event += 0.8 if lx.STRONG_RELEASE.search(masked) else 0
        event += 1.5 if "event" in marks else 0
    # "No crash" is the effect of a remedy, not a problem.
    averted = _AVERTED.sub(" ", masked)
    problem = 1.0 * _count(lx.PROBLEM, averted) + (1.5 if "problem" in marks else 0)
    if not problem and re.search(
        r"(?i)(?<![\w-])(?:fatal|error|exception|panic|traceback|denied|refused|timeout)(?![\w-])", " ".join(kept)
    ):
        problem = 1.0
    cause = 0.9 * _count(lx.CAUSE, masked) + 1.2 * _count(lx.CAUSE_STRONG, masked) + (1.5 if "cause" in marks else 0)
    fix = 1.3 * _count(lx.FIX, _NEGATED.sub(" ", _SUBORDINATE.sub(" ", masked))) + (1.5 if "fix" in marks else 0)
    effect = 0.8 * (_count(lx.EFFECT, masked) + (averted != masked)) + (1.0 if "effect" in marks else 0)
    fact = 1.0 * _count(lx.FACT, masked) + (1.5 if "fact" in marks else 0) + (1.6 if lx.CONDITION.search(masked) else 0)
    if fix >= 1.3:
        # What is done and proven in one note is the remedy first.
        effect = min(effect, fix)
    # A sentence that opens with the cause or the remedy is what its opening says.
    opening = masked[:28]
    if lx.CAUSE_STRONG.search(opening):
        cause += 1.5
    if lx.FIX.match(masked) or re.match(
        r"(?i)(?:fix(?:ed)?|remedy|solution|workaround|abhilfe|lösung|solución|arreglo|correctif|solution)\b", masked
    ):
        fix += 1.0
    if _SEEN_INSTEAD.search(masked):
        fix -= 1.3
    if _NOW_DOES.match(masked):
        fix += 1.0
    if lx.CLAIM.search(masked) and not authority:
        # "The job must be dead" guesses; it lays down nothing.
        rule -= 1.6
        event -= 1.6
    return {
        Role.RULE: rule,
        Role.EVENT: event,
        Role.PROBLEM: problem,
        Role.CAUSE: cause,
        Role.FIX: fix,
        Role.EFFECT: effect,
        Role.FACT: fact,
    }


# What was not done is no deed; "no longer" and "not only" say something else.
_NEGATED = re.compile(
    r"(?i)(?<!\w)(?:not|never|nicht|nie|kaum)\s+(?!only|longer|mehr|nur|weiter)(?:yet\s+|been\s+|be\s+)?\w+"
)
_SEEN_INSTEAD = re.compile(
    r"(?i)(?<!\w)(?:sees?|gets?|shows?|returns?|prints?|receives?|displays?|yields?|zeigt|liefert|sehen|sieht|bekommt)\s+(?:[\w⟦⟧'\"]+\s+){1,4}?(?:instead|rather\s+than|statt|anstelle)(?!\w)"
)
# "… after the password has been changed" is a circumstance, not what somebody did.
_SUBORDINATE = re.compile(
    r"(?i:(?<=\w)\s+(?:after|once|when|whenever|until|although|even\s+though|while|unless|nachdem|wenn|sobald|bis|obwohl|cuando|después\s+de|aunque|quand|après|lorsque)\s[^,;.:]*)"
    r"|(?i:,\s*(?:dass|ob|wo|indem|der|die|das|den|dem)\s[^,;.]*)"
)
# A note that opens with its subject alone ("Solvent. New supplier since batch 12.").
_TOPIC = re.compile(
    r"(?i)(?!(?:confirmed|reproduced|done|found|fixed|update|checked|verified|noted|agreed|again|hello|thanks|start(?:ed)?|lunch|coffee|back|fertig|erledigt|bestätigt|hallo|pause|hecho|listo|bonjour|hola|right|okay|sure|good|great|nice|phew|quiet|morning|installed|ready)\b)[a-zäöüß]{4,20}[.!]"
)
# "Tokyo: 2.1 s."
_VALUE = re.compile(r"[^:\d]{3,30}:\s*[<>~≈]?\s*\d[\d.,]*\s*(?:%|[a-zµ°]{1,5})?\W*$", re.IGNORECASE)
# "Installed, compiling shaders."
_THEN_DOING = re.compile(rf"(?i)[^,;:]{{1,28}},\s+(?:now\s+|still\s+)?(?:{lexicon.DOINGS})(?!\w)[^,;:]*$")
_GERUND_SUBJECT = re.compile(
    r"(?i)\w+ing\s+(?:[\w`'./-]+\s+){1,9}?(?:is|are|means|makes|breaks|needs|takes|gives|costs|leads|loses|invalidates|requires|does|must|may|can)\s"
)
_AVERTED = re.compile(
    r"(?<![\w.,-])(?:no|0|zero|not\s+a\s+single|not\s+one|none\s+of\s+the|without\s+an?|kein(?:e[nr]?)?(?:\s+einzige[rn]?)?|ohne\s+eine?n?|sin\s+un[ao]?|ningun[ao]?|ningún|sans\s+une?|aucune?)\s+"
    r"(?:(?!longer)[\w-]+\s+)?(?:crash\w*|fail\w*|errors?|hangs?|leaks?|loss\w*|drops?|dropped|duplicates?|dupes?|double\w*|timeouts?|time-outs?|outages?|alarms?|alerts?|stalls?|stutters?|glitch\w*|flicker\w*|mismatch\w*|"
    r"regressions?|deadlocks?|orphans?|complaints?|missing|lost|warnings?|reboots?|resets?|spikes?|OOM\w*|5\d\ds?|Absturz|Abstürze|Fehler|Ausfall|Ausfälle|Hänger|Aussetzer|Verluste?|Abbrüche?|Abbruch|Störung\w*|Doppel\w*|Reklamation\w*|"
    r"fallos?|caídas?|pérdidas?|duplicados?|errores|erreurs?|pannes?|pertes?|doublons?|plantages?)(?![\w-])",
    re.IGNORECASE,
)
_NOW_DOES = re.compile(
    r"(?i)\W*(?:[\w'’⟦⟧/-]+\s+){1,5}?(?:now|nun|jetzt|ahora|désormais)\s+(?:⟦|[a-z]+s\b)|\W*(?:[\w'’⟦⟧/-]+\s+){1,5}?(?:nun|jetzt)\s+\w"
)


def _emoji_roles(text: str) -> set[str]:
    head = text.lstrip()[:3]
    found = {name for name, marks in lexicon.EMOJI_ROLES.items() if any(c in marks for c in head)}
    return found


def _idle(sentence: str, of: int) -> bool:
    """True for a sentence of chatter: greetings, status of runs, what someone is about to do."""
    bare = plain.undecorated(sentence)
    if not any(c.isalpha() for c in bare):
        return True
    masked = plain.mask(bare)
    words = plain.content_words(bare)
    telling = (
        lexicon.CAUSE_STRONG.search(masked)
        or lexicon.AUTHORITY.search(masked)
        or (lexicon.RULE_STRONG.search(masked) and words >= 4)
        or lexicon.RULE_NEVER.search(masked)
        or lexicon.CONDITION.search(masked)
    )
    if re.match(
        r"(?i)(?:while|während|mientras|pendant\s+que)\b.{0,40}\b(?:busy|wait\w*|runs?|running|builds?|building|compil\w+|läuft|laufen|warte\w*|corre\w*|espero|tourne\w*)\b",
        masked,
    ):
        return not lexicon.CAUSE_STRONG.search(masked)
    if lexicon.NARRATION.search(bare):
        return not lexicon.RETRACTION.search(masked)
    if telling:
        return False
    if lexicon.DOING.match(bare) and not _GERUND_SUBJECT.match(bare):
        return not (words >= 7 and lexicon.FIX.search(masked))
    if lexicon.DENIAL.search(masked) and (of > 1 or words > 3):
        return False
    if of > 1 and words < 2 and not re.search(r"\d|⟦", masked):
        return True
    if lexicon.STATUS.search(masked):
        if len(re.findall(r"\d+[.,]\d+|->|→", masked)) >= 2 and words >= 3:
            return False
        return words <= 7 or not (
            lexicon.PROBLEM.search(masked)
            or lexicon.CAUSE.search(masked)
            or lexicon.FIX.search(masked)
            or lexicon.EVENT.search(masked)
        )
    if words <= 6 and _THEN_DOING.match(bare):
        return True
    if lexicon.GREETING.match(bare):
        return words <= 4 or len(bare.split()) <= 5
    if lexicon.GREETING.search(masked):
        return len(bare.split()) <= 5 or (words <= 4 and not re.search(r"\d|⟦", masked))
    numeric = re.fullmatch(r"[\W\d]*(?:of|von|de|sur|done|fertig|/|%|\s|\d|\W)*", bare, re.IGNORECASE)
    return bool(numeric)
