"""One act of a steward, made whole: intent, audit line, file, so that a crash leaves no half of it.

Order: write the intent; announce the line in the user's own record; append it to the log; move the
record on; change the memory's file; drop the intent. A crash before the line is in the log is an
act that never happened; one after it is finished by whoever comes next (`tur.service.core_trust`).
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from tur import faults
from tur.codec.audit import core_digest, fingerprint, sealed
from tur.codec.seal import memory_seal
from tur.errors import Refused, StewardRequired, StoreCorrupt, StoreUnavailable
from tur.ids import short_id
from tur.model.audit import RAISING, Act, AuditEntry, AuditLog
from tur.model.memory import LifecycleEntry, Memory, MemoryType, Status
from tur.policy.merging import next_to_retire
from tur.policy.trust import CUT_HINT, TRUST_HINT, TrustVerdict
from tur.service.core_trust import apply_intent, audit_file, core_trust, settle_locked, trust_file
from tur.stewardship.keys import StewardKey, drop_new_key, new_public_key, promote_new_key
from tur.store.intents import Intent, drop_intent, intents_folder, list_intents, write_intent
from tur.store.locks import locked
from tur.store.store import Store


@dataclass(frozen=True, slots=True)
class Steward:
    """Who acts, with which command line, and with the unlocked key where there is one."""

    actor: str
    argv: tuple[str, ...] = ()
    key: StewardKey | None = None


@dataclass(frozen=True, slots=True)
class About:
    """What an act is about, in the words of the log (`AuditEntry`)."""

    id: str | None = None
    seal: str | None = None
    digest: str | None = None
    reason: str | None = None
    public_key: str | None = None


@dataclass(frozen=True, slots=True)
class Ledger:
    """The log and the verdict as they stand under the steward lock."""

    store: Store
    steward: Steward
    log: AuditLog
    verdict: TrustVerdict

    def record(self, act: Act, about: About) -> AuditEntry:
        """Append one line that changes no memory's file."""
        entry = self.entry(act, about)
        append(self.store, entry)
        return entry

    def carry_out(
        self,
        act: Act,
        memory: Memory,
        change: LifecycleEntry,
        *,
        reason: str | None = None,
        folder: str | None = None,
        text: str | None = None,
        shown: bytes | None = None,
    ) -> AuditEntry:
        """Append one line, bound to id, seal and words of a memory, and make its file say the same.

        Raises StewardRequired when the act must be signed and no key is unlocked.
        """
        seal = memory_seal(memory.id, memory.timestamp, memory.links)
        digest = core_digest(memory) if memory.type is MemoryType.CORE else None
        entry = self.entry(act, About(memory.id, seal, digest, reason), at=change.at)
        intent = Intent(entry.hash, memory.id, change, len(memory.lifecycle), folder, text)
        path = write_intent(intents_folder(self.store.home, self.store.persona_id), intent)
        faults.reached("steward.intent")
        append(self.store, entry)
        apply_intent(self.store, intent, shown)
        faults.reached("steward.done")
        drop_intent(path)
        return entry

    def entry(self, act: Act, about: About, *, at: datetime | None = None) -> AuditEntry:
        """The next line, signed when a key is unlocked."""
        key = self.steward.key
        if self.verdict.key is not None and act in RAISING and about.digest is not None and key is None:
            raise StewardRequired(
                "this persona has a steward key: what enters the prompt must be signed",
                hint="Enter its passphrase at the prompt. Nothing was changed.",
            )
        if key is not None and self.verdict.key not in (None, key.fingerprint):
            raise Refused("the unlocked key is not the one that the audit log says is in force", hint=TRUST_HINT)
        return next_entry(self.store, self.log, self.steward, act, about, at=at)


def next_entry(
    store: Store,
    log: AuditLog,
    steward: Steward,
    act: Act,
    about: About,
    *,
    at: datetime | None = None,
) -> AuditEntry:
    """The line that comes next in a log, signed by the steward's key if it is unlocked."""
    key = steward.key
    entry = AuditEntry(
        seq=len(log.entries) + 1,
        at=at or store.clock.now(),
        persona=store.persona_id,
        actor=steward.actor,
        act=act,
        previous=log.head,
        id=about.id,
        seal=about.seal,
        digest=about.digest,
        argv=steward.argv,
        reason=about.reason,
        public_key=about.public_key,
        fingerprint=key.fingerprint if key else None,
    )
    return sealed(replace(entry, signature=key.sign(entry)) if key else entry)


def append(store: Store, entry: AuditEntry) -> None:
    """Write one line, with the user's own record moved along. The caller holds the steward lock."""
    pins, file = trust_file(store), audit_file(store)
    pins.announce(entry.seq - 1, entry.previous, entry.hash)
    faults.reached("steward.announced")
    file.append(entry)
    faults.reached("steward.logged")
    pins.advance(entry.seq, entry.hash)
    faults.reached("steward.remembered")


@contextlib.contextmanager
def open_ledger(store: Store, steward: Steward) -> Iterator[Ledger]:
    """Hold the steward lock with everything settled and in order.

    Raises StoreCorrupt when log, key or pins are not in order: then no act is recorded.
    """
    file = audit_file(store)
    with locked(file.lock):
        file.trim(stamp(store))
        finish_key(store)
        settle_locked(store)
        verdict = core_trust(store, [])
        for alarm in verdict.alarms:
            if alarm.closed:
                raise StoreCorrupt(f"{alarm.subject}: {alarm.message}", hint=alarm.hint, alarm=alarm.code)
        if verdict.strangers:
            # One more line would move this user's record past them, and so vouch for them.
            raise StoreCorrupt(
                f"audit.jsonl line {verdict.strangers[0]} does not count, and was not written by this user's program",
                hint=CUT_HINT,
                alarm="audit_forged",
            )
        yield Ledger(store, steward, file.read(), verdict)


def recover(store: Store) -> TrustVerdict:
    """Finish what a crash interrupted, before a human is shown how things stand; gives the verdict as it is then."""
    waiting = list_intents(intents_folder(store.home, store.persona_id))
    if waiting or new_public_key(store.home, store.persona_id) is not None:
        with locked(audit_file(store).lock):
            finish_key(store)
            settle_locked(store)
    verdict = core_trust(store, [])
    if next_to_retire(verdict.trusted) is None:
        return verdict
    # What cannot be written to is shown as it stands; trust does not depend on this.
    with contextlib.suppress(StoreUnavailable), locked(audit_file(store).lock):
        audit_file(store).trim(stamp(store))
        settle_locked(store)
        retire_merged(store)
    return core_trust(store, [])


def retire_merged(store: Store) -> list[Memory]:
    """Take out of force every core memory that another one in force merges. The caller holds the steward lock.

    Each is one line of the log, by whoever approved the one that merges it. Doing it twice is doing
    it once, and nothing comes into force by it.
    """
    retired: list[Memory] = []
    while True:
        verdict = core_trust(store, [])
        pair = next_to_retire(verdict.trusted)
        if pair is None or verdict.strangers:
            return retired
        old, successor = pair
        approval = verdict.decisions[successor.id]
        ledger = Ledger(store, Steward(approval.actor, approval.argv), audit_file(store).read(), verdict)
        change = LifecycleEntry(store.clock.now(), Status.MERGED, approval.actor, successor=successor.id)
        ledger.carry_out(Act.MERGE, old, change, reason=f"merged into {short_id(successor.id)}")
        retired.append(old)


def stamp(store: Store) -> str:
    """A part of a file name that says when, and is new."""
    return f"{store.clock.now():%Y%m%dT%H%M%SZ}-{store.clock.token()}"


def finish_key(store: Store) -> None:
    """Put a new key into force whose line is in the log, or drop one whose line never came to be."""
    public_key = new_public_key(store.home, store.persona_id)
    if public_key is None:
        return
    log = audit_file(store).read()
    brought = [entry.public_key for entry in log.entries if entry.public_key is not None]
    if brought and brought[-1] == public_key:
        promote_new_key(store.home, store.persona_id, public_key)
        trust_file(store).pin_key(fingerprint(bytes.fromhex(public_key)))
    elif not log.faults:
        drop_new_key(store.home, store.persona_id)
