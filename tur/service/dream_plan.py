"""From an engine's Dream to what will be written: validated, redacted, and settled to the byte.

The plan is stored with the seal, so that finishing it later needs neither engine nor clock.
"""

import json
from dataclasses import asdict, dataclass, field
from datetime import datetime

from tur.clock import format_time, parse_time
from tur.codec.memory_file import derive_title, parse_memory, render_memory
from tur.codec.seal import memory_id, memory_seal
from tur.dreaming.engine import DreamResult
from tur.errors import DreamFailed, NotFound, TurError
from tur.ids import memory_uri, note_uri, short_id
from tur.model.dream import DreamMemory
from tur.model.memory import LifecycleEntry, Memory, MemoryLink, MemoryType, Relation, Scope, Status
from tur.model.note import Note
from tur.model.session import SessionNotes
from tur.service.intake import take_tags, take_text
from tur.store.store import Store


@dataclass(frozen=True, slots=True)
class DreamPlan:
    """What a sleep will write.

    `files` are whole memory files, `supersedes` pairs of old and new id, `refutes` pairs of id and
    reason; `note_count` is how many notes the dream saw, `at` the time all of it is dated.
    """

    model: str
    author: str
    at: datetime
    note_count: int
    files: list[str] = field(default_factory=list)
    supersedes: list[tuple[str, str]] = field(default_factory=list)
    refutes: list[tuple[str, str]] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)

    @property
    def ids(self) -> list[str]:
        return [memory.id for memory in self.memories()]

    def memories(self) -> list[Memory]:
        return [parse_memory(text.encode()) for text in self.files]

    def created(self, store: Store) -> list[Memory]:
        """Those that the store does not have yet."""
        return [memory for memory in self.memories() if store.memories.path_of(memory.id) is None]

    def known(self, store: Store) -> list[Memory]:
        """Those that the store has, as it has them."""
        return [store.memories.get(one) for one in self.ids if store.memories.path_of(one) is not None]

    def changes_nothing(self, store: Store, session: SessionNotes) -> bool:
        """Whether carrying this out on a session consolidated before would leave every byte as it is."""
        done = set(session.consolidation.derived_memory_ids)
        return (
            session.consolidation.consolidated
            and self.note_count == session.consolidation.note_count_at_consolidation
            and set(self.ids) <= done
            and not self.created(store)
            and all(store.memories.get(old).status is not Status.ACTIVE for old, _ in [*self.supersedes, *self.refutes])
        )

    def to_json(self) -> str:
        return json.dumps({**asdict(self), "at": format_time(self.at)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "DreamPlan":
        facts = json.loads(text)
        for pairs in ("supersedes", "refutes"):
            facts[pairs] = [(one, other) for one, other in facts[pairs]]
        return cls(**{**facts, "at": parse_time(facts["at"])})


def plan_dream(
    store: Store, session: SessionNotes, notes: list[Note], result: DreamResult, *, author: str, at: datetime
) -> DreamPlan:
    """Settle what a dream becomes. Raises DreamFailed when it cites notes or memories that do not exist."""
    by_index = {note.idx: note for note in notes}
    files: dict[str, str] = {}
    supersedes: list[tuple[str, str]] = []
    redacted: set[str] = set()
    for dreamt in result.dream.memories:
        memory, kinds = _memory(store, session.session_id, by_index, dreamt, author=author, at=at)
        redacted.update(kinds)
        files.setdefault(memory.id, render_memory(memory).decode())
        supersedes += [(_existing(store, old, session.session_id), memory.id) for old in dreamt.supersedes]
    refutes = []
    for refutation in result.dream.refutes:
        _cited(by_index, refutation.from_notes)
        reason, kinds = _usable(refutation.reason, "a reason")
        redacted.update(kinds)
        refutes.append((_existing(store, refutation.memory_id, session.session_id), reason))
    return DreamPlan(
        model=result.model,
        author=author,
        at=at,
        note_count=len(notes) if result.notes_seen is None else result.notes_seen,
        files=list(files.values()),
        supersedes=[(old, new) for old, new in supersedes if old != new],
        refutes=refutes,
        redacted=sorted(redacted),
    )


def _memory(
    store: Store, session_id: str, notes: dict[int, Note], dreamt: DreamMemory, *, author: str, at: datetime
) -> tuple[Memory, list[str]]:
    content, redacted = _usable(dreamt.content, "a dreamt memory")
    scope, kind = Scope(dreamt.scope), MemoryType(dreamt.memory_type)
    identity = memory_id(scope, kind, content)
    cited = _cited(notes, dreamt.from_notes)
    links = [MemoryLink(note_uri(session_id, note.idx), Relation.CONSOLIDATED_FROM, note.hash) for note in cited]
    for old in dreamt.supersedes:
        full = _existing(store, old, session_id)
        links.append(MemoryLink(memory_uri(full), Relation.SUPERSEDES, full))
    title = _usable(dreamt.title, "a title", one_line=True)[0] if dreamt.title else derive_title(content)
    memory = Memory(
        id=identity,
        seal=memory_seal(identity, at, links),
        type=kind,
        scope=scope,
        title=title,
        content=content,
        timestamp=at,
        author=author,
        session=session_id,
        tags=take_tags(dreamt.tags)[0],
        links=tuple(links),
        lifecycle=(LifecycleEntry(at, Status.ACTIVE, author, session_id),),
    )
    return memory, redacted


def _usable(text: str, what: str, *, one_line: bool = False) -> tuple[str, list[str]]:
    try:
        return take_text(text, what, one_line=one_line)
    except TurError as error:
        raise DreamFailed(f"the dream is unusable: {error.message}", hint=_AGAIN) from error


def _cited(notes: dict[int, Note], indices: list[int]) -> list[Note]:
    missing = sorted({idx for idx in indices if idx not in notes})
    if missing:
        raise DreamFailed(
            f"the dream cites notes that do not exist: {', '.join(map(str, missing))}", hint=_AGAIN, notes=missing
        )
    return [notes[idx] for idx in sorted(set(indices))]


def _existing(store: Store, given: str, session_id: str) -> str:
    """The full id of a memory that the dream may put out of force, or did in an earlier dream of this session."""
    try:
        memory = store.memories.find(given)
    except (NotFound, TurError) as error:
        raise DreamFailed(f"the dream names a memory that cannot be used: {error.message}", hint=_AGAIN) from error
    if memory.core is not None:
        raise DreamFailed("the dream would change a core memory; only a human decides on those", hint=_AGAIN)
    if memory.status is not Status.ACTIVE and memory.lifecycle[-1].session != session_id:
        raise DreamFailed(f"the dream names {short_id(memory.id)}, which is {memory.status} already", hint=_AGAIN)
    return memory.id


_AGAIN = "The session stays open and unconsolidated. Dream again, or use `--engine offline`."
