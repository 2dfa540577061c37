"""The audit log's lines: canonical JSON, each line chained to the one before, and the bytes a key signs."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace

from tur.clock import format_time, parse_time
from tur.ids import MEMORY_ID, PERSONA_ID
from tur.model.audit import GENESIS, Act, AuditEntry, AuditFault, AuditLog
from tur.model.memory import Memory

VERSION = 1
MAX_LINE_BYTES = 64 * 1024
"""Longest line of a log, in bytes."""

_LINE = b"tur.audit.line.v1\n"
_SIGNED = b"tur.audit.signature.v1\n"
_DIGEST = b"tur.audit.core.v1\n"
_KEY = b"tur.steward.key.v1\n"
_HEX = re.compile(r"[0-9a-f]{64}")
_SIGNATURE = re.compile(r"[0-9a-f]{128}")
_FIELDS = (
    *("act", "actor", "argv", "at", "digest", "fingerprint", "id", "persona"),
    *("previous", "public_key", "reason", "seal", "seq", "signature", "version"),
)


def render_line(entry: AuditEntry) -> bytes:
    """The line of an entry with its newline. The same entry always gives the same bytes."""
    return _canonical(_fields(entry)) + b"\n"


def line_hash(line: bytes) -> str:
    """The hash of a line without its newline, as the next line repeats it."""
    return hashlib.sha256(_LINE + line).hexdigest()


def sealed(entry: AuditEntry) -> AuditEntry:
    """The entry with the hash of its line."""
    return replace(entry, hash=line_hash(render_line(entry)[:-1]))


def signing_bytes(entry: AuditEntry) -> bytes:
    """What a steward key signs: everything in the line but the signature, under a prefix of its own."""
    fields = _fields(entry)
    del fields["signature"]
    return _SIGNED + _canonical(fields)


def fingerprint(public_key: bytes) -> str:
    """How a raw Ed25519 public key is named: 64 hex digits."""
    return hashlib.sha256(_KEY + public_key).hexdigest()


def core_digest(memory: Memory) -> str:
    """The hash of all that a core memory puts into the prompt, byte for byte, its kind included: 64 hex digits."""
    core = memory.core
    words = [memory.content]
    if core is not None:
        words += [core.core_type.value, core.derived_principle, core.ethical_covenant]
    return hashlib.sha256(_DIGEST + _canonical(words)).hexdigest()


def parse_audit(data: bytes, persona: str) -> AuditLog:
    """Read a persona's log as far as its chain holds; what does not hold is told by line.

    Entries after the first fault are not returned. Never raises: the log is evidence, and an
    edited, dropped, swapped, foreign or torn line is what it is there to show.
    """
    entries: list[AuditEntry] = []
    lines = data.split(b"\n")
    torn = lines.pop() != b""
    for number, line in enumerate(lines, start=1):
        entry, problem = _parse_line(line)
        if entry is None:
            return AuditLog(tuple(entries), (AuditFault(number, "audit_edited", problem),), torn)
        if fault := _break(entries, entry, number, persona):
            return AuditLog(tuple(entries), (fault,), torn)
        entries.append(entry)
    return AuditLog(tuple(entries), (), torn)


def _break(entries: Sequence[AuditEntry], entry: AuditEntry, number: int, persona: str) -> AuditFault | None:
    """Why an entry cannot be the next one, named at the line that is to blame."""
    if entry.persona != persona:
        return AuditFault(number, "audit_foreign", f"is of another persona, {entry.persona}")
    if entry.seq > number:
        return AuditFault(number, "audit_dropped", f"is number {entry.seq}: what stood before it is missing")
    if entry.seq < number:
        return AuditFault(number, "audit_swapped", f"is number {entry.seq}: it stands in the wrong place or twice")
    if entry.previous != (entries[-1].hash if entries else GENESIS):
        blamed = number - 1 or number
        return AuditFault(blamed, "audit_edited", f"was changed: line {number} does not follow from what is before it")
    return None


def _parse_line(line: bytes) -> tuple[AuditEntry | None, str]:
    if len(line) > MAX_LINE_BYTES:
        return None, f"is longer than {MAX_LINE_BYTES:,} bytes"
    try:
        fields = json.loads(line)
        entry = _entry(fields)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        return None, f"was changed: it is no entry of an audit log ({type(error).__name__})"
    # Canonical bytes only: one entry has one spelling, so nothing can hide in a repeated key or an odd escape.
    if _canonical(_fields(entry)) != line:
        return None, "was changed: it is not written as the program writes it"
    return replace(entry, hash=line_hash(line)), ""


def _entry(fields: dict[str, object]) -> AuditEntry:
    if set(fields) != set(_FIELDS) or fields["version"] != VERSION:
        raise ValueError("fields")
    argv, at, seq = fields["argv"], fields["at"], fields["seq"]
    if not isinstance(argv, list) or not isinstance(at, str) or not isinstance(seq, int) or isinstance(seq, bool):
        raise ValueError("types")
    return AuditEntry(
        seq=seq,
        at=parse_time(at),
        persona=_matching(fields["persona"], PERSONA_ID),
        actor=_text(fields["actor"]),
        act=Act(_text(fields["act"])),
        previous=_matching(fields["previous"], _HEX),
        id=_optional(fields["id"], MEMORY_ID),
        seal=_optional(fields["seal"], _HEX),
        digest=_optional(fields["digest"], _HEX),
        argv=tuple(_text(word) for word in argv),
        reason=None if fields["reason"] is None else _text(fields["reason"]),
        public_key=_optional(fields["public_key"], _HEX),
        fingerprint=_optional(fields["fingerprint"], _HEX),
        signature=_optional(fields["signature"], _SIGNATURE),
    )


def _fields(entry: AuditEntry) -> dict[str, object]:
    return {
        "version": VERSION,
        "seq": entry.seq,
        "at": format_time(entry.at),
        "persona": entry.persona,
        "actor": entry.actor,
        "act": entry.act.value,
        "previous": entry.previous,
        "id": entry.id,
        "seal": entry.seal,
        "digest": entry.digest,
        "argv": list(entry.argv),
        "reason": entry.reason,
        "public_key": entry.public_key,
        "fingerprint": entry.fingerprint,
        "signature": entry.signature,
    }


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("not text")
    return value


def _matching(value: object, pattern: re.Pattern[str]) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise ValueError("pattern")
    return value


def _optional(value: object, pattern: re.Pattern[str]) -> str | None:
    return None if value is None else _matching(value, pattern)
