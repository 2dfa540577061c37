"""Content addresses, seals and the chain of notes: every hash that the store relies on is made here.

A hash is sha256 over a version prefix and canonical JSON, never over a file's own bytes, so it
outlives a change of the file format.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from tur.clock import format_time
from tur.codec.text import normalise
from tur.model.memory import Core, MemoryLink, MemoryType, Scope
from tur.model.note import Note

_MEMORY = b"tur.memory.v1\n"
_SEAL = b"tur.seal.v1\n"
_NOTE = b"tur.note.v1\n"
_LEAF = b"\x00"
_NODE = b"\x01"


def memory_id(scope: Scope, type: MemoryType, content: str, core: Core | None = None) -> str:
    """The content address of a memory: 64 hex digits.

    Covers scope, type and normalised content, and of a core memory its principle and covenant.
    Title, tags, time and author are not part of it: the same thing learnt twice has one id.
    """
    subject = {"scope": scope.value, "type": type.value, "content": normalise(content)}
    if core is not None:
        subject["derived_principle"] = normalise(core.derived_principle)
        subject["ethical_covenant"] = normalise(core.ethical_covenant)
    return _sha256(_MEMORY + _canonical(subject)).hex()


def memory_seal(memory_id: str, timestamp: datetime, links: Sequence[MemoryLink]) -> str:
    """The Merkle root over a memory's id, its time of birth (whole seconds) and its links in order: 64 hex digits.

    Each link is a leaf with the hash of what it points to, so lineage is sealed all the way down.
    """
    leaves: list[object] = [["id", memory_id], ["timestamp", format_time(timestamp)]]
    leaves += [["link", link.uri, link.relation, link.hash] for link in links]
    return _sha256(_SEAL + _root([_sha256(_LEAF + _canonical(leaf)) for leaf in leaves])).hex()


def note_hash(previous: str | None, idx: int, at: datetime, author: str, text: str) -> str:
    """The hash of a note, chained to `previous`, the hash of the note before (None for the first): 64 hex digits.

    Covers the text exactly as it is stored, and the time in whole seconds.
    """
    return _sha256(_NOTE + _canonical([previous, idx, format_time(at), author, text])).hex()


def verify_chain(notes: Iterable[Note]) -> int | None:
    """The `idx` of the first note whose hash does not follow from it and the one before, or None when all hold."""
    previous: str | None = None
    for note in notes:
        if note.hash != note_hash(previous, note.idx, note.at, note.author, note.text):
            return note.idx
        previous = note.hash
    return None


def _root(hashes: Sequence[bytes]) -> bytes:
    """RFC 6962: leaves and nodes have their own prefixes, so neither can pass for the other."""
    if len(hashes) == 1:
        return hashes[0]
    split = 1 << (len(hashes) - 1).bit_length() - 1
    return _sha256(_NODE + _root(hashes[:split]) + _root(hashes[split:]))


def _canonical(value: object) -> bytes:
    # ASCII, so that even half a surrogate pair in a damaged file has a hash instead of an exception.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
