"""From single notes to finished threads: gathers arcs, then mends what the gathering left apart.

Gathering goes by shared terms. Engineers often share none: the problem is told in the user's words, its
cause in those of the code, the proof in figures. What is left apart is therefore joined by position, roles
and author.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from tur.dreaming.offline import lexicon
from tur.dreaming.offline import text as plain
from tur.dreaming.offline.arcs import Arc, Kinship, gathered
from tur.dreaming.offline.reading import Reading, Role

_ANSWERS = 1.0
"""From which likelihood on a thread is taken as the answer to an open problem."""
_MARGIN = 0.25
"""By how much the best open problem must lead the next."""


def group(readings: Sequence[Reading]) -> list[Arc]:
    """Arcs of the notes that are not chatter, in order of their first notes. Rules and events stand alone."""
    telling: Sequence[Reading] = [r for r in readings if r.role is not Role.CHATTER]
    kin = Kinship(telling)
    telling = _begun(_denied(telling, kin), kin)
    arcs = _proven(_mended(gathered(telling, kin), telling, kin), telling)
    for arc in arcs:
        first = arc.notes[0]
        if len(arc.notes) == 1 and _milestone(first):
            arc.notes = [replace(first, role=Role.EVENT)]
    return arcs


def _denied(telling: Sequence[Reading], kin: Kinship) -> list[Reading]:
    """The notes, those that acquit what an earlier note suspected marked as retractions."""
    return [
        replace(reading, retraction=True)
        if lexicon.DENIAL.search(reading.told)
        and reading.role is not Role.RULE
        and any(claim.claim and kin.between(claim, reading) >= 0.8 for claim in telling[:i])
        else reading
        for i, reading in enumerate(telling)
    ]


def _begun(telling: Sequence[Reading], kin: Kinship) -> list[Reading]:
    """The notes, what sounds like an outcome before anything was done read as the trouble or state it opens with."""
    done = pending = False
    found: list[Reading] = []
    for i, reading in enumerate(telling):
        if reading.role is Role.RULE and pending and Role.FIX in reading.roles and not reading.authority:
            # What nobody ordered and what answers an open problem is its remedy.
            reading = replace(reading, role=Role.FIX)
        fresh = all(r.note.author != reading.note.author for r in found)
        if reading.role is Role.FIX and Role.PROBLEM in reading.roles and fresh and not pending:
            reading = replace(reading, role=Role.PROBLEM)
        if reading.role is Role.CAUSE and not found and not lexicon.CAUSE_STRONG.search(reading.told):
            # What somebody shows first is what they found amiss.
            reading = replace(reading, role=Role.OPEN)
        if reading.role is Role.EVENT and pending and not _dated(reading) and _resumes(reading, found, kin):
            reading = replace(reading, role=Role.FIX)
        done = done or reading.role is Role.FIX or i >= 3
        pending = reading.role in (Role.PROBLEM, Role.CAUSE) or (pending and reading.role is not Role.FIX)
        if reading.role is Role.EFFECT and not done:
            reading = replace(reading, role=Role.PROBLEM if Role.PROBLEM in reading.roles else Role.OPEN)
        found.append(reading)
    return found


def _dated(reading: Reading) -> bool:
    """True for a milestone that says so: by its day or by a version."""
    return bool(lexicon.TODAY.search(reading.told) or lexicon.STRONG_RELEASE.search(plain.mask(reading.told)))


def _resumes(reading: Reading, earlier: Sequence[Reading], kin: Kinship) -> bool:
    """True when the author's last word, or the last cause told, is what this note goes on with."""
    arc = [r for r in earlier if r.role not in (Role.RULE, Role.EVENT)]
    own = [r for r in arc if r.note.author == reading.note.author]
    if reading.weight >= 3 or (arc and arc[-1].retraction) or Role.FIX not in reading.roles:
        return False
    if own and (own[-1].role is Role.CAUSE or (own[-1] is earlier[-1] and own[-1].role is Role.OPEN)):
        return True
    return bool(arc) and arc[-1].role in (Role.CAUSE, Role.PROBLEM, Role.OPEN) and kin.between(arc[-1], reading) >= 0.5


def _milestone(reading: Reading) -> bool:
    """True for a change that answers no problem of the session and concerns everybody or everything."""
    return (
        reading.weight > 0
        and reading.roles <= {Role.FIX, Role.EFFECT, Role.EVENT, Role.OPEN}
        and not (reading.aside or reading.continues or reading.claim or reading.retraction)
        and (
            lexicon.TODAY.search(reading.told) is not None
            or (reading.role is Role.FIX and lexicon.SCOPE.search(reading.told) is not None)
        )
    )


def _mended(arcs: list[Arc], telling: Sequence[Reading], kin: Kinship) -> list[Arc]:
    """Joins a problem that got no remedy with the thread that begins without a problem while it is open.

    The two need not share a term: position, roles and author say that one answers the other.
    """
    place = {r.note.idx: i for i, r in enumerate(telling)}
    crowded = len({r.note.author for r in telling}) >= 3 and len(telling) >= 10
    for tail in list(arcs):
        if tail not in arcs or not _headless(tail):
            continue
        start = place[tail.notes[0].note.idx]
        heads = [a for a in arcs if a is not tail and _open_at(a, start, place)]
        if crowded:
            # Where several work at several threads, each answers their own.
            heads = [
                a for a in heads if a.authors & tail.authors or (len(tail.notes) < 3 and _shared(a, tail, kin) >= 0.8)
            ]
        if tail.notes[0].role is Role.PROBLEM:
            # A second trouble right behind the first is its cause, if the first got no remedy of its own.
            heads = [a for a in heads if len(a.notes) < 3 and not a.has(Role.FIX) and not a.has(Role.CAUSE)]
            author = tail.notes[0].note.author
            heads = [
                a
                for a in heads
                if (len(tail.notes) > 1 and place[a.notes[0].note.idx] == start - 1)
                or (crowded and a.authors == {author} and not _between(a, author, start, place, telling))
            ]
        ranked = sorted(
            ((_answer(head, tail, start, place, kin, telling), -i) for i, head in enumerate(heads)),
            reverse=True,
        )
        if not ranked or ranked[0][0] < _ANSWERS:
            continue
        if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _MARGIN:
            continue
        head = heads[-ranked[0][1]]
        remedied = max((n.note.idx for n in tail.notes if n.role is Role.FIX), default=tail.notes[-1].note.idx)
        strays = [n for n in head.notes[1:] if n.role is Role.FACT and n.note.idx > remedied]
        arcs.extend(Arc(n) for n in strays)
        head.notes = sorted([*(n for n in head.notes if n not in strays), *tail.notes], key=lambda r: r.note.idx)
        arcs.remove(tail)
    return sorted(arcs, key=lambda a: a.notes[0].note.idx)


def _proven(arcs: list[Arc], telling: Sequence[Reading]) -> list[Arc]:
    """Adds a bare measurement to the remedy it follows: by the same author, or right behind it."""
    place = {r.note.idx: i for i, r in enumerate(telling)}
    for lone in list(arcs):
        last = lone.notes[0]
        moved = _MOVED.search(last.told) is not None
        if len(lone.notes) > 1 or last.aside or not (moved or last.role in (Role.OPEN, Role.EFFECT)):
            continue
        if last.role is Role.OPEN and not _measures(last.told):
            continue
        behind = [(arc, own) for arc in arcs for own in (_behind(arc, last, telling, place),) if own is not None]
        if behind:
            arc = max(behind, key=lambda found: found[1])[0]
            arc.notes.append(last)
            arcs.remove(lone)
    return arcs


def _behind(arc: Arc, last: Reading, telling: Sequence[Reading], place: dict[int, int]) -> bool | None:
    """Whether `last` follows the arc's remedy as the next word of its author (True) or of anybody (False)."""
    done = arc.notes[-1]
    reached, here = place[done.note.idx], place[last.note.idx]
    if last.role is Role.OPEN and len(arc.notes) >= 4:
        return None
    acted = arc.has(Role.FIX) or len(arc.notes) >= 3
    if len(arc.notes) < 2 or not acted or arc.has(Role.EFFECT) or reached >= here:
        return None
    between = [r for r in telling[reached + 1 : here] if r.role not in (Role.RULE, Role.EVENT)]
    if done.note.author == last.note.author and not any(r.note.author == last.note.author for r in between):
        return True
    return None if between else False


_MOVED = re.compile(
    r"(?i)(?<!\w)(?:rises?|rose|falls?|fell|drops?|dropped|climbs?|climbed|goes|went|sinks?|sank|down|up|from|von|de)\s+(?:up\s+|down\s+)?(?:from\s+|von\s+)?[\d.,]+\s*\S{0,6}\s+(?:down\s+|up\s+)?(?:to|auf|a|à)\s+[\d.,]+"
)
_FIGURE = re.compile(r"\d")
_PREDICATE = re.compile(
    r"(?i)(?<!\w)(?:is|are|ist|sind|est|sont|es|son|can|may|kann|darf)(?!\w)|^(?:\S+\s+){1,3}?(?!(?:first|last|test|next|best|worst|least|most|tests|runs|hours|days)\b)[a-zäöü]{3,}[st]\s"
)
_NOBODY = re.compile(r"(?i)\b(?:nobody|none|no\s+one|niemand|keine[rn]?|nadie|personne)\b")
_COMPARED = re.compile(
    r"(?i)(?<!\w)(?:was|were|now|before|instead|down|again|war|waren|statt|vorher|jetzt|nun|wieder|antes|ahora|avant|maintenant|[a-z]{3,}ed|(?!insgesamt)\w*ge\w{2,}t)(?!\w)"
)


def _measures(told: str) -> bool:
    """True for what reads like the outcome of a trial: a figure that is compared, or a trouble nobody met."""
    brief = plain.content_words(told) <= 2 or (plain.content_words(told) <= 5 and not _PREDICATE.search(told))
    return bool(_NOBODY.search(told)) or bool(_FIGURE.search(told) and (brief or _COMPARED.search(told)))


def _between(arc: Arc, author: str, start: int, place: dict[int, int], telling: Sequence[Reading]) -> bool:
    """True when the author has told something else since the arc's last note before `start`."""
    reached = max(place[n.note.idx] for n in arc.notes if place[n.note.idx] < start)
    return any(r.note.author == author and r.role not in (Role.RULE, Role.EVENT) for r in telling[reached + 1 : start])


def _headless(arc: Arc) -> bool:
    first = arc.notes[0]
    if first.role in (Role.RULE, Role.EVENT) or first.aside:
        return False
    if any(n.claim or n.retraction for n in arc.notes):
        return True
    if arc.has(Role.PROBLEM):
        return first.role is Role.PROBLEM
    return len(arc.notes) > 1 or first.role in (Role.FIX, Role.CAUSE, Role.OPEN, Role.FACT)


def _open_at(arc: Arc, start: int, place: dict[int, int]) -> bool:
    """True for a thread that has begun with a problem and has no remedy yet when note `start` comes."""
    first = arc.notes[0]
    if first.role in (Role.RULE, Role.EVENT) or first.aside or place[first.note.idx] >= start:
        return False
    begins = place[first.note.idx] == 0 and first.role is Role.FACT
    troubled = begins or first.role in (Role.PROBLEM, Role.OPEN) or Role.PROBLEM in first.roles or first.claim
    before = [n for n in arc.notes if place[n.note.idx] < start]
    if place[first.note.idx] == 0 and first.role is Role.OPEN and plain.content_words(first.told) < 6:
        return False
    withdrawn = max((i for i, n in enumerate(before) if n.retraction), default=0)
    if withdrawn and (first.claim or first.role is not Role.PROBLEM or Role.CAUSE in before[withdrawn].roles):
        return False
    substantial = bool(first.weight) or plain.content_words(first.told) >= 4
    return troubled and substantial and not any(n.role in (Role.FIX, Role.EFFECT) for n in before[withdrawn + 1 :])


def _shared(head: Arc, tail: Arc, kin: Kinship) -> float:
    return max(kin.between(a, b) for a in head.notes for b in tail.notes)


def _answer(head: Arc, tail: Arc, start: int, place: dict[int, int], kin: Kinship, telling: Sequence[Reading]) -> float:
    """How likely `tail` answers the problem of `head`."""
    before = [n for n in head.notes if place[n.note.idx] < start]
    reached = place[before[-1].note.idx]
    between = [r for r in telling[reached + 1 : start] if r.role not in (Role.RULE, Role.EVENT)]
    author = tail.notes[0].note.author
    score = min(1.5, _shared(head, tail, kin))
    score += 0.5 if head.authors & tail.authors else 0.0
    # Nobody leaves an open problem for a moment without coming back to it.
    own = author in head.authors and not any(r.note.author == author for r in between)
    score += 0.5 if own else 0.0
    if own and len({r.note.author for r in telling}) >= 3 and len(before) < 3:
        score += 0.8
    score += (0.8, 0.4, 0.0, 0.0)[len(between)] if len(between) < 4 else -0.6
    # The head's later notes prove what the tail has done.
    score += 0.6 if len(before) < len(head.notes) else 0.0
    fix, cause = tail.has(Role.FIX), tail.has(Role.CAUSE)
    score += 0.5 if fix else 0.0
    score += 0.3 if fix and cause else 0.0
    score += 0.4 if cause and not head.has(Role.CAUSE) else 0.0
    score -= 0.4 if len(tail.notes) == 1 else 0.0
    score -= 0.3 if before[0].role is Role.OPEN else 0.0
    # Plain statements may just as well be facts of their own.
    if len(tail.notes) == 1 and not (fix or cause):
        score -= 0.4 if own and len(before) < 3 else 0.9 if len(before) < 4 else 2.0
    return score
