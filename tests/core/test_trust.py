"""The verdict on core memories: what was approved is trusted, and no forgery ever is."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tur.codec.audit import core_digest, parse_audit, render_line, sealed, signing_bytes
from tur.codec.seal import memory_id, memory_seal
from tur.model.audit import GENESIS, Act, AuditEntry, AuditLog, LogPin, Pins
from tur.model.memory import Core, CoreType, LifecycleEntry, Memory, MemoryType, Scope, Status
from tur.policy.trust import CoreFile, TrustVerdict, judge

PERSONA = "00000000-0000-4000-8000-000000000001"
AT = datetime(2026, 9, 18, 12, 0, tzinfo=UTC)


class Signatures:
    """A signature scheme for tests: whoever knows the secret (the public key, upside down) can sign."""

    def sign(self, entry: AuditEntry, public_key: str) -> AuditEntry:
        entry = replace(entry, fingerprint=self.name(public_key))
        return replace(entry, signature=self._over(entry, public_key))

    def holds(self, entry: AuditEntry, public_key: str) -> bool:
        good = entry.fingerprint == self.name(public_key)
        return good and entry.signature == self._over(entry, public_key)

    def name(self, public_key: str) -> str:
        return hashlib.sha256(public_key.encode()).hexdigest()

    def _over(self, entry: AuditEntry, public_key: str) -> str:
        return hashlib.sha512(public_key[::-1].encode() + signing_bytes(entry)).hexdigest()


SIGNATURES = Signatures()
KEY, NEXT_KEY, ATTACKER = (f"{number:064x}" for number in (0xA11CE, 0xA11CF, 0xE71))


def core_memory(words: str, status: Status = Status.ACTIVE) -> Memory:
    core = Core(CoreType.RELATIONAL_DISCOVERY, f"principle {words}", f"covenant {words}")
    identity = memory_id(Scope.UNIVERSAL, MemoryType.CORE, words, core)
    return Memory(
        identity,
        memory_seal(identity, AT, ()),
        MemoryType.CORE,
        Scope.UNIVERSAL,
        "Core Memory",
        words,
        AT,
        "agent",
        lifecycle=(LifecycleEntry(AT, status, "architect"),),
        core=core,
    )


def file_of(memory: Memory, *, home: bool = True) -> CoreFile:
    return CoreFile(
        memory,
        f"{memory.id}.md",
        memory_id(memory.scope, memory.type, memory.content, memory.core),
        memory_seal(memory.id, memory.timestamp, memory.links),
        core_digest(memory),
        home,
    )


@dataclass
class World:
    """Files, log and pins of one persona, as a steward left them."""

    memories: list[Memory] = field(default_factory=list)
    entries: list[AuditEntry] = field(default_factory=list)
    pins: Pins = field(default_factory=Pins)
    key: str | None = None

    def act(self, act: Act, memory: Memory | None = None, *, sign: bool = True, public_key: str | None = None) -> None:
        """One act by the steward's own program, which moves the pins along."""
        entry = AuditEntry(
            seq=len(self.entries) + 1,
            at=AT + timedelta(minutes=len(self.entries)),
            persona=PERSONA,
            actor="architect",
            act=act,
            previous=self.entries[-1].hash if self.entries else GENESIS,
            id=memory.id if memory else None,
            seal=memory.seal if memory else None,
            digest=core_digest(memory) if memory else None,
            public_key=public_key,
        )
        signer = public_key if act in (Act.KEY, Act.REPLACE_KEY) else self.key
        if signer is not None and sign:
            entry = SIGNATURES.sign(entry, signer)
        self.entries.append(sealed(entry))
        if public_key is not None:
            self.key = public_key
            name = SIGNATURES.name(public_key)
            self.pins = replace(self.pins, key=name, terrain=name, record=name)
        self.pins = replace(self.pins, log=LogPin(len(self.entries), self.entries[-1].hash))

    def approve(self, words: str) -> Memory:
        memory = core_memory(words)
        self.memories.append(memory)
        self.act(Act.APPROVE, memory)
        return memory

    def verdict(self, data: bytes | None = None, public_key: str | None = None) -> TrustVerdict:
        log = parse_audit(self.data if data is None else data, PERSONA)
        files = [file_of(memory) for memory in self.memories]
        return judge(files, log, self.pins, SIGNATURES, public_key=public_key or self.key)

    @property
    def data(self) -> bytes:
        return b"".join(map(render_line, self.entries))


def rechained(entries: list[AuditEntry]) -> list[AuditEntry]:
    """The entries with numbers and hashes that hold, as an attacker would write them."""
    made: list[AuditEntry] = []
    for number, entry in enumerate(entries, start=1):
        made.append(sealed(replace(entry, seq=number, previous=made[-1].hash if made else GENESIS)))
    return made


def world(*, keyed: bool) -> World:
    made = World()
    if keyed:
        made.act(Act.KEY, public_key=KEY)
    for words in ("one", "two", "three"):
        made.approve(words)
    return made


def codes(verdict: TrustVerdict) -> set[str]:
    return {alarm.code for alarm in verdict.alarms} | {one.code for one in verdict.left_out}


@pytest.mark.parametrize("keyed", [False, True])
def test_what_was_approved_is_trusted_in_order_of_approval(keyed: bool) -> None:
    made = world(keyed=keyed)
    made.memories.reverse()
    verdict = made.verdict()
    assert [memory.content for memory in verdict.trusted] == ["one", "two", "three"]
    assert codes(verdict) == set()


def test_nothing_at_all_is_in_order() -> None:
    verdict = judge([], AuditLog(), Pins(), SIGNATURES)
    assert (verdict.trusted, verdict.left_out, verdict.alarms, verdict.closed) == ((), (), (), False)


@pytest.mark.parametrize("act", [Act.FORGET, Act.REJECT, Act.UNDO, Act.ACCEPT_EDIT])
@pytest.mark.parametrize("keyed", [False, True])
def test_the_last_decision_counts(act: Act, keyed: bool) -> None:
    made = world(keyed=keyed)
    made.act(act, made.memories[0], sign=False)
    verdict = made.verdict()
    assert [memory.content for memory in verdict.trusted] == ["two", "three"]
    assert codes(verdict) == {"core_unapproved"}
    made.act(Act.RESTORE, made.memories[0])
    assert {memory.content for memory in made.verdict().trusted} == {"one", "two", "three"}


def test_pending_and_put_aside_memories_raise_no_alarm() -> None:
    made = world(keyed=True)
    rejected = core_memory("no", Status.REJECTED)
    made.memories += [core_memory("maybe", Status.PENDING_APPROVAL), rejected]
    made.act(Act.REJECT, rejected)
    verdict = made.verdict()
    assert [(one.code, one.alarm) for one in verdict.left_out] == [("core_pending", False)]


def test_a_line_announced_before_a_crash_counts_and_no_other_does() -> None:
    made = world(keyed=False)
    before = made.pins
    made.approve("four")
    late = made.entries[-1]
    made.pins = before
    assert "audit_forged" in codes(made.verdict())
    assert before.log is not None
    made.pins = replace(before, log=replace(before.log, coming=late.hash))
    assert made.memories[-1] in made.verdict().trusted
    made.pins = replace(before, log=replace(before.log, coming="0" * 64))
    assert made.memories[-1] not in made.verdict().trusted


def test_lines_signed_on_another_machine_count() -> None:
    made = world(keyed=True)
    before = made.pins
    made.approve("four")
    made.pins = before
    assert len(made.verdict().trusted) == 4
    assert codes(made.verdict()) == set()


def test_a_key_handed_over_keeps_approvals_and_a_replaced_one_ends_them() -> None:
    made = world(keyed=True)
    old = made.pins.key
    made.act(Act.ROTATE, public_key=NEXT_KEY, sign=False)
    made.entries[-1] = sealed(SIGNATURES.sign(replace(made.entries[-1], signature=None), KEY))
    made.pins = replace(made.pins, log=LogPin(len(made.entries), made.entries[-1].hash))
    assert len(made.verdict().trusted) == 3
    # A terrain that saw only the old key is led to the new one by the log.
    made.pins = replace(made.pins, terrain=old, record=old)
    assert len(made.verdict().trusted) == 3
    made.act(Act.REPLACE_KEY, public_key=ATTACKER)
    assert made.verdict().trusted == ()
    assert codes(made.verdict()) == {"core_unsigned", "key_changed"}
    log = parse_audit(made.data, PERSONA)
    late = judge([], log, made.pins, SIGNATURES, public_key=ATTACKER, now=AT + timedelta(days=60))
    assert "key_changed" not in codes(late)
    made.pins = replace(made.pins, terrain=old)
    assert made.verdict().closed


def test_an_approval_by_the_old_key_after_the_hand_over_does_not_count() -> None:
    made = world(keyed=True)
    made.act(Act.ROTATE, public_key=NEXT_KEY, sign=False)
    made.entries[-1] = sealed(SIGNATURES.sign(replace(made.entries[-1], signature=None), KEY))
    made.key = KEY
    late = made.approve("four")
    made.key = NEXT_KEY
    verdict = made.verdict()
    assert late not in verdict.trusted
    assert {"audit_forged", "core_unapproved"} <= codes(verdict)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda pins: replace(pins, log=None), "audit_unknown"),
        (lambda pins: replace(pins, key=None), "key_unknown"),
        (lambda pins: replace(pins, key="0" * 64), "key_replaced"),
        (lambda pins: replace(pins, terrain="0" * 64), "key_replaced"),
        (lambda pins: replace(pins, record="0" * 64), "key_replaced"),
        (lambda pins: replace(pins, problem="is no JSON"), "pins_unreadable"),
        (lambda pins: replace(pins, log=LogPin(9, "0" * 64)), "audit_truncated"),
        (lambda pins: replace(pins, log=LogPin(2, "0" * 64)), "audit_rewritten"),
    ],
)
def test_pins_that_do_not_fit_close_everything(change: Callable[[Pins], Pins], code: str) -> None:
    made = world(keyed=True)
    made.pins = change(made.pins)
    verdict = made.verdict()
    assert verdict.closed
    assert verdict.trusted == ()
    assert code in codes(verdict)


def test_a_key_that_lies_there_without_a_line_in_the_log_closes_everything() -> None:
    verdict = world(keyed=False).verdict(public_key=ATTACKER)
    assert (verdict.closed, verdict.trusted) == (True, ())


def test_a_file_outside_the_home_or_under_another_name_is_left_out() -> None:
    made = world(keyed=True)
    log = parse_audit(made.data, PERSONA)
    files = [file_of(memory, home=False) for memory in made.memories]
    verdict = judge(files, log, made.pins, SIGNATURES, public_key=KEY)
    assert verdict.trusted == ()
    assert codes(verdict) == {"core_misplaced"}


EVIL = core_memory("evil")
Attack = Callable[[list[AuditEntry], int], list[AuditEntry]]


def _copied(entries: list[AuditEntry], at: int) -> list[AuditEntry]:
    return [*entries, replace(entries[at], id=EVIL.id, seal=EVIL.seal, digest=core_digest(EVIL))]


def _retargeted(entries: list[AuditEntry], at: int) -> list[AuditEntry]:
    changed = replace(entries[at], act=Act.APPROVE, id=EVIL.id, seal=EVIL.seal, digest=core_digest(EVIL))
    return [*entries[:at], changed, *entries[at + 1 :]]


def _attackers_key(act: Act) -> Attack:
    def attack(entries: list[AuditEntry], at: int) -> list[AuditEntry]:
        chained = rechained(entries[: at + 1])
        last = chained[-1]
        key = replace(last, seq=last.seq + 1, previous=last.hash, act=act, public_key=ATTACKER, id=None)
        key = sealed(SIGNATURES.sign(key, ATTACKER))
        evil = replace(key, seq=key.seq + 1, previous=key.hash, act=Act.APPROVE, public_key=None, id=EVIL.id)
        evil = replace(evil, seal=EVIL.seal, digest=core_digest(EVIL))
        return [*chained, key, sealed(SIGNATURES.sign(evil, ATTACKER))]

    return attack


def _own_log(entries: list[AuditEntry], at: int) -> list[AuditEntry]:
    key = replace(entries[0], seq=1, previous=GENESIS, act=Act.KEY, public_key=ATTACKER, id=None, seal=None)
    key = sealed(SIGNATURES.sign(replace(key, digest=None), ATTACKER))
    evil = replace(key, seq=2, previous=key.hash, act=Act.APPROVE, public_key=None, id=EVIL.id, seal=EVIL.seal)
    return [key, sealed(SIGNATURES.sign(replace(evil, digest=core_digest(EVIL)), ATTACKER))]


ATTACKS: dict[str, Attack] = {
    "copied": _copied,
    "retargeted": _retargeted,
    "dropped": lambda entries, at: [*entries[:at], *entries[at + 1 :]],
    "cut": lambda entries, at: entries[:at],
    "doubled": lambda entries, at: [*entries, entries[at]],
    "swapped": lambda entries, at: [*entries[at:], *entries[:at]],
    "unsigned": lambda entries, at: [replace(entry, signature=None, fingerprint=None) for entry in entries],
    "new key": _attackers_key(Act.KEY),
    "rotated": _attackers_key(Act.ROTATE),
    "replaced key": _attackers_key(Act.REPLACE_KEY),
    "own log": _own_log,
}


@pytest.mark.parametrize("keyed", [False, True])
@given(
    attacks=st.lists(st.tuples(st.sampled_from(sorted(ATTACKS)), st.integers(0, 9)), min_size=1, max_size=3),
    chained=st.booleans(),
    public_key=st.sampled_from([None, ATTACKER]),
)
@settings(max_examples=250, deadline=None)
def test_no_forgery_of_the_log_is_ever_trusted(
    keyed: bool, attacks: list[tuple[str, int]], chained: bool, public_key: str | None
) -> None:
    made = world(keyed=keyed)
    originals = list(made.memories)
    entries = list(made.entries)
    for name, at in attacks:
        if entries:
            entries = ATTACKS[name](entries, at % len(entries))
    if chained:
        entries = rechained(entries)
    made.memories.append(EVIL)
    verdict = made.verdict(b"".join(map(render_line, entries)), public_key)
    assert EVIL not in verdict.trusted
    assert all(memory in originals for memory in verdict.trusted)
    assert "core_unapproved" in codes(verdict) or verdict.closed


@given(
    which=st.integers(0, 2),
    content=st.text(max_size=20),
    principle=st.text(max_size=20),
    covenant=st.text(max_size=20),
    kind=st.sampled_from(CoreType),
    minutes=st.integers(0, 5),
    reseal=st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_no_changed_memory_is_ever_trusted(
    which: int, content: str, principle: str, covenant: str, kind: CoreType, minutes: int, reseal: bool
) -> None:
    made = world(keyed=True)
    memory = made.memories[which]
    changed = replace(
        memory, content=content, core=Core(kind, principle, covenant), timestamp=AT + timedelta(minutes=minutes)
    )
    if reseal:
        identity = memory_id(changed.scope, changed.type, changed.content, changed.core)
        changed = replace(changed, id=identity, seal=memory_seal(identity, changed.timestamp, ()))
    made.memories[which] = changed
    verdict = made.verdict()
    assert changed not in verdict.trusted
    assert len(verdict.trusted) == 2
    assert codes(verdict) & {"core_edited", "core_unapproved"}
