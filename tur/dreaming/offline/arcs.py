"""Groups notes into arcs: problem, investigation, remedy and consequence that belong together.

Notes of several arcs may alternate. What binds a note to an arc is the rarity of the terms they share,
that its role is the one the arc still lacks, who wrote it, and how near it is.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from tur.dreaming.offline.reading import Reading, Role

JOIN = 1.55
"""Affinity from which on a note joins an arc."""
_LOOKBACK = 12


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


def gathered(telling: Sequence[Reading], kin: Kinship) -> list[Arc]:
    """Arcs of the notes that are not chatter, in order of their first notes. Rules and events stand alone."""
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
            and not any(n.role is Role.EFFECT for n in a.notes[1:])
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
    return arcs


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
    plain_word = reading.role in (Role.OPEN, Role.PROBLEM) and not reading.continues
    if crowded and plain_word and not same:
        # Where several work, somebody new opens a thread of their own.
        score -= 0.5
    if reading.role in (Role.OPEN, Role.FACT) and len(arc.notes) >= 4:
        score -= 0.5
    if arc.has(Role.FIX) and arc.has(Role.EFFECT) and not reading.retraction and reading.role is not Role.EFFECT:
        score -= 0.6
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
    cause, fix = arc.has(Role.CAUSE), arc.has(Role.FIX) or any(n.role is Role.EFFECT for n in arc.notes[1:])
    # What opens a thread is its problem, however plainly it is told.
    problem = arc.has(Role.PROBLEM) or arc.notes[0].role is Role.OPEN
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
