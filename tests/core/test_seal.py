"""Content addresses, seals and the chain of notes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tur.codec.seal import memory_id, memory_seal, note_hash, verify_chain
from tur.model.memory import Core, CoreType, MemoryLink, MemoryType, Scope
from tur.model.note import Note

AT = datetime(2026, 9, 18, 1, 49, 10, tzinfo=UTC)
CORE = Core(CoreType.EXISTENTIAL_ALIGNMENT, "Ask first.", "I will not act alone.")
LINK = MemoryLink("tur://session/20260918_004355_d8ca9e13#note-3", "consolidated_from", "ab" * 32)


def chain(*texts: str) -> list[Note]:
    notes: list[Note] = []
    for idx, text in enumerate(texts, start=1):
        previous = notes[-1].hash if notes else None
        notes.append(Note(idx, AT, "codex", text, note_hash(previous, idx, AT, "codex", text)))
    return notes


def test_ids_never_change_between_versions() -> None:
    assert memory_id(Scope.INCARNATION, MemoryType.FACT, "WAL is on.") == (
        "72d39651f8b2b65a7f0662a4b51407487e5d37fddb3185a064a11ffa599a6ffc"
    )
    assert memory_seal("ab" * 32, AT, [LINK]) == "69b3545fedd32b2a14cce424b8eb0968e47dd3135148e7c286f55491e2eb5753"
    assert (
        note_hash(None, 1, AT, "codex", "First.") == "b0631e0673f3d1e3a00961cdc33315590de3fee7270df2e109408da22220171a"
    )


def test_the_same_content_has_one_id_whatever_editor_saved_it() -> None:
    ids = {memory_id(Scope.USER, MemoryType.FACT, text) for text in ("a\nb", "a\r\nb\r\n", "\ufeffa\nb\n\n")}
    assert len(ids) == 1


@pytest.mark.parametrize(
    "other",
    [
        memory_id(Scope.PERSONA, MemoryType.FACT, "a"),
        memory_id(Scope.USER, MemoryType.AXIOM, "a"),
        memory_id(Scope.USER, MemoryType.FACT, "b"),
        memory_id(Scope.USER, MemoryType.FACT, "a", CORE),
    ],
)
def test_scope_type_content_and_core_are_part_of_the_id(other: str) -> None:
    assert other != memory_id(Scope.USER, MemoryType.FACT, "a")


def test_a_core_memory_is_bound_to_its_principle_and_covenant() -> None:
    ids = {
        memory_id(Scope.UNIVERSAL, MemoryType.CORE, "Lived.", core)
        for core in (
            CORE,
            replace(CORE, derived_principle="Never ask."),
            replace(CORE, ethical_covenant="I will act alone."),
        )
    }
    assert len(ids) == 3


def test_the_seal_covers_time_and_every_part_of_each_link_in_order() -> None:
    other = MemoryLink("tur://memory/" + "cd" * 32, "refines")
    seals = {
        memory_seal("ab" * 32, AT, links)
        for links in (
            [],
            [LINK],
            [LINK, other],
            [other, LINK],
            [replace(LINK, hash=None)],
            [replace(LINK, uri="tur://x")],
            [replace(LINK, relation="refines")],
        )
    }
    seals |= {memory_seal("ab" * 32, AT + timedelta(seconds=1), [LINK]), memory_seal("ac" * 32, AT, [LINK])}
    assert len(seals) == 9


def test_the_seal_is_the_same_in_every_time_zone() -> None:
    there = AT.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert memory_seal("ab" * 32, there, []) == memory_seal("ab" * 32, AT, [])


def test_an_unbroken_chain_holds() -> None:
    assert verify_chain(chain("one", "two", "three")) is None
    assert verify_chain([]) is None


@pytest.mark.parametrize(
    "change",
    [{"text": "other"}, {"author": "mallory"}, {"at": AT + timedelta(seconds=1)}, {"idx": 9}, {"hash": "00" * 32}],
)
def test_a_changed_note_is_named(change: dict[str, object]) -> None:
    notes = chain("one", "two", "three")
    notes[1] = replace(notes[1], **change)  # type: ignore[arg-type]
    assert verify_chain(notes) == notes[1].idx


def test_a_dropped_or_swapped_note_breaks_the_chain_where_it_was() -> None:
    one, two, three = chain("one", "two", "three")
    assert verify_chain([one, three]) == 3
    assert verify_chain([two, one, three]) == 2


@given(st.text(), st.text())
def test_a_note_is_hashed_exactly_not_normalised(one: str, other: str) -> None:
    same = note_hash(None, 1, AT, "codex", one) == note_hash(None, 1, AT, "codex", other)
    assert same == (one == other)
