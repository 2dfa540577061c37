"""The embedded dreaming engine: deterministic, local, without a network or a model.

It reads each note for its cues (`reading`), keeps out secrets and planted instructions (`screen`), groups
notes into arcs (`arcs`, `threads`), and words one memory for each arc, rule, fact and event (`wording`). The same notes
always give the same Dream.
"""

import re
from collections.abc import Sequence

from tur.dreaming.engine import DreamRequest, DreamResult
from tur.dreaming.offline import lexicon, screen, threads, wording
from tur.dreaming.offline import text as plain
from tur.dreaming.offline.reading import Reading, Role, read
from tur.model.dream import Dream, DreamMemory, DreamRefutation
from tur.model.note import Note

MODEL = "offline/1"
_MOST = 40
_REFUTED_ID = re.compile(r"\bconcept-[0-9a-f]{8}\b")
_REFUTES = re.compile(
    r"(?i)(?<!\w)(?:refute[sd]?|wrong|obsolete|outdated|disproved?n?|false|incorrect|no\s+longer\s+(?:true|holds)|widerlegt|falsch|überholt|veraltet|refutad[oa]|obsolet[oa]|fals[oa]|réfutée?|fausse?|obsolète)(?!\w)"
)


class OfflineDreamer:
    """A Dreamer that needs nothing but the notes. An empty Dream is its answer to a session of chatter."""

    name = "offline"

    def dream(self, request: DreamRequest) -> DreamResult:
        """Distil the session. Never raises for the content of notes."""
        notes = sorted(request.notes, key=lambda n: n.idx)
        dream = Dream(memories=_memories(notes), refutes=_refutes(notes, {m.id for m in request.related}))
        return DreamResult(dream=dream, model=MODEL)


def most_memories(notes: int) -> int:
    """How many memories a session of so many notes may give."""
    return min(_MOST, max(1, notes // 2), 4 + notes // 5) if notes > 1 else 1


def _memories(notes: Sequence[Note]) -> list[DreamMemory]:
    readings = [read(note, wording.SECRET_WORDING) for note in notes]
    shed = plain.Shedding([n.at for n in notes], {n.author for n in notes})
    found: list[tuple[float, DreamMemory]] = []
    for arc in threads.group(readings):
        memory = _memory(arc.notes, shed)
        if memory is not None:
            found.append((_rank(arc.notes, memory), memory))
    best = sorted(range(len(found)), key=lambda i: (-found[i][0], i))[: most_memories(len(notes))]
    return [found[i][1] for i in sorted(best)]


def _memory(readings: Sequence[Reading], shed: plain.Shedding) -> DreamMemory | None:
    language = plain.language(r.told for r in readings)
    first = readings[0]
    kind, content = "insight", ""
    if len(readings) > 1:
        content = wording.arc(readings, shed, language)
    elif first.role is Role.EVENT:
        kind, content = "event", wording.event(first, shed, language)
    elif first.retraction or not first.weight:
        return None
    else:
        kind, content = _single_type(first), wording.single(first, shed)
    if not content or not _safe(content):
        return None
    return DreamMemory.model_validate({
        "memory_type": kind,
        "content": content,
        "from_notes": [r.note.idx for r in readings],
        "title": wording.title(content),
        "tags": wording.tags(readings, content),
    })  # fmt: skip


def _single_type(reading: Reading) -> str:
    if reading.role is Role.RULE:
        return "preference" if reading.authority and reading.wish else "axiom"
    return "fact"


def _safe(content: str) -> bool:
    """The last gate: nothing secret-like and nothing that commands its reader goes out."""
    return screen.mark_secrets(content) == content and not (
        lexicon.PLANTED.search(content) and not lexicon.DEFENCE.search(content)
    )


def _rank(readings: Sequence[Reading], memory: DreamMemory) -> float:
    """Which memories stay when there are too many: arcs, events and rules before lone findings."""
    weight = max(r.weight for r in readings)
    if len(readings) > 1:
        return 20 + weight + len(readings)
    return {"event": 18.0, "preference": 17.0, "axiom": 15.0}.get(
        memory.memory_type, 5.0 if readings[0].role is Role.PROBLEM else 8.0
    ) + weight


def _refutes(notes: Sequence[Note], related: set[str]) -> list[DreamRefutation]:
    """Only what a note refutes by id: a guess must not take a memory away."""
    found: dict[str, DreamRefutation] = {}
    for note in notes:
        told = screen.without_planted(screen.mark_secrets(plain.clean(note.text)))
        for sentence in plain.sentences(told):
            ids = _REFUTED_ID.findall(sentence)
            if len(set(ids)) != 1 or not _REFUTES.search(sentence) or screen.MARK.search(sentence):
                continue
            full = next(
                (r for r in sorted(related) if r == ids[0] or r.startswith(ids[0].removeprefix("concept-"))), None
            )
            if full is not None and full not in found:
                found[full] = DreamRefutation(
                    memory_id=full, reason=plain.shortened(sentence, 900), from_notes=[note.idx]
                )
    return list(found.values())[:20]
