"""`tur evolve`: an agent stages a core memory. Nothing here makes one active: only a human does (EP-0113, 2)."""

from dataclasses import dataclass, field

from tur.codec.memory_file import core_title, is_edited
from tur.codec.seal import memory_id, memory_seal, verify_chain
from tur.errors import Conflict, InvalidInput, NotFound, Refused
from tur.ids import SESSION_ID, memory_uri, note_of_uri, note_uri, short_id
from tur.model.memory import Core, CoreType, LifecycleEntry, Memory, MemoryLink, MemoryType, Relation, Scope, Status
from tur.policy.display import counted, instruction_like
from tur.policy.look_alikes import deceptions
from tur.service.core_trust import core_trust, settle
from tur.service.intake import known_and_gone, take_text
from tur.store.store import Store

FIELD_LIMIT = 2_000
"""Longest principle or covenant, in bytes."""

NAMED = 5
"""How many characters that block its approval are named one by one."""


@dataclass(frozen=True, slots=True)
class Staged:
    """What `evolve` did. `created` is False when the same was staged, or approved, before.

    `again` says that a rejected one was staged once more. `rejection` is the reason of the last
    rejection, if there was one. `redacted` are kinds of secrets that were taken out. `remarks`
    tell what a human will stumble over.
    """

    memory: Memory
    created: bool
    again: bool = False
    rejection: str | None = None
    redacted: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def evolve(
    store: Store,
    source: str,
    *,
    type: CoreType,
    principle: str,
    covenant: str,
    author: str,
    again: bool = False,
) -> Staged:
    """Stage the lived experience `source` (a memory, or a note's URI) as a core memory that awaits approval.

    Raises InvalidInput, NotFound, Ambiguous, Conflict when the source is out of force or its text
    was edited, and Refused for what a human rejected (without `again`) or forgot; then nothing was changed.
    """
    settle(store)
    lived, link, session = _source(store, source)
    clean, kinds = take_text(lived, "the lived context")
    core, more = take_words(type, principle, covenant)
    identity = memory_id(Scope.UNIVERSAL, MemoryType.CORE, clean, core)
    now = store.clock.now()
    session = session or store.sessions.active()
    memory = Memory(
        id=identity,
        seal=memory_seal(identity, now, [link]),
        type=MemoryType.CORE,
        scope=Scope.UNIVERSAL,
        title=core_title(identity),
        content=clean,
        timestamp=now,
        author=author,
        session=session,
        links=(link,),
        lifecycle=(LifecycleEntry(now, Status.PENDING_APPROVAL, author, session),),
        core=core,
    )
    redacted = sorted({*kinds, *more})
    stored, created = store.memories.add(memory)
    if created:
        return Staged(stored, True, redacted=redacted, remarks=_remarks(stored))
    return _meet_known(store, stored, type, author=author, again=again, redacted=redacted)


def take_words(type: CoreType, principle: str, covenant: str) -> tuple[Core, list[str]]:
    """Principle and covenant as they may be stored, and kinds of secrets taken out. Raises InvalidInput."""
    shown_principle, kinds = take_text(principle, "a principle", one_line=True, limit=FIELD_LIMIT)
    shown_covenant, more = take_text(covenant, "a covenant", one_line=True, limit=FIELD_LIMIT)
    return Core(type, shown_principle, shown_covenant), [*kinds, *more]


def _meet_known(
    store: Store, known: Memory, type: CoreType, *, author: str, again: bool, redacted: list[str]
) -> Staged:
    if known.core is None or known.core.core_type is not type:
        kind = known.core.core_type.value if known.core else known.type.value
        raise Conflict(
            f"{short_id(known.id)} is staged with the same words as {kind}",
            hint="Nothing was changed. A human can reject that one, or give this one words of its own.",
            id=known.id,
        )
    rejection = next((one for one in reversed(known.lifecycle) if one.status is Status.REJECTED), None)
    reason = rejection.reason if rejection else None
    if known.status is Status.ACTIVE:
        left = next((one for one in core_trust(store, [known]).left_out if one.id == known.id), None)
        if left is not None:
            raise Conflict(
                f"the file of {short_id(known.id)} says active, and it is not trusted: {left.reason}",
                hint="A human settles that with `tur-adm memory approve`. Nothing was changed.",
                id=known.id,
            )
    if known.status in (Status.PENDING_APPROVAL, Status.ACTIVE):
        return Staged(known, False, rejection=reason, redacted=redacted, remarks=_remarks(known))
    if known.status is not Status.REJECTED or rejection is None:
        raise known_and_gone(known)
    if not again:
        raise Refused(
            f"{short_id(known.id)} was rejected by {rejection.by}: {reason or 'no reason given'}",
            hint="Say it differently, or pass --again to ask once more. Nothing was changed.",
            id=known.id,
            reason=reason,
        )
    entry = LifecycleEntry(
        store.clock.now(), Status.PENDING_APPROVAL, author, store.sessions.active(), reason="staged again"
    )
    stored, news = store.memories.append(known.id, lambda found: entry if found.status is Status.REJECTED else None)
    return Staged(stored, False, again=news, rejection=reason, redacted=redacted, remarks=_remarks(stored))


def _source(store: Store, given: str) -> tuple[str, MemoryLink, str | None]:
    """The lived context, the link to it with its hash, and the session it happened in."""
    named = note_of_uri(given.strip())
    if named is not None:
        session_id, idx = named
        notes = store.sessions.load(session_id).notes
        note = next((note for note in notes if note.idx == idx), None)
        if note is None:
            raise NotFound(f"session {session_id} has no note {idx}", hint=f"`tur show {session_id}` lists them.")
        broken = verify_chain(notes)
        if broken is not None and broken <= idx:
            raise Conflict(
                f"the chain of notes of session {session_id} is broken at note {broken}",
                hint="`tur verify` tells more. Nothing was changed.",
            )
        return note.text, MemoryLink(note_uri(session_id, idx), Relation.REFINES, note.hash), session_id
    if given.strip().startswith("tur://session/"):
        raise InvalidInput(
            f"not a note: {given!r}", hint="A note is tur://session/<session_id>#note-<idx>; or give a memory's id."
        )
    memory = store.memories.get(_memory_named(store, given))
    if memory.status is not Status.ACTIVE:
        raise Conflict(
            f"{short_id(memory.id)} is {memory.status}: only knowledge in force can become a core memory",
            hint="`tur show` tells its history. Nothing was changed.",
            id=memory.id,
            status=memory.status.value,
        )
    if is_edited(memory):
        raise Conflict(
            f"the text of {short_id(memory.id)} was edited by hand and no longer matches its id",
            hint="A human settles that with `tur-adm memory accept-edit`. Nothing was changed.",
            id=memory.id,
        )
    return memory.content, MemoryLink(memory_uri(memory.id), Relation.REFINES, memory.id), memory.session


def _memory_named(store: Store, given: str) -> str:
    """The full id of a memory; an error says that a note would do as well, and how one is named."""
    try:
        return store.memories.resolve(given)
    except (InvalidInput, NotFound) as error:
        session = given.strip() if SESSION_ID.fullmatch(given.strip()) else "<session_id>"
        hint = f"{error.hint} A note is {note_uri(session, 3)}, with the number of the one you mean."
        raise type(error)(error.message, hint=hint, **error.context) from error


def _remarks(memory: Memory) -> list[str]:
    hidden = deceptions(memory.texts)
    remarks = [f"its approval is blocked by {one}" for one in hidden[:NAMED]]
    if len(hidden) > NAMED:
        remarks.append(f"its approval is blocked by {counted(len(hidden) - NAMED, 'more such character')}")
    return remarks + sorted({f"it {kind}" for text in memory.texts.values() for kind in instruction_like(text)})
