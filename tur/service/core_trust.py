"""Core memories as this store may trust them: gathers files, log, pins and key for the pure verdict."""

import contextlib
import os
from collections.abc import Iterable
from dataclasses import replace

from tur import faults
from tur.codec.audit import core_digest
from tur.codec.memory_file import append_lifecycle, parse_memory
from tur.codec.seal import memory_id, memory_seal
from tur.errors import StoreCorrupt, StoreUnavailable, TurError
from tur.ids import MEMORY_ID
from tur.model.audit import AuditLog, Pins
from tur.model.memory import Memory, MemoryType
from tur.paths import memory_file_name
from tur.policy.trust import Alarm, CoreFile, TrustVerdict, judge
from tur.store.audit import AuditFile
from tur.store.config import TrustFile
from tur.store.files import read_file, write_file
from tur.store.intents import Intent, drop_intent, intents_folder, list_intents
from tur.store.locks import locked, try_locked
from tur.store.memories import FOLDERS, MEMORY_FILE_LIMIT
from tur.store.steward_key import Ed25519Signatures, read_public_key
from tur.store.store import Store


def audit_file(store: Store) -> AuditFile:
    """The audit log of the store's persona."""
    return AuditFile(store.home, store.persona_id)


def trust_file(store: Store) -> TrustFile:
    """What this user remembers about the store's persona."""
    return TrustFile(store.config, store.persona_id, store.terrain)


def core_trust(store: Store, memories: Iterable[Memory] | None = None) -> TrustVerdict:
    """The verdict over the store's core memories, each read anew from its file.

    `memories` may give the core memories that are known already, of which only the ids count;
    without it every memory file is read. Never raises: what cannot be read is an alarm.
    """
    verdict, pins = _verdict(store, memories)
    _pin_first_use(store, verdict, pins)
    return verdict


def peek_core_trust(store: Store, memories: Iterable[Memory]) -> TrustVerdict:
    """The same verdict for a reader that promises to write nothing: no first use of a key is remembered."""
    return _verdict(store, memories)[0]


def _verdict(store: Store, memories: Iterable[Memory] | None) -> tuple[TrustVerdict, Pins]:
    log, pins = audit_file(store).read(), trust_file(store).pins()
    try:
        public_key, problem = read_public_key(store.home, store.persona_id), None
    except TurError as error:
        public_key, problem = None, Alarm("key_unreadable", "steward.pub", error.message)
    given = store.memories.load_all()[0] if memories is None else list(memories)
    files, unreadable = _files(store, given, log)
    verdict = judge(
        files,
        log,
        pins,
        Ed25519Signatures(),
        public_key=public_key,
        unreadable=unreadable,
        now=store.clock.now(),
    )
    if problem is not None and not verdict.closed:
        # A key that cannot be read and a log that never had one: no key is in force, and someone planted a file.
        verdict = replace(verdict, alarms=(*verdict.alarms, replace(problem, closed=False)))
    return verdict, pins


def core_file(store: Store, memory: Memory, path: str, *, home: bool) -> CoreFile:
    """A memory with everything that trust needs to know, re-computed from its text."""
    return CoreFile(
        memory=memory,
        path=path,
        id=memory_id(memory.scope, memory.type, memory.content, memory.core),
        seal=memory_seal(memory.id, memory.timestamp, memory.links),
        digest=core_digest(memory),
        home=home,
    )


def _files(store: Store, given: Iterable[Memory], log: AuditLog) -> tuple[list[CoreFile], dict[str, str]]:
    ids = {memory.id: memory for memory in given if memory.type is MemoryType.CORE}
    approved = {entry.id for entry in log.entries if entry.id is not None and entry.digest is not None}
    files: list[CoreFile] = []
    unreadable: dict[str, str] = {}
    for one in sorted(ids.keys() | approved):
        found = False
        for folder in FOLDERS:
            path = store.home.memories(store.persona_id, folder) / memory_file_name(one)
            try:
                memory = parse_memory(read_file(path, limit=MEMORY_FILE_LIMIT))
            except FileNotFoundError:
                continue
            except TurError as error:
                unreadable[one] = error.message
                continue
            if memory.type is not MemoryType.CORE:
                unreadable[one] = f"its file says it is no core memory but {memory.type}"
                continue
            home = folder == "active" and memory.id == one
            files.append(core_file(store, memory if home else replace(memory, id=one), str(path), home=home))
            found = True
            break
        if not found and one in ids and one not in unreadable:
            # It lies elsewhere: in the terrain, or under another name.
            where = store.memories.path_of(one)
            files.append(core_file(store, ids[one], str(where), home=False))
    return files, unreadable


def _pin_first_use(store: Store, verdict: TrustVerdict, pins: Pins) -> None:
    """Remember the key in force at its first use in this terrain, once everything else holds."""
    if verdict.key is None or verdict.closed or (pins.terrain and pins.record):
        return
    # A read-only place takes no record; the user's own pin of the key was checked all the same.
    with contextlib.suppress(StoreUnavailable):
        trust_file(store).pin_terrain(pins.terrain or verdict.key)


def settle(store: Store) -> None:
    """Finish what a steward began and a crash interrupted, unless someone is at it right now.

    A home that cannot be written to stays as it is: trust does not depend on it.
    """
    if not list_intents(intents_folder(store.home, store.persona_id)):
        return
    with contextlib.suppress(StoreUnavailable), try_locked(audit_file(store).lock) as free:
        if free:
            settle_locked(store)


def settle_locked(store: Store) -> None:
    """The same for a caller who holds the steward lock.

    An act whose line is in the log is carried out in the memory's file; one without its line never
    happened. What the file says grants no trust by itself, so an invented intent gains nothing.
    """
    folder = intents_folder(store.home, store.persona_id)
    log = audit_file(store).read()
    lines = {entry.hash for entry in log.entries}
    last = {entry.id: entry.hash for entry in log.entries if entry.id is not None}
    for path, intent in list_intents(folder):
        if intent is None:
            continue
        if intent.line in lines and last.get(intent.memory_id) == intent.line:
            try:
                apply_intent(store, intent)
            except StoreCorrupt:
                # Nothing can be written into a file that cannot be read; the intent waits until it can be.
                continue
            faults.reached("settle.applied")
        elif log.faults:
            continue
        drop_intent(path)


def apply_intent(store: Store, intent: Intent, shown: bytes | None = None) -> None:
    """Make the memory's file say what was decided. Doing it twice is doing it once.

    With `shown`, the file is written from those bytes: they are what was decided on.
    """
    path = store.memories.path_of(intent.memory_id)
    if path is None:
        return
    with locked(path.parent.parent / "memories.lock"):
        data = read_file(path, limit=MEMORY_FILE_LIMIT) if shown is None else shown
        if intent.text is not None:
            write_file(path, intent.text.encode())
        elif parse_memory(data).lifecycle[intent.after : intent.after + 1] != (intent.entry,):
            write_file(path, append_lifecycle(data, intent.entry))
    faults.reached("steward.file")
    if intent.folder is not None:
        store.memories.move(intent.memory_id, intent.folder)


def stray_files(store: Store) -> list[str]:
    """Names in the home's active folder that look like a memory and are no regular file."""
    folder = store.home.memories(store.persona_id)
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(
        entry.name
        for entry in entries
        if entry.name.endswith(".md")
        and MEMORY_ID.fullmatch(entry.name[:-3])
        and not entry.is_file(follow_symlinks=False)
    )
