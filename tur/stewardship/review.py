"""What a human is shown before deciding on a memory: the bytes that the decision will be bound to."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tur.clock import format_time
from tur.codec.audit import core_digest
from tur.codec.memory_file import is_edited, parse_memory
from tur.errors import Conflict, Refused, StoreCorrupt, TurError
from tur.ids import short_id
from tur.model.audit import Act
from tur.model.memory import Core, Memory, MemoryType, Relation, Scope, Status
from tur.policy.display import instruction_like
from tur.policy.lifecycle import may_be_restored, may_become
from tur.policy.look_alikes import deceptions
from tur.policy.merging import merged_by, superseded_by
from tur.policy.nearness import SIMILAR, Near, likeness, nearest
from tur.policy.trust import LeftOut, TrustVerdict
from tur.service.core_section import render_core_section
from tur.service.core_trust import core_trust
from tur.service.intake import take_text
from tur.service.show import LineageStep, lineage_of
from tur.service.traces import Traces
from tur.stewardship.edits import Edit, check_edit, edit_of
from tur.stewardship.effect import Effect, effect_of
from tur.stewardship.ledger import recover
from tur.store.files import read_file
from tur.store.index import open_index
from tur.store.memories import MEMORY_FILE_LIMIT
from tur.store.store import Store

REASON_LIMIT = 4_000
"""Longest reason, in bytes."""

FOLLOWED = 8
"""How many of the memories that one rests on are followed one step further."""

_ORDINARY = "it is no core memory: only those need approval"


@dataclass(frozen=True, slots=True)
class Review:
    """One memory, laid out for a decision.

    `data` are the bytes of its file, read once: everything else here comes from them. `injected` is
    what wake would put into the prompt, to the letter ("" for an ordinary memory). `lineage` are
    its links, `source_lineage` those of the memories it refines, merges or supersedes. `similar` are
    near-identical core memories, `nearest` the approved ones that are next to it; `effect` is what
    approving it does to the prompt's core section (None for an ordinary memory). `hidden` names
    characters that a reader would not see, `remarks` what reads like an order. `blocked` says why it
    cannot be approved as it is. `trusted` says it is approved already. `edit` is the change by hand
    in it, if there is one.
    """

    memory: Memory
    data: bytes
    injected: str
    lineage: list[LineageStep]
    source_lineage: list[LineageStep]
    similar: list[Memory]
    hidden: list[str]
    remarks: list[str]
    blocked: list[str]
    trusted: bool
    edit: Edit | None = None
    nearest: list[Near] = field(default_factory=list)
    effect: Effect | None = None

    @property
    def digest(self) -> str | None:
        """What an approval is bound to beside id and seal; None for an ordinary memory."""
        return core_digest(self.memory) if self.memory.type is MemoryType.CORE else None

    @property
    def retires(self) -> tuple[Memory, ...]:
        """The approved core memories that approving this one takes out of force, since it merges them."""
        return self.effect.retired if self.effect is not None else ()

    @property
    def blocked_from_return(self) -> list[str]:
        """Why a forgotten or merged core memory cannot be brought back; empty for an ordinary one."""
        expected = f"it is {self.memory.status}, not pending"
        return [one for one in self.blocked if one != expected] if self.memory.type is MemoryType.CORE else []

    @property
    def outlived(self) -> list[Memory]:
        """The memories it was made of that are no longer in force."""
        return [
            step.memory
            for step in self.lineage
            if step.memory is not None
            and step.link.relation == Relation.REFINES
            and step.memory.status is not Status.ACTIVE
        ]

    def check(self, act: Act, reason: str | None = None) -> None:
        """Raise at once what the act would raise, before a human reads and types in vain.

        Conflict for the wrong status, Refused for what is blocked, InvalidInput for a reason that
        says nothing. The act itself checks again, under the lock.
        """
        if reason is not None:
            take_text(reason, "a reason", limit=REASON_LIMIT)
        memory, name, status = self.memory, short_id(self.memory.id), self.memory.status
        wrong: tuple[str, str] | None = None
        if act is Act.APPROVE and self.trusted:
            wrong = f"{name} is approved already", "Nothing was changed."
        elif act is Act.APPROVE and memory.type is not MemoryType.CORE:
            wrong = f"{name} cannot be approved: {_ORDINARY}", "Nothing was changed."
        elif act is Act.APPROVE and status not in (Status.PENDING_APPROVAL, Status.ACTIVE):
            wrong = f"{name} is {status}, not pending", "Nothing was changed."
        elif act is Act.REJECT and status is not Status.PENDING_APPROVAL:
            wrong = f"{name} is {status}, not pending", "`tur-adm memory forget` takes a memory out of force."
        elif act is Act.FORGET and not may_become(status, Status.ARCHIVED):
            pending = status is Status.PENDING_APPROVAL
            hint = "`tur-adm memory reject` turns it down." if pending else "Nothing was changed."
            wrong = f"{name} is {status} and cannot be forgotten", hint
        elif act is Act.RESTORE and not may_be_restored(memory):
            wrong = f"{name} is {status}, not forgotten", "Nothing was changed."
        elif act is Act.ACCEPT_EDIT:
            check_edit(memory, self.edit)
        if wrong is not None:
            raise Conflict(wrong[0], hint=wrong[1], id=memory.id)
        blocked = self.blocked if act is Act.APPROVE else self.blocked_from_return if act is Act.RESTORE else []
        if blocked:
            hint = f"Nothing was changed. `tur-adm memory show {memory.id[:8]}` lays it out."
            if act is Act.APPROVE and status is Status.PENDING_APPROVAL:
                hint += " `tur-adm memory reject` turns it down with a reason, so that it is staged anew."
            verb = "approved" if act is Act.APPROVE else "restored"
            raise Refused(f"{name} cannot be {verb}: {'; '.join(blocked)}", hint=hint, id=memory.id)

    def check_restaging(self) -> Core:
        """The words of a core memory that can be put differently, or merged. Raises Conflict."""
        memory, name = self.memory, short_id(self.memory.id)
        if memory.core is None or memory.type is not MemoryType.CORE or memory.status is not Status.PENDING_APPROVAL:
            what = f"is {memory.status}, not pending" if memory.type is MemoryType.CORE else "is no core memory"
            raise Conflict(f"{name} {what}", hint="Nothing was changed.", id=memory.id)
        if self.edit is not None:
            raise Conflict(
                f"the file of {name} was edited by hand and no longer matches its id",
                hint="Nothing was changed. `tur-adm memory accept-edit` stages what it says now.",
                id=memory.id,
            )
        return memory.core


def review(store: Store, given: str) -> Review:
    """Lay out a memory for a decision. Raises InvalidInput, NotFound, Ambiguous or StoreCorrupt."""
    verdict = recover(store)
    memory, data = read_for_decision(store, store.memories.resolve(given))
    is_core = memory.type is MemoryType.CORE
    others = [one for one in core_memories(store) if one.id != memory.id] if is_core else []
    traces = Traces(store)
    lineage = lineage_of(store, memory, traces)
    sources = {step.memory.id: step.memory for step in lineage if step.memory is not None}
    hidden = deceptions(memory.texts)
    return Review(
        memory=memory,
        data=data,
        injected=render_core_section([memory]) if is_core else "",
        lineage=lineage,
        source_lineage=_deeper(store, list(sources.values())[:FOLLOWED], traces),
        similar=[one for one in others if _alike(one, memory)],
        hidden=hidden,
        remarks=sorted({remark for text in memory.texts.values() for remark in instruction_like(text)}),
        blocked=_blocked(memory, hidden, lineage, verdict),
        trusted=any(one.id == memory.id for one in verdict.trusted),
        edit=edit_of(store, memory),
        nearest=nearest(memory, verdict.trusted),
        effect=effect_of(verdict.trusted, [memory]) if is_core else None,
    )


def read_for_decision(store: Store, memory_id: str) -> tuple[Memory, bytes]:
    """A memory and the very bytes it was read from. Raises NotFound or StoreCorrupt."""
    path = store.memories.path_of(memory_id)
    if path is None:
        store.memories.get(memory_id)
        raise StoreCorrupt(f"the file of {memory_id} went away")
    data = read_file(path, limit=MEMORY_FILE_LIMIT)
    try:
        memory = parse_memory(data)
    except TurError as error:
        raise StoreCorrupt(f"{path}: {error.message}", hint=error.hint, path=str(path)) from error
    if memory.id != memory_id:
        raise StoreCorrupt(f"{path}: the file says it is {memory.id}", path=str(path))
    return memory, data


def core_memories(store: Store) -> list[Memory]:
    """Every core memory that can be read, oldest first."""
    with open_index(store.terrain.index, store.memories) as index:
        entries = list(index.entries(types=[MemoryType.CORE], all_statuses=True, now=format_time(store.clock.now())))
    found = []
    for entry in entries:
        try:
            found.append(store.memories.get(entry.id))
        except TurError:
            continue
    return sorted(found, key=lambda memory: (memory.timestamp, memory.id))


def standing(store: Store, memories: list[Memory]) -> dict[str, LeftOut]:
    """For each of these core memories that the prompt does not get, why."""
    return {one.id: one for one in core_trust(store, memories).left_out}


def _blocked(memory: Memory, hidden: list[str], lineage: list[LineageStep], verdict: TrustVerdict) -> list[str]:
    if memory.type is not MemoryType.CORE:
        return [_ORDINARY]
    blocked = []
    if memory.scope is not Scope.UNIVERSAL:
        blocked.append(f"its scope is {memory.scope}: core memories are universal")
    if is_edited(memory) or not memory.seal:
        blocked.append("its text, links or time were changed by hand and no longer match its id and seal")
    if hidden:
        holds = "a character" if len(hidden) == 1 else f"{len(hidden)} characters"
        blocked.append(f"it holds {holds} that a reader does not see, or takes for another")
    if any("\n" in text.strip() for field, text in memory.texts.items() if field != "lived context"):
        blocked.append("its principle or covenant has more than one line")
    if memory.status not in (Status.PENDING_APPROVAL, Status.ACTIVE):
        blocked.append(f"it is {memory.status}, not pending")
    blocked += [f"what it rests on has changed: {step.link.uri}" for step in lineage if _changed(step)]
    blocked += rivals(memory, verdict.trusted)
    blocked += [f"{alarm.subject}: {alarm.message}" for alarm in verdict.alarms if alarm.closed]
    return blocked


def rivals(memory: Memory, trusted: Iterable[Memory]) -> list[str]:
    """Why two versions of one thing would both be in force, if this one came to be."""
    found = []
    for other in trusted:
        if memory.id in merged_by(other):
            found.append(f"{short_id(other.id)}, which is approved, merges it: forget that one first")
        elif memory.id in superseded_by(other):
            found.append(f"{short_id(other.id)}, which is approved, says it in other words: forget that one first")
        elif other.id in superseded_by(memory):
            found.append(f"{short_id(other.id)}, which it says in other words, is approved: forget that one first")
    return found


def _deeper(store: Store, sources: Iterable[Memory], traces: Traces) -> list[LineageStep]:
    """What these memories rest on, each link once."""
    steps = {step.link: step for source in sources for step in lineage_of(store, source, traces)}
    return list(steps.values())


def _changed(step: LineageStep) -> bool:
    return not step.sound and (step.note is not None or step.memory is not None)


def _alike(one: Memory, other: Memory) -> bool:
    if one.core is None or other.core is None or one.status not in (Status.ACTIVE, Status.PENDING_APPROVAL):
        return False
    return likeness(one.core, other.core) >= SIMILAR
