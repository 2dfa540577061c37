"""The timeline file of a session."""

from datetime import UTC, datetime

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tur.codec.seal import note_hash, verify_chain
from tur.codec.timeline import parse_timeline, render_timeline
from tur.errors import StoreCorrupt
from tur.model.note import Note
from tur.model.session import SessionConsolidationInfo, SessionNotes, SessionState

SESSION = "20260918_004355_d8ca9e13"
MOMENT = st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(UTC)).map(lambda at: at.replace(microsecond=0))
TEXT = st.text() | st.sampled_from(
    ["no", "---", "a: b", "a\r\nb\r", "\x85\u2028", "\ufeff", "1e3", "[/x]", "\x1b[0m", ""]
)


@st.composite
def sessions(draw: st.DrawFn) -> SessionNotes:
    notes: list[Note] = []
    for idx, (at, text) in enumerate(draw(st.lists(st.tuples(MOMENT, TEXT), max_size=4)), start=1):
        previous = notes[-1].hash if notes else None
        notes.append(Note(idx, at, "codex", text, note_hash(previous, idx, at, "codex", text)))
    return SessionNotes(
        session_id=SESSION,
        parent_session_id=draw(st.none() | st.just("20260917_004355_d8ca9e13")),
        state=draw(st.sampled_from(SessionState)),
        started_at=draw(st.none() | MOMENT),
        ended_at=draw(st.none() | MOMENT),
        manifestations=draw(st.lists(TEXT, max_size=2)),
        consolidation=SessionConsolidationInfo(
            consolidated=draw(st.booleans()),
            consolidated_at=draw(st.none() | MOMENT),
            derived_memory_ids=["ab" * 32],
            consolidation_model=draw(st.none() | TEXT),
            note_count_at_consolidation=draw(st.integers(0, 9)),
        ),
        ledger_delta={"added": {"fact": draw(st.integers(0, 9))}},
        notes=notes,
        unknown=draw(TEXT | st.none() | st.lists(TEXT)),
    )


@settings(max_examples=100)
@given(sessions())
def test_what_is_written_reads_back_with_the_chain_intact(session: SessionNotes) -> None:
    data = render_timeline(session)
    read = parse_timeline(data)
    assert read == session
    assert verify_chain(read.notes) is None
    assert render_timeline(read) == data
    assert [note["text"] for note in yaml.safe_load(data)["notes"]] == [note.text for note in session.notes]


def test_a_historical_file_is_read_as_not_consolidated() -> None:
    session = parse_timeline(
        b"session_id: 20260918_004355_d8ca9e13\nmood: 012\nstarted_at: 2026-09-18\nnotes:\n"
        b"- {at: 2026-09-18T01:00:00, author: codex, text: First}\n- text: no\n"
    )
    assert session.consolidation == SessionConsolidationInfo()
    assert session.state is SessionState.ENDED
    assert [(note.idx, note.author, note.text) for note in session.notes] == [
        (1, "codex", "First"),
        (2, "unknown", "no"),
    ]
    assert session.notes[0].at == datetime(2026, 9, 18, 1, tzinfo=UTC)
    assert session.notes[1].at == datetime(2026, 9, 18, tzinfo=UTC)
    assert verify_chain(session.notes) is None
    assert b"mood: 012\n" in render_timeline(session)


def test_a_note_without_time_in_a_file_without_start_has_the_time_of_the_session_id() -> None:
    session = parse_timeline(f"session_id: {SESSION}\nnotes: [{{text: x}}]\n".encode())
    assert session.notes[0].at == datetime(2026, 9, 18, 0, 43, 55, tzinfo=UTC)


def test_a_bom_and_crlf_do_not_matter() -> None:
    data = f"session_id: {SESSION}\nnotes:\n- {{text: x}}\n".encode()
    assert parse_timeline(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")) == parse_timeline(data)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        ("notes: []\n", "session_id"),
        ("session_id: x\nnotes: 3\n", "field notes: is not a list"),
        ("session_id: x\nnotes: [y]\n", r"notes\[1\]"),
        ("session_id: x\nnotes: [{text: y}]\n", r"notes\[1\].at: is missing"),
        ("session_id: x\nnotes: [{at: 2026-01-01}]\n", r"notes\[1\].text: is missing"),
        ("session_id: x\nnotes: [{at: tomorrow, text: y}]\n", r"notes\[1\].at: is not a date"),
        ("session_id: x\nnotes: [{idx: -1, at: 2026-01-01, text: y}]\n", r"notes\[1\].idx"),
        ("session_id: x\nstarted_at: soon\n", "started_at"),
        ("session_id: x\nstate: asleep\n", "state"),
        ("session_id: x\nconsolidation: {consolidated: perhaps}\n", "consolidation.consolidated"),
        ("session_id: x\nconsolidation: [a]\n", "consolidation"),
        ("session_id: x\nsession_id: y\n", "line 2.*twice"),
    ],
)
def test_a_broken_file_is_refused_with_the_place(text: str, problem: str) -> None:
    with pytest.raises(StoreCorrupt, match=problem):
        parse_timeline(text.encode())


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(StoreCorrupt, match="not UTF-8"):
        parse_timeline(b"session_id: \xff\n")
