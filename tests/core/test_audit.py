"""The audit log's lines: one spelling, one chain, and every kind of damage told by its line."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tur.codec.audit import core_digest, parse_audit, render_line, sealed, signing_bytes
from tur.errors import StoreCorrupt, TurError
from tur.model.audit import GENESIS, Act, AuditEntry, LogPin
from tur.model.memory import Core, CoreType, Memory, MemoryType, Scope
from tur.paths import HomePaths, TerrainPaths
from tur.store.audit import AuditFile
from tur.store.config import TrustFile

PERSONA = "00000000-0000-4000-8000-000000000001"
AT = datetime(2026, 9, 18, 12, 0, tzinfo=UTC)


def chain(count: int) -> list[AuditEntry]:
    """Entries that follow from one another."""
    made: list[AuditEntry] = []
    for number in range(1, count + 1):
        previous = made[-1].hash if made else GENESIS
        at = AT + timedelta(minutes=number)
        made.append(sealed(AuditEntry(number, at, PERSONA, "architect", Act.APPROVE, previous, f"{number:064x}")))
    return made


def written(entries: list[AuditEntry]) -> bytes:
    return b"".join(map(render_line, entries))


def test_a_log_reads_back_as_it_was_written() -> None:
    entries = chain(5)
    log = parse_audit(written(entries), PERSONA)
    assert list(log.entries) == entries
    assert (log.faults, log.torn, log.head) == ((), False, entries[-1].hash)


def test_an_empty_log_has_no_fault() -> None:
    log = parse_audit(b"", PERSONA)
    assert (log.entries, log.faults, log.torn, log.head) == ((), (), False, GENESIS)


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("change", "line", "code"),
    [
        (lambda data: data.replace(b"12:02", b"12:09"), 2, "audit_edited"),
        (lambda data: b"".join(_lines(data)[:1] + _lines(data)[2:]), 2, "audit_dropped"),
        (lambda data: b"".join(_lines(data)[:1] + _lines(data)[2:3] + _lines(data)[1:2]), 2, "audit_dropped"),
        (lambda data: b"".join(_lines(data)[:2] + _lines(data)[:1]), 3, "audit_swapped"),
        (lambda data: data.replace(b'"seq":2', b'"seq": 2'), 2, "audit_edited"),
        (lambda data: data.replace(b'"seq":2', b'"seq":2,"seq":2'), 2, "audit_edited"),
        (lambda data: data.replace(b'"reason":null', b'"reason":null,"more":1', 1), 1, "audit_edited"),
        (lambda data: b"\n" + data, 1, "audit_edited"),
        (lambda data: b"[" * 100_000 + b"\n" + data, 1, "audit_edited"),
        (lambda data: b'"\xff"\n' + data, 1, "audit_edited"),
        (lambda data: data.replace(b"000000000001", b"000000000002"), 1, "audit_foreign"),
    ],
    ids=[
        "edited",
        "dropped",
        "swapped",
        "repeated",
        "spaced",
        "doubled",
        "extended",
        "blank",
        "deep",
        "bytes",
        "foreign",
    ],
)
def test_damage_is_named_at_its_line(change: Callable[[bytes], bytes], line: int, code: str) -> None:
    log = parse_audit(change(written(chain(3))), PERSONA)
    assert [(fault.line, fault.code) for fault in log.faults] == [(line, code)]
    assert len(log.entries) <= line


def test_a_torn_last_line_is_told_and_the_rest_holds() -> None:
    data = written(chain(3))
    log = parse_audit(data[:-5], PERSONA)
    assert log.torn
    assert (len(log.entries), log.faults) == (2, ())


@given(at=st.integers(0, 10_000), bit=st.integers(0, 7))
@settings(max_examples=300, deadline=None)
def test_no_flipped_bit_goes_unnoticed(at: int, bit: int) -> None:
    entries = chain(4)
    data = bytearray(written(entries))
    data[at % len(data)] ^= 1 << bit
    log = parse_audit(bytes(data), PERSONA)
    # A change of the last line only shows against a remembered head.
    assert log.faults or log.torn or log.head != entries[-1].hash


@given(
    reason=st.one_of(st.none(), st.text(max_size=40)),
    argv=st.lists(st.text(max_size=10), max_size=3),
    actor=st.text(max_size=10),
)
def test_any_text_survives_one_line(reason: str | None, argv: list[str], actor: str) -> None:
    entry = sealed(AuditEntry(1, AT, PERSONA, actor, Act.REJECT, GENESIS, argv=tuple(argv), reason=reason))
    line = render_line(entry)
    assert line.count(b"\n") == 1
    assert parse_audit(line, PERSONA).entries == (entry,)


def test_a_signature_covers_everything_but_itself() -> None:
    (entry,) = chain(1)
    assert signing_bytes(entry) == signing_bytes(replace(entry, signature="0" * 128))
    for changed in (replace(entry, act=Act.REJECT), replace(entry, seal="0" * 64), replace(entry, actor="mallory")):
        assert signing_bytes(changed) != signing_bytes(entry)
    assert signing_bytes(entry) not in written([entry])


def test_the_digest_covers_every_word_of_the_prompt() -> None:
    core = Core(CoreType.RELATIONAL_DISCOVERY, "principle", "covenant")
    memory = Memory("0" * 64, "", MemoryType.CORE, Scope.UNIVERSAL, "t", "content", AT, "agent", core=core)
    others = [
        replace(memory, content="content "),
        replace(memory, core=replace(core, core_type=CoreType.IDENTITY_TRANSITION)),
        replace(memory, core=replace(core, derived_principle="principle.")),
        replace(memory, core=replace(core, ethical_covenant="other")),
        replace(memory, content="contentprinciple", core=replace(core, derived_principle="")),
    ]
    assert len({core_digest(one) for one in (memory, *others)}) == 6


def test_appending_keeps_the_file_private_and_refuses_a_symlink(place: Path) -> None:
    file = AuditFile(HomePaths(place), PERSONA)
    first, second = chain(2)
    file.append(first)
    file.append(second)
    assert file.read().entries == (first, second)
    assert oct(file.path.stat().st_mode & 0o777) == "0o600"
    elsewhere = place / "elsewhere"
    file.path.rename(elsewhere)
    file.path.symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    with pytest.raises(TurError):
        file.append(second)
    assert elsewhere.read_bytes() == before
    assert file.read().faults[0].code == "audit_unreadable"


def test_a_torn_line_is_trimmed_with_a_copy_kept(place: Path) -> None:
    file = AuditFile(HomePaths(place), PERSONA)
    file.append(chain(1)[0])
    whole = file.path.read_bytes()
    assert file.trim("now") is None
    file.path.write_bytes(whole + b'{"act"')
    copy = file.trim("now")
    assert copy is not None and copy.read_bytes() == whole + b'{"act"'
    assert file.path.read_bytes() == whole


def test_pins_are_kept_by_persona_and_terrain(place: Path) -> None:
    file = TrustFile(place / "config", PERSONA, TerrainPaths(place / "project" / ".tur"))
    other = TrustFile(place / "config", PERSONA, TerrainPaths(place / "clone" / ".tur"))
    assert file.pins().log is None
    file.announce(0, GENESIS, "a" * 64)
    assert file.pins().log == LogPin(0, GENESIS, "a" * 64)
    file.advance(1, "a" * 64)
    file.pin_key("b" * 64)
    assert file.pins().log == LogPin(1, "a" * 64)
    assert (file.pins().key, file.pins().terrain, file.pins().record) == ("b" * 64,) * 3
    assert (other.pins().key, other.pins().terrain, other.pins().record) == ("b" * 64, None, None)
    other.pin_terrain("b" * 64)
    other.pin_terrain("c" * 64)
    assert other.pins().terrain == "b" * 64
    file.pin_key(None)
    assert (file.pins().key, file.pins().terrain, file.pins().record) == (None, None, None)


@pytest.mark.parametrize("text", ["{", "[]", '{"personas": 3}', f'{{"personas": {{"{PERSONA}": {{"head": "x"}}}}}}'])
def test_a_record_that_makes_no_sense_never_raises(place: Path, text: str) -> None:
    file = TrustFile(place, PERSONA, TerrainPaths(place / "project" / ".tur"))
    file.path.write_text(text)
    pins = file.pins()
    assert pins.log is None
    assert (pins.problem is not None) is (text == "{" or "head" in text)
    if text == "{":
        with pytest.raises(StoreCorrupt):
            file.advance(1, "a" * 64)


def test_what_other_tools_keep_in_the_record_survives(place: Path) -> None:
    file = TrustFile(place, PERSONA, TerrainPaths(place / "project" / ".tur"))
    file.path.write_text('{"mine": 1}')
    file.advance(1, "a" * 64)
    assert json.loads(file.path.read_text())["mine"] == 1
