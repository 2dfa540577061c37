"""The steward key's life: made, rotated, replaced when lost; and taking a log and key on trust."""

from dataclasses import dataclass, replace
from pathlib import Path

from tur.codec.audit import fingerprint
from tur.errors import Conflict, NotFound, StewardRequired, StoreCorrupt
from tur.model.audit import KEY_ACTS, Act, AuditEntry, AuditLog, LogPin
from tur.model.memory import Memory
from tur.policy.trust import TRUST_HINT, Alarm, TrustVerdict
from tur.service.core_trust import audit_file, core_trust, settle_locked, trust_file
from tur.stewardship.keys import (
    StewardKey,
    lock_key,
    make_key,
    present_public_key,
    write_new_key,
)
from tur.stewardship.ledger import About, Steward, append, finish_key, next_entry, open_ledger, recover, stamp
from tur.store.audit import AuditFile
from tur.store.locks import locked
from tur.store.steward_key import write_public_key
from tur.store.store import Store

_NEW_HERE = frozenset({"audit_unknown", "key_unknown"})
"""What is wrong with a log and key that come to a machine for the first time."""


@dataclass(frozen=True, slots=True)
class KeyState:
    """What there is of a steward key.

    `fingerprint` is the key in force; `in_log` the one that the lines of a whole log bring,
    which is another only while the log is not trusted. `private_here` says whether its private half
    lies on this machine. `known` says whether this user knows it. `alarms` are all there are.
    `unsigned` are the approved core memories that a first key would ask to be approved once more.
    """

    fingerprint: str | None
    in_log: str | None
    private_here: bool
    known: bool
    alarms: tuple[Alarm, ...]
    unsigned: tuple[Memory, ...] = ()

    def check_first_key(self) -> None:
        """Raise Conflict when there is a key already, StoreCorrupt when log or key are not in order."""
        if self.fingerprint is not None:
            raise _has_key(self.fingerprint)
        for alarm in self.alarms:
            if alarm.closed:
                raise StoreCorrupt(f"{alarm.subject}: {alarm.message}", hint=alarm.hint, alarm=alarm.code)


def key_state(store: Store) -> KeyState:
    """Look at the steward key; nothing is changed. Raises StoreCorrupt for a private half that is none."""
    verdict = recover(store)
    here = present_public_key(store.home, store.persona_id)
    name = fingerprint(bytes.fromhex(here)) if here else None
    log = audit_file(store).read()
    brought = None if log.faults else _key_of(log)
    return KeyState(
        fingerprint=verdict.key,
        in_log=fingerprint(bytes.fromhex(brought)) if brought else None,
        private_here=verdict.key is not None and name == verdict.key,
        known=verdict.key is not None and trust_file(store).pins().key == verdict.key,
        alarms=verdict.alarms,
        unsigned=tuple(verdict.trusted) if verdict.key is None else (),
    )


def init_key(store: Store, steward: Steward, passphrase: str) -> tuple[StewardKey, list[Memory]]:
    """Make the first steward key. Gives it, and the core memories that must be approved once more.

    Raises Conflict when there is one, InvalidInput for a short passphrase, StoreCorrupt.
    """
    with open_ledger(store, steward) as ledger:
        if ledger.verdict.key is not None:
            raise _has_key(ledger.verdict.key)
        before = list(ledger.verdict.trusted)
        key = make_key()
        _bring(store, replace(steward, key=key), ledger.log, Act.KEY, key, passphrase)
    return key, before


def rotate_key(store: Store, steward: Steward, passphrase: str, *, lost: bool = False) -> StewardKey:
    """Make a new steward key. The old one (`steward.key`) hands over by its signature.

    With `lost` there is none to sign: every approval so far ends, and every terrain asks for trust
    anew. Raises NotFound when there is no key, StewardRequired without the old one, StoreCorrupt.
    """
    with open_ledger(store, steward) as ledger:
        if ledger.verdict.key is None:
            raise NotFound("this persona has no steward key", hint="`tur-adm steward init` makes one.")
        if not lost and (steward.key is None or steward.key.fingerprint != ledger.verdict.key):
            raise StewardRequired(
                "a new key is handed over by the old one",
                hint="Enter the old passphrase. If it is lost: `tur-adm steward rotate --lost`.",
            )
        key = make_key()
        signer = replace(steward, key=key) if lost else steward
        _bring(store, signer, ledger.log, Act.REPLACE_KEY if lost else Act.ROTATE, key, passphrase)
    return key


def trust(
    store: Store, steward: Steward, reason: str | None = None, *, cut: bool = False
) -> tuple[TrustVerdict, str | None]:
    """Take audit log and steward key as they stand for this user's and this terrain's own.

    With `cut`, lines that this user's record does not cover are taken off the end of the log first.

    A log whose chain is broken is set aside whole, and a new one begun: no approval outlives it.
    What does not follow from what was known before is told as such in the log, and by every wake for
    30 days. Gives the verdict afterwards, and the name of the old log's copy. Raises StewardRequired when a
    private half is here and was not unlocked.
    """
    file = audit_file(store)
    with locked(file.lock):
        file.trim(stamp(store))
        here = present_public_key(store.home, store.persona_id)
        if here is not None and (steward.key is None or steward.key.public_key != here):
            raise StewardRequired(
                "taking a log on trust takes its key", hint="Enter the passphrase of the steward key."
            )
        known = all(alarm.code in _NEW_HERE for alarm in core_trust(store, []).alarms if alarm.closed)
        copy = _cut(store, file) if cut else None
        log = file.read()
        if log.faults:
            copy = file.set_aside(stamp(store))
            log = _begin_anew(store, file, steward)
        public_key = _key_of(log)
        name = fingerprint(bytes.fromhex(public_key)) if public_key else None
        pins = trust_file(store)
        pins.advance(len(log.entries), log.head)
        pins.pin_key(name)
        write_public_key(store.home, store.persona_id, public_key)
        finish_key(store)
        settle_locked(store)
        signer = steward if name is not None and steward.key and steward.key.fingerprint == name else None
        entry = next_entry(
            store,
            log,
            signer or replace(steward, key=None),
            Act.TRUST if known else Act.TRUST_CHANGED,
            About(reason=reason or f"key {name}"),
        )
        append(store, entry)
        return core_trust(store, []), copy.name if copy else None


def _cut(store: Store, file: AuditFile) -> Path | None:
    """Take off the lines beyond this user's record. Raises Conflict when the record does not fit the log."""
    pin, log = trust_file(store).pins().log or LogPin(), file.read()
    if pin.length > len(log.entries) or (pin.length and log.entries[pin.length - 1].hash != pin.head):
        raise Conflict("this user's record does not fit the log, so it cannot be cut back to it", hint=TRUST_HINT)
    known = pin.length
    if len(log.entries) > known and log.entries[known].hash == pin.coming:
        known += 1
    return file.cut(known, stamp(store))


def _begin_anew(store: Store, file: AuditFile, steward: Steward) -> AuditLog:
    """A new log in place of one that was set aside; with the key it begins with that."""
    trust_file(store).advance(0, AuditLog().head)
    if steward.key is not None:
        key = steward.key
        append(store, next_entry(store, AuditLog(), steward, Act.KEY, About(public_key=key.public_key)))
    return file.read()


def _has_key(name: str) -> Conflict:
    return Conflict(
        f"this persona has the steward key {name[:16]}",
        hint="`tur-adm steward rotate` makes a new one. Nothing was changed.",
    )


def _key_of(log: AuditLog) -> str | None:
    """The public key that the log's own lines put into force last."""
    brought = [entry.public_key for entry in log.entries if entry.act in KEY_ACTS and entry.public_key is not None]
    return brought[-1] if brought else None


def _bring(store: Store, signer: Steward, log: AuditLog, act: Act, key: StewardKey, passphrase: str) -> AuditEntry:
    write_new_key(store.home, store.persona_id, lock_key(key, store.persona_id, passphrase))
    entry = next_entry(store, log, signer, act, About(public_key=key.public_key, reason=f"key {key.fingerprint}"))
    append(store, entry)
    finish_key(store)
    return entry
