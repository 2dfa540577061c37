"""What changed between two states of memory (EP-0133). Owns the six kinds and how a change gets one.

A delta is about one memory and, where another took its place and did nothing else in the window,
covers that one too: so over a whole diff each memory whose state differs is covered exactly once.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args

from tur.ids import note_of_uri
from tur.model.memory import LifecycleEntry, Memory, MemoryType, Relation, Scope, Status
from tur.policy.decay import age
from tur.policy.lifecycle import GONE_BY, DatedBy, MemoryState

Kind = Literal["ADDED", "SUPERSEDED", "REFUTED", "MERGED", "DECAYED", "MODIFIED"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""The kinds, in the order in which summaries name them."""

_GONE: Mapping[Status, Kind] = {
    Status.SUPERSEDED: "SUPERSEDED",
    Status.REFUTED: "REFUTED",
    Status.MERGED: "MERGED",
}
_PLURALS: Mapping[str, tuple[str, str]] = {
    "fact": ("fact", "facts"),
    "insight": ("insight", "insights"),
    "axiom": ("axiom", "axioms"),
    "event": ("event", "events"),
    "preference": ("preference", "preferences"),
    "core": ("core memory", "core memories"),
}
STAGED = "STAGED"
"""What a session's record calls the core memories that were added and have no effect yet."""
EDITED = "edited by hand"
GONE = "no longer there"


@dataclass(frozen=True, slots=True)
class Change:
    """One memory before and after: None where it was not there."""

    id: str
    before: MemoryState | None
    after: MemoryState | None


@dataclass(frozen=True, slots=True)
class DiffEnd:
    """One end of a diff as a reader is told of it: a label, and what of the rest applies."""

    label: str
    at: datetime | None = None
    session: str | None = None
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryDelta:
    """One classified change.

    `record` is the memory it is about as the target has it (as the base had it, when the target
    has none), `previous_record` the same memory in the base, None for one born since.
    `successor` is the memory that superseded or merged it, when the target knows that one, and
    `successor_id` its id in any case. `actor`, `session` and `at` are those of the last step;
    actor and session are None for what nobody wrote down (decay, a hand edit, a vanished file).
    `steps` are the lifecycle entries inside the window, `sources` the URIs of the notes behind it.
    `changes` holds the states themselves: first that of `record`, then that of a folded successor.
    """

    status: Kind
    record: Memory
    previous_record: Memory | None = None
    reason: str | None = None
    actor: str | None = None
    session: str | None = None
    at: datetime | None = None
    successor: Memory | None = None
    successor_id: str | None = None
    sources: tuple[str, ...] = ()
    steps: tuple[LifecycleEntry, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def covers(self) -> tuple[str, ...]:
        """The ids whose change this tells: the memory's own, then a folded successor's."""
        return tuple(change.id for change in self.changes)

    @property
    def dated_by(self) -> DatedBy:
        """What the memory's birth was dated by: its lifecycle, its timestamp, or its file's time."""
        state = self.changes[0].after or self.changes[0].before if self.changes else None
        return "lifecycle" if state is None else state.dated_by

    @property
    def estimated(self) -> bool:
        """Whether a file's time had to stand in for the time of birth."""
        return self.dated_by == "file"

    @property
    def pending(self) -> bool:
        """Whether the memory waits for a human's approval."""
        return self.record.status is Status.PENDING_APPROVAL

    @property
    def old_text(self) -> str | None:
        """The text before, where it differs from what came after and is known."""
        if self.status in ("SUPERSEDED", "MERGED"):
            return (self.previous_record or self.record).content
        if self.previous_record is not None and self.previous_record.content != self.record.content:
            return self.previous_record.content
        return None

    @property
    def new_text(self) -> str | None:
        """The text after: the successor's where one took over, and it is known."""
        if self.status in ("SUPERSEDED", "MERGED"):
            return None if self.successor is None else self.successor.content
        return self.record.content


def compare(base: Mapping[str, MemoryState], target: Mapping[str, MemoryState]) -> list[MemoryDelta]:
    """The deltas that lead from `base` to `target`, both as `state_at` gives them.

    Ordered by the time of the change, then by id. A state compared with itself gives nothing.
    """
    differing = [
        Change(one, base.get(one), target.get(one))
        for one in base.keys() | target.keys()
        if base.get(one) != target.get(one)
    ]
    return _deltas(differing, {one: state.memory for one, state in target.items()})


def compute_session_diff(
    base_memories: Mapping[str, MemoryState], target_memories: Mapping[str, MemoryState]
) -> list[MemoryDelta]:
    """`compare` under the name that EP-0133 gives it.

    Its draft took two loaded dicts and called what was missing refuted; here both are folds of
    the same lifecycles, so nothing counts as refuted that nobody refuted.
    """
    return compare(base_memories, target_memories)


def apply_delta(base: Mapping[str, MemoryState], deltas: Iterable[MemoryDelta]) -> dict[str, MemoryState]:
    """The target state that `deltas`, made by `compare` from this base, lead to."""
    states = dict(base)
    for delta in deltas:
        for change in delta.changes:
            if change.after is None:
                states.pop(change.id, None)
            else:
                states[change.id] = change.after
    return states


def compose(
    a_to_b: Iterable[MemoryDelta], b_to_c: Iterable[MemoryDelta], *, at: datetime | None = None
) -> list[MemoryDelta]:
    """The deltas from A to C, given those from A to B and from B to C.

    `at` is the moment of C: how long ago a stale memory was verified is told as of then. Without
    it, that is told as of B where it went stale before B.
    """
    a_to_b, b_to_c = list(a_to_b), list(b_to_c)
    changes: dict[str, Change] = {}
    known: dict[str, Memory] = {}
    for delta in (*a_to_b, *b_to_c):
        if delta.successor is not None:
            known[delta.successor.id] = delta.successor
    for delta in (*a_to_b, *b_to_c):
        for change in delta.changes:
            first = changes.get(change.id)
            changes[change.id] = change if first is None else replace(change, before=first.before)
    for change in changes.values():
        if change.after is None:
            known.pop(change.id, None)
        else:
            known[change.id] = change.after.memory
    differing = [change for change in changes.values() if change.before != change.after]
    if at is not None:
        differing = [
            replace(change, after=change.after and replace(change.after, age=age(change.after.memory, at)))
            for change in differing
        ]
    return _deltas(differing, known)


def filter_deltas(
    deltas: Iterable[MemoryDelta],
    types: Collection[MemoryType] | None = None,
    scopes: Collection[Scope] | None = None,
) -> list[MemoryDelta]:
    """Those about a memory of these types and scopes; None or nothing given means all.

    A delta that covers two memories stays when either of them answers to the filter.
    """

    def wanted(memory: Memory) -> bool:
        return (not types or memory.type in types) and (not scopes or memory.scope in scopes)

    return [
        delta
        for delta in deltas
        if wanted(delta.record) or (len(delta.changes) > 1 and delta.successor is not None and wanted(delta.successor))
    ]


def counts(deltas: Iterable[MemoryDelta]) -> dict[Kind, int]:
    """How many deltas of each kind: all six, zeros too."""
    found = Counter(delta.status for delta in deltas)
    return {kind: found[kind] for kind in KINDS}


def ledger_counts(deltas: Iterable[MemoryDelta]) -> dict[str, dict[str, int]]:
    """Kind -> memory type -> how many, without zeros."""
    found: dict[str, dict[str, int]] = {}
    for kind, of_kind in _by_kind(deltas).items():
        types = Counter(delta.record.type for delta in of_kind)
        found[kind] = {kind_of.value: types[kind_of] for kind_of in MemoryType if types[kind_of]}
    return found


def session_counts(deltas: Iterable[MemoryDelta]) -> dict[str, dict[str, int]]:
    """What a session's record keeps: as `ledger_counts`, with what was added and awaits approval as STAGED."""
    staged: list[MemoryDelta] = []
    others: list[MemoryDelta] = []
    for delta in deltas:
        (staged if delta.status == "ADDED" and delta.pending else others).append(delta)
    found = ledger_counts(others)
    return {**found, STAGED: ledger_counts(staged)["ADDED"]} if staged else found


def ledger_summary(deltas: Iterable[MemoryDelta]) -> str:
    """The Markdown that a session's end shows (EP-0133, 3), ending in a newline."""
    return summary_of_counts(session_counts(deltas))


def summary_of_counts(ledger: Mapping[str, Mapping[str, int]]) -> str:
    """The same Markdown from the counts that a session's record keeps."""
    lines = ["## Session Memory Ledger Delta"]
    for kind, label, always in (
        ("ADDED", "Added", True),
        (STAGED, "Staged", False),
        ("SUPERSEDED", "Superseded", True),
        ("REFUTED", "Refuted", True),
        ("MERGED", "Merged", False),
        ("MODIFIED", "Modified", False),
    ):
        types = ledger.get(kind, {})
        if always or any(types.values()):
            lines.append(f"- {label}: {enumerate_types(types)}")
    lines.append(f"- Stale flagged: {sum(ledger.get('DECAYED', {}).values())}")
    return "\n".join(lines) + "\n"


def enumerate_types(types: Mapping[str, int]) -> str:
    """`2 facts, 1 insight`, or `0`."""
    known = [kind.value for kind in MemoryType]
    names = [*known, *sorted(set(types) - set(known))]
    shown = []
    for name in names:
        count = types.get(name, 0)
        if count:
            one, several = _PLURALS.get(name, (name, name))
            shown.append(f"{count} {one if count == 1 else several}")
    return ", ".join(shown) or "0"


def _by_kind(deltas: Iterable[MemoryDelta]) -> dict[Kind, list[MemoryDelta]]:
    found: dict[Kind, list[MemoryDelta]] = {}
    for delta in deltas:
        found.setdefault(delta.status, []).append(delta)
    return {kind: found[kind] for kind in KINDS if kind in found}


def _deltas(differing: Iterable[Change], target: Mapping[str, Memory]) -> list[MemoryDelta]:
    """Classify each change, then fold each newcomer into the first delta that names it as successor."""
    all_of_them = sorted((_delta(change, target) for change in differing), key=_place)
    newcomers = {
        delta.record.id: delta.changes[0]
        for delta in all_of_them
        if delta.status == "ADDED" and not delta.pending and delta.changes[0].after
    }
    kept: list[MemoryDelta] = []
    folded: set[str] = set()
    for delta in all_of_them:
        other = delta.successor_id
        if other is not None and other in newcomers and other not in folded:
            folded.add(other)
            delta = replace(delta, changes=(*delta.changes, newcomers[other]))
        kept.append(delta)
    return [delta for delta in kept if delta.record.id not in folded]


def _place(delta: MemoryDelta) -> tuple[float, str]:
    return (0.0 if delta.at is None else delta.at.timestamp(), delta.record.id)


def _delta(change: Change, target: Mapping[str, Memory]) -> MemoryDelta:
    before, after = change.before, change.after
    if after is None:
        assert before is not None, "a change has at least one side"
        return MemoryDelta(
            status="MODIFIED",
            record=before.memory,
            previous_record=before.memory,
            reason=GONE,
            at=before.at,
            sources=_sources(before.memory),
            changes=(change,),
        )
    steps = _steps(before, after)
    kind = _kind(before, after, steps)
    last = steps[-1] if steps else None
    deciding = next((step for step in reversed(steps) if not step.verified), last)
    # By its last entry, not by the window's steps: seen backwards, a window has none.
    successor_id = after.history[-1].successor if kind in ("SUPERSEDED", "MERGED") else None
    successor = target.get(successor_id) if successor_id is not None else None
    at = after.at
    if kind == "DECAYED" and after.stale_since is not None:
        at = after.stale_since
    elif not steps and after.edit is not None and after.edit.at is not None:
        at = after.edit.at
    return MemoryDelta(
        status=kind,
        record=after.memory,
        previous_record=None if before is None else before.memory,
        reason=_reason(kind, before, after, steps, deciding),
        actor=None if deciding is None else deciding.by,
        session=None if deciding is None else deciding.session,
        at=at,
        successor=successor,
        successor_id=successor_id,
        sources=_sources(after.memory if successor is None else successor),
        steps=steps,
        changes=(change,),
    )


def _kind(before: MemoryState | None, after: MemoryState, steps: Sequence[LifecycleEntry]) -> Kind:
    if before is None:
        if after.status in (Status.ACTIVE, Status.PENDING_APPROVAL):
            return "ADDED"
        return _GONE.get(after.status, "MODIFIED")
    # A memory that was refuted, learned again and refuted again is refuted, though both ends say the same.
    if after.status in _GONE and (before.status is not after.status or steps):
        return _GONE[after.status]
    if after.stale and not before.stale and before.status is after.status and not _edited(before, after):
        return "DECAYED"
    return "MODIFIED"


def _reason(
    kind: Kind,
    before: MemoryState | None,
    after: MemoryState,
    steps: Sequence[LifecycleEntry],
    deciding: LifecycleEntry | None,
) -> str | None:
    given = None if deciding is None else deciding.reason
    if kind == "DECAYED":
        days = 0 if after.age is None else after.age.days
        return f"last verified {days} {'day' if days == 1 else 'days'} ago"
    if kind == "ADDED":
        return _with("pending approval", given) if after.status is Status.PENDING_APPROVAL else given
    if kind != "MODIFIED":
        return given
    what = [EDITED] if before is not None and _edited(before, after) else []
    word = _word(before, after, steps)
    if word is not None:
        what.insert(0, _with(word, given))
    return "; ".join(what) or "record changed"


def _word(before: MemoryState | None, after: MemoryState, steps: Sequence[LifecycleEntry]) -> str | None:
    """What happened to a memory that was neither added nor put out of force, in one or two words."""
    was = None if before is None else before.status
    if after.status is Status.ARCHIVED and was is not Status.ARCHIVED:
        return "archived"
    if after.status is Status.REJECTED and was is not Status.REJECTED:
        return "rejected"
    if was is not None and was is not after.status:
        if steps:
            if after.status is Status.PENDING_APPROVAL:
                return "staged again"
            if was in (Status.PENDING_APPROVAL, Status.REJECTED):
                return "approved"
            if was is Status.ARCHIVED:
                return "restored"
            if was is Status.MERGED and after.memory.type is MemoryType.CORE:
                return "restored"
            if was in GONE_BY:
                return "learned again"
        return f"{was} -> {after.status}"
    if steps:
        return "verified again" if all(step.verified for step in steps) else f"{after.status} again"
    if before is not None and before.stale and not after.stale:
        return "stale -> fresh"
    return None


def _with(word: str, reason: str | None) -> str:
    return word if reason is None else f"{word}: {reason}"


def _edited(before: MemoryState, after: MemoryState) -> bool:
    """Whether the text changed under its id, or is now known to have been changed."""
    return before.memory.content != after.memory.content or before.edit != after.edit


def _steps(before: MemoryState | None, after: MemoryState) -> tuple[LifecycleEntry, ...]:
    """The entries that came in the window, in order of writing."""
    if before is None:
        return after.history
    if after.history[: len(before.history)] == before.history:
        return after.history[len(before.history) :]
    there = Counter(before.history)
    came = []
    for entry in after.history:
        if there[entry]:
            there[entry] -= 1
        else:
            came.append(entry)
    return tuple(came)


def _sources(memory: Memory) -> tuple[str, ...]:
    """URIs of the notes that a memory was consolidated from."""
    return tuple(
        link.uri for link in memory.links if link.relation == Relation.CONSOLIDATED_FROM and note_of_uri(link.uri)
    )
