"""Which core memories may reach the prompt. Pure: files, audit log, pins and key in, a verdict out.

Trust is derived at every use and never read from a memory's file. What concerns the log or the
key as a whole closes everything; what concerns one memory or one line leaves out that one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from tur.ids import short_id
from tur.model.audit import KEY_ACTS, RAISING, Act, AuditEntry, AuditLog, Pins
from tur.model.memory import Memory, Scope, Status
from tur.policy.display import counted

TRUST_HINT = "If the change was yours, `tur-adm steward trust` takes key and log as they stand; if not, restore them."
LOUD = timedelta(days=30)
"""How long it is told that a key came into force which nothing known before vouched for."""

_CHANGES = frozenset({Act.REPLACE_KEY, Act.TRUST_CHANGED})
CHANGED_HINT = "If that was you, this is told for 30 days. If not, someone else approves: restore home and key."
CUT_HINT = "`tur-adm steward trust --cut` takes such lines off the end of the log; a copy is kept."
REVIEW_HINT = "A human looks at it with `tur-adm memory show` and decides with `tur-adm memory approve`."


class Signatures(Protocol):
    """Checking of signatures, so that this module needs no cryptography."""

    def holds(self, entry: AuditEntry, public_key: str) -> bool:
        """Whether the entry's signature is that key's (hex) over the rest of the entry."""
        ...

    def name(self, public_key: str) -> str:
        """The fingerprint of a public key (hex)."""
        ...


@dataclass(frozen=True, slots=True)
class CoreFile:
    """A core memory as its file is now; `id`, `seal` and `digest` are re-computed from its bytes.

    `home` says whether it lies, under its own name, among the home's active memories.
    """

    memory: Memory
    path: str
    id: str
    seal: str
    digest: str
    home: bool


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A core memory that the prompt does not get. `alarm` is False for what is merely not decided."""

    id: str
    title: str
    code: str
    reason: str
    alarm: bool = True


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something wrong with log, key or pins. `closed` ones keep every core memory out."""

    code: str
    subject: str
    message: str
    hint: str = TRUST_HINT
    closed: bool = True


@dataclass(frozen=True, slots=True)
class TrustVerdict:
    """`trusted` in order of approval. `key` is the fingerprint in force, None without a steward key.

    `decisions` has the last entry that counts for each memory id. `strangers` are lines that do not
    count and that this user's record does not cover: no further act may vouch for them by accident.
    """

    trusted: tuple[Memory, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    key: str | None = None
    decisions: Mapping[str, AuditEntry] = field(default_factory=dict)
    strangers: tuple[int, ...] = ()

    @property
    def closed(self) -> bool:
        """Whether log or key are in a state in which nothing is trusted."""
        return any(alarm.closed for alarm in self.alarms)


def judge(
    files: Iterable[CoreFile],
    log: AuditLog,
    pins: Pins,
    signatures: Signatures,
    *,
    public_key: str | None = None,
    unreadable: Mapping[str, str] | None = None,
    now: datetime | None = None,
) -> TrustVerdict:
    """The verdict over all core memories, at `now` (without it, no replacing of a key is too old to tell).

    `public_key` is the one that lies in the persona's folder (hex). `unreadable` says by id why a
    file could not be read. Never raises.
    """
    known, alarms = _known_length(log, pins)
    walk = _Walk(signatures, known)
    for entry in log.entries:
        walk.take(entry)
    alarms += walk.alarms
    alarms += _key_alarms(walk, pins, signatures, public_key)
    alarms += [_changed(entry) for entry in log.entries if entry.act in _CHANGES and _is_recent(entry, now)]
    closed = any(alarm.closed for alarm in alarms)
    left_out: list[LeftOut] = []
    trusted: dict[str, tuple[int, Memory]] = {}
    seen: set[str] = set()
    for file in files:
        seen.add(file.memory.id)
        decision = walk.decisions.get(file.memory.id)
        verdict = _judge_file(file, decision, walk.start)
        if verdict is None and closed:
            verdict = _left(file, "core_closed", "the audit log or the steward key is not in order", alarm=True)
        if verdict is not None:
            left_out.append(verdict)
        elif decision is not None and file.memory.status is Status.ACTIVE:
            trusted[file.memory.id] = (decision.seq, file.memory)
    for memory_id, last in walk.decisions.items():
        if last.act in RAISING and last.digest is not None and memory_id not in seen:
            why = (unreadable or {}).get(memory_id, "its file is missing")
            reason = f"was approved (line {last.seq} of the audit log), and {why}"
            left_out.append(LeftOut(memory_id, short_id(memory_id), "core_missing", reason))
    return TrustVerdict(
        trusted=tuple(memory for _, memory in sorted(trusted.values(), key=lambda pair: pair[0])),
        left_out=tuple(left_out),
        alarms=tuple(alarms),
        key=walk.key,
        decisions=walk.decisions,
        strangers=tuple(walk.strangers),
    )


def _is_recent(entry: AuditEntry, now: datetime | None) -> bool:
    return now is None or now - entry.at < LOUD


def _changed(entry: AuditEntry) -> Alarm:
    what = (
        "the steward key was replaced without the signature of the one before"
        if entry.act is Act.REPLACE_KEY
        else "key or log were taken on trust though they did not follow from what was known"
    )
    message = f"{what}, by {entry.actor} on {entry.at:%Y-%m-%d}"
    return Alarm("key_changed", f"audit.jsonl line {entry.seq}", message, CHANGED_HINT, closed=False)


def _known_length(log: AuditLog, pins: Pins) -> tuple[int, list[Alarm]]:
    """How many lines this user's own record vouches for, and what does not fit it."""
    alarms = [Alarm(fault.code, f"audit.jsonl line {fault.line}", fault.message) for fault in log.faults]
    if log.torn:
        message = "the last line was never finished; the next act of a steward trims it"
        alarms.append(Alarm("audit_torn", f"audit.jsonl line {len(log.entries) + 1}", message, closed=False))
    if pins.problem is not None:
        alarms.append(Alarm("pins_unreadable", "trust.json", pins.problem))
        return 0, alarms
    length = len(log.entries)
    if pins.log is None:
        if length:
            message = f"has {counted(length, 'line')} that this user does not know"
            alarms.append(Alarm("audit_unknown", "audit.jsonl", message))
        # Nothing is trusted so; the lines are walked all the same, to tell which key they bring.
        return length, alarms
    if length < pins.log.length:
        if not log.faults:
            message = f"has {counted(length, 'line')} and had {pins.log.length}: it was cut short or set back"
            alarms.append(Alarm("audit_truncated", "audit.jsonl", message))
        return length, alarms
    if pins.log.length and log.entries[pins.log.length - 1].hash != pins.log.head:
        message = "is not the line this user knows: the log was written anew"
        alarms.append(Alarm("audit_rewritten", f"audit.jsonl line {pins.log.length}", message))
        return 0, alarms
    known = pins.log.length
    # A crash after the line was written, and before the pin was moved, leaves the line announced.
    if length > known and log.entries[known].hash == pins.log.coming:
        known += 1
    return known, alarms


class _Walk:
    """The log, line by line: which key is in force, and the last decision that counts for each memory."""

    def __init__(self, signatures: Signatures, known: int) -> None:
        self._signatures = signatures
        self._known = known
        self._public: str | None = None
        self.key: str | None = None
        self.lineage: list[str] = []
        self.start = 0
        self.decisions: dict[str, AuditEntry] = {}
        self.alarms: list[Alarm] = []
        self.strangers: list[int] = []

    def take(self, entry: AuditEntry) -> None:
        problem = self._problem(entry)
        if problem is not None:
            if entry.seq > self._known:
                self.strangers.append(entry.seq)
            subject = f"audit.jsonl line {entry.seq}" + (f", {short_id(entry.id)}" if entry.id else "")
            self.alarms.append(Alarm("audit_forged", subject, f"{entry.act}: {problem}", CUT_HINT, closed=False))
            return
        if entry.act in KEY_ACTS and entry.public_key is not None:
            self._public, self.key = entry.public_key, self._signatures.name(entry.public_key)
            if entry.act is not Act.ROTATE:
                self.lineage, self.start = [], entry.seq
            self.lineage.append(self.key)
        elif entry.id is not None:
            self.decisions[entry.id] = entry

    def _problem(self, entry: AuditEntry) -> str | None:
        """Why an entry does not count. Acts that only take trust away always do."""
        if entry.act in KEY_ACTS:
            if entry.public_key is None:
                return "brings no key"
            if entry.act is Act.ROTATE:
                signed = self._public is not None and self._signatures.holds(entry, self._public)
                return None if signed else "is not signed by the key before it"
            if entry.act is Act.KEY and self._public is not None:
                return "there is a steward key already"
            if not self._signatures.holds(entry, entry.public_key):
                return "is not signed by its own key"
            # Anyone can make a key and sign with it: only this user's own record can vouch for a first one.
            return None if entry.seq <= self._known else "was not written by this user's program"
        if entry.act not in RAISING:
            return None
        if self._public is not None:
            return None if self._signatures.holds(entry, self._public) else "is not signed by the steward key"
        return None if entry.seq <= self._known else "was not written by this user's program"


def _key_alarms(walk: _Walk, pins: Pins, signatures: Signatures, public_key: str | None) -> list[Alarm]:
    pinned = (
        ("this user's configuration", pins.key),
        ("this user's record of the terrain", pins.terrain),
        ("the terrain's own record", pins.record),
    )
    alarms: list[Alarm] = []
    if walk.key is None:
        present = None if public_key is None else signatures.name(public_key)
        for where, known in pinned:
            if known is not None and present in (None, known):
                message = f"{where} knows the key {known[:16]}, and the audit log has none"
                alarms.append(Alarm("key_missing", "steward key", message))
            elif known is not None:
                message = f"is the key {str(present)[:16]}, and {where} knows {known[:16]}"
                alarms.append(Alarm("key_replaced", "steward.pub", message))
        if present is not None and not alarms:
            message = (
                f"the key {present[:16]} lies in the persona's folder, and no line of the log counts that brings it"
            )
            alarms.append(Alarm("key_replaced", "steward.pub", message))
        return alarms
    if public_key is None:
        alarms.append(Alarm("key_missing", "steward.pub", f"the steward key {walk.key[:16]} is gone from its folder"))
    elif signatures.name(public_key) != walk.key:
        message = f"is the key {signatures.name(public_key)[:16]}, and the audit log says {walk.key[:16]}"
        alarms.append(Alarm("key_replaced", "steward.pub", message))
    if pins.key is None and pins.problem is None:
        alarms.append(Alarm("key_unknown", "steward key", f"the key {walk.key[:16]} is not known to this user"))
    for where, known in pinned:
        if known is not None and known not in walk.lineage:
            message = f"{where} knows the key {known[:16]}, which did not hand over to {walk.key[:16]}"
            alarms.append(Alarm("key_replaced", "steward key", message))
    return alarms


def _judge_file(file: CoreFile, entry: AuditEntry | None, start: int) -> LeftOut | None:
    """Why one memory stays out, or None when it is trusted or a steward's decision put it aside."""
    memory = file.memory
    raised = entry is not None and entry.act in RAISING
    if memory.status is Status.PENDING_APPROVAL:
        return _left(file, "core_pending", "awaits a human's decision", alarm=False)
    if memory.status is not Status.ACTIVE:
        if not raised:
            return None
        return _left(file, "core_withdrawn", f"was approved, and its file says {memory.status}: no steward did that")
    if entry is None:
        return _left(file, "core_unapproved", "its file says active, and the audit log has no approval of it")
    if not raised:
        reason = f"its file says active, and the last decision on it was {entry.act} (line {entry.seq})"
        return _left(file, "core_unapproved", reason)
    if entry.seq < start:
        return _left(file, "core_unsigned", "was approved before the steward key was made: approve it once more")
    if not file.home or memory.scope is not Scope.UNIVERSAL or memory.core is None:
        return _left(file, "core_misplaced", "does not lie under its own name among the home's universal memories")
    if memory.id != file.id or memory.seal != file.seal:
        return _left(file, "core_edited", "its text, links or time no longer match its id and seal")
    if (entry.id, entry.seal, entry.digest) != (file.id, file.seal, file.digest):
        return _left(file, "core_edited", f"is not what was approved (line {entry.seq} of the audit log)")
    return None


def _left(file: CoreFile, code: str, reason: str, *, alarm: bool = True) -> LeftOut:
    return LeftOut(file.memory.id, file.memory.title, code, reason, alarm)
