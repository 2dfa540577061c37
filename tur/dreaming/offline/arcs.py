"""Groups notes into arcs: problem, investigation, remedy and consequence that belong together.

Notes of several arcs may alternate. What binds a note to an arc is the rarity of the terms they share,
that its role is the one the arc still lacks, who wrote it, and how near it is.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tur.dreaming.offline import lexicon
from tur.dreaming.offline.reading import Reading, Role

JOIN = 1.55
"""Affinity from which on a note joins an arc."""
_LOOKBACK = 12
_ANSWERS = 1.0
"""From which likelihood on a thread is taken as the answer to an open problem."""
_MARGIN = 0.25
"""By how much the best open problem must lead the next."""


class Kinship:
    """How much two notes share, weighted by how rare the shared terms are in the session."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        vocabulary = frozenset(t for r in readings for t in r.terms)
        self._terms = {r.note.idx: r.terms | _parts(r.terms, vocabulary) for r in readings}
        counts: Counter[str] = Counter(t for terms in self._terms.values() for t in terms)
        total = max(len(readings), 3)
        self._weight = {
            t: max(0.15, min(1.0, math.log(total / n) / math.log(total / 2))) * (1.3 if _identifier(t) else 1.0)
            for t, n in counts.items()
            if n > 1
        }

    def between(self, a: Reading, b: Reading) -> float:
        """0 for nothing shared; about 1 for each rare shared term."""
        shared = self._terms[a.note.idx] & self._terms[b.note.idx]
        return sum(self._weight.get(t, 0.0) for t in sorted(shared))


def _identifier(term: str) -> bool:
    return any(c.isdigit() or c in "_.+#@-" for c in term) and len(term) > 2


def _parts(terms: frozenset[str], vocabulary: frozenset[str]) -> frozenset[str]:
    """Parts of compounds ("Feuchtesensor": "sensor") that other notes use as words."""
    found: set[str] = set()
    for term in terms:
        if len(term) >= 8 and term.isalpha():
            for cut in range(4, len(term) - 2):
                found.update(piece for piece in (term[:cut], term[cut:]) if len(piece) >= 4 and piece in vocabulary)
    return frozenset(found)


class Arc:
    """Notes of one thread, in order. `passed` tells that a rule or an event has come after them."""

    def __init__(self, first: Reading) -> None:
        self.notes = [first]
        self.passed = False

    def has(self, role: Role) -> bool:
        return any(n.role is role for n in self.notes)

    @property
    def authors(self) -> set[str]:
        return {n.note.author for n in self.notes}


def group(readings: Sequence[Reading]) -> list[Arc]:
    """Arcs of the notes that are not chatter, in order of their first notes. Rules and events stand alone."""
    telling = [r for r in readings if r.role is not Role.CHATTER]
    kin = Kinship(telling)
    crowded = len({r.note.author for r in telling}) >= 3
    arcs: list[Arc] = []
    recent: list[Arc] = []
    for reading in telling:
        if reading.role in (Role.RULE, Role.EVENT) and not reading.retraction:
            arcs.append(Arc(reading))
            for arc in recent:
                arc.passed = True
            continue
        best, best_score = None, 0.0
        # Someone with an unfinished thread of their own most likely goes on with it.
        own = any(
            a.notes[0].note.author == reading.note.author
            and not a.has(Role.EFFECT)
            and a.notes[0].role is not Role.FACT
            for a in recent[-_LOOKBACK:]
        ) and reading.role not in (Role.FACT, Role.PROBLEM)
        for distance, arc in enumerate(reversed(recent[-_LOOKBACK:])):
            score = _affinity(reading, arc, kin, distance, crowded)
            if score and own and not (arc.passed and arc.has(Role.FIX) and reading.role is not Role.EFFECT):
                score += 0.6 if reading.note.author in arc.authors else -0.5
            if score > best_score:
                best, best_score = arc, score
        if reading.retraction and (best is None or best_score < JOIN):
            best, best_score = _retracted(reading, arcs, kin)
        if best is not None and best_score >= JOIN:
            best.notes.append(reading)
            best.passed = False
            if best in recent:
                recent.remove(best)
        else:
            best = Arc(reading)
            arcs.append(best)
        recent.append(best)
    arcs = _mended(arcs, telling, kin)
    for arc in arcs:
        first = arc.notes[0]
        if len(arc.notes) == 1 and _milestone(first):
            arc.notes = [replace(first, role=Role.EVENT)]
    return arcs


def _milestone(reading: Reading) -> bool:
    """True for a change that answers no problem of the session and concerns everybody or everything."""
    return (
        reading.role is Role.FIX
        and reading.weight > 0
        and reading.roles <= {Role.FIX, Role.EFFECT, Role.EVENT}
        and not (reading.aside or reading.continues or reading.claim or reading.retraction)
        and lexicon.SCOPE.search(reading.told) is not None
    )


def _mended(arcs: list[Arc], telling: Sequence[Reading], kin: Kinship) -> list[Arc]:
    """Joins a problem that got no remedy with the thread that begins without a problem while it is open.

    The two need not share a term: position, roles and author say that one answers the other.
    """
    place = {r.note.idx: i for i, r in enumerate(telling)}
    for tail in list(arcs):
        if tail not in arcs or not _headless(tail):
            continue
        start = place[tail.notes[0].note.idx]
        heads = [a for a in arcs if a is not tail and _open_at(a, start, place)]
        if tail.notes[0].role is Role.PROBLEM:
            # A second trouble right behind the first is its cause, if the first got no remedy of its own.
            heads = [a for a in heads if len(a.notes) < 3 and not a.has(Role.FIX) and not a.has(Role.CAUSE)]
            heads = [a for a in heads if place[a.notes[0].note.idx] == start - 1]
        ranked = sorted(
            ((_answer(head, tail, start, place, kin), -i) for i, head in enumerate(heads)),
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


def _headless(arc: Arc) -> bool:
    first = arc.notes[0]
    if first.role in (Role.RULE, Role.EVENT) or first.aside:
        return False
    if any(n.claim or n.retraction for n in arc.notes):
        return True
    if arc.has(Role.PROBLEM):
        return first.role is Role.PROBLEM and len(arc.notes) > 1 and arc.has(Role.FIX)
    if len(arc.notes) > 1:
        return arc.has(Role.FIX) or arc.has(Role.CAUSE)
    return first.role in (Role.FIX, Role.CAUSE)


def _open_at(arc: Arc, start: int, place: dict[int, int]) -> bool:
    """True for a thread that has begun with a problem and has no remedy yet when note `start` comes."""
    first = arc.notes[0]
    if first.role in (Role.RULE, Role.EVENT) or first.aside or place[first.note.idx] >= start:
        return False
    troubled = first.role in (Role.PROBLEM, Role.OPEN) or Role.PROBLEM in first.roles
    before = [n for n in arc.notes if place[n.note.idx] < start]
    return troubled and bool(first.weight) and not any(n.role is Role.FIX and n is not first for n in before)


def _answer(head: Arc, tail: Arc, start: int, place: dict[int, int], kin: Kinship) -> float:
    """How likely `tail` answers the problem of `head`."""
    before = [n for n in head.notes if place[n.note.idx] < start]
    gap = start - place[before[-1].note.idx] - 1
    score = min(1.5, max(kin.between(a, b) for a in head.notes for b in tail.notes))
    score += 0.5 if head.authors & tail.authors else 0.0
    score += 0.8 if gap == 0 else 0.4 if gap == 1 else 0.0 if gap < 4 else -0.6
    # The head's later notes prove what the tail has done.
    score += 0.6 if len(before) < len(head.notes) else 0.0
    score += 0.5 if tail.has(Role.FIX) else 0.0
    score += 0.3 if tail.has(Role.FIX) and tail.has(Role.CAUSE) else 0.0
    score -= 0.4 if len(tail.notes) == 1 else 0.0
    if before[0].role is Role.OPEN:
        score -= 0.3
    return score


def _affinity(reading: Reading, arc: Arc, kin: Kinship, distance: int, crowded: bool) -> float:
    shared = [kin.between(reading, note) for note in arc.notes]
    lexical = min(3.0, max(shared) + 0.25 * (sum(shared) - max(shared)))
    same = reading.note.author in arc.authors
    score = lexical
    score += (0.7 if same else -0.4) if crowded else (0.2 if same else 0.1)
    score += 0.6 if distance == 0 else 0.0
    follows = _follows(reading, arc)
    score += follows
    if reading.aside:
        score -= 2.0
    if arc.passed and arc.has(Role.FIX) and reading.role is not Role.EFFECT:
        score -= 0.7
    continues = reading.continues and distance == 0
    if continues:
        score += 0.7
    if (
        {Role.FIX, Role.PROBLEM} <= reading.roles
        and reading.role in (Role.PROBLEM, Role.CAUSE, Role.FACT)
        and arc.has(Role.FIX)
    ):
        score -= 0.5
    if not reading.weight and lexical < 0.8 and not continues:
        return 0.0
    if lexical < 0.3 and not continues and not (follows >= 0.8 and (same or distance == 0)):
        return 0.0
    return score


def _follows(reading: Reading, arc: Arc) -> float:
    """How well the note's role continues the arc."""
    cause, fix = arc.has(Role.CAUSE), arc.has(Role.FIX)
    # What opens a thread is its problem, however plainly it is told.
    problem = arc.has(Role.PROBLEM) or arc.notes[0].role in (Role.OPEN, Role.EFFECT)
    bare = arc.notes[0].role is Role.FACT and Role.PROBLEM not in arc.notes[0].roles and len(arc.notes) == 1
    if any(n.retraction for n in arc.notes):
        return 0.0 if reading.role in (Role.EFFECT, Role.FIX) else -1.0
    if reading.retraction or (any(n.claim for n in arc.notes) and not fix and reading.role is not Role.FACT):
        return 0.8
    if bare:
        return -0.4
    match reading.role:
        case Role.CAUSE:
            if fix:
                return -0.5
            return 1.0 if problem and not cause else 0.6
        case Role.FIX:
            return 1.0 if not fix else 0.0
        case Role.EFFECT:
            return 1.0 if fix else 0.2
        case Role.PROBLEM:
            if fix:
                return -0.9
            return 0.4 if reading.continues or reading.note.author in arc.authors else -0.4
        case Role.OPEN:
            return 0.2 if fix else 0.5
        case _:
            return -0.6 if fix else 0.2 if problem and not cause and not reading.aside else -0.3


def _retracted(reading: Reading, arcs: Iterable[Arc], kin: Kinship) -> tuple[Arc | None, float]:
    """The arc a retraction is most likely about, rules and facts included."""
    best, best_score = None, 0.0
    for arc in arcs:
        score = max(kin.between(reading, n) for n in arc.notes) + (0.6 if reading.note.author in arc.authors else 0.0)
        if score >= best_score:
            best, best_score = arc, score
    return best, best_score
