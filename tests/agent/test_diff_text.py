"""What `tur diff` shows: the layout of the proposal, on wide and narrow screens, in colour and without, and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.core.diff_ledger import END, SESSION, START, entry, full_id, historical, ledgers, memory, seed_ledger
from tur.codec.delta_json import delta_document
from tur.ids import note_uri
from tur.model.memory import Core, CoreType, Memory, MemoryType, Scope, Status
from tur.policy.diff import DiffEnd, MemoryDelta, compare
from tur.policy.lifecycle import Checkpoint, HandEdit, state_at
from tur_agent.cli.diff_text import Style, render_diff, render_stat

MINUTE = timedelta(minutes=1)
HEADING = f"Session {SESSION}"
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "diff-schema.json").read_text(encoding="utf-8"))

# EP-0133, section 2, character for character.
SAMPLE = """\
Memory Delta: Session 20260827_150000_841444cd (4 mutations)

[+] ADDED (Fact)
    id: concept-8f2a1b9c
    scope: incarnation
    content: "SQLite signal queue uses WAL mode and busy_timeout=5000ms."
    provenance: observed at 9f83ab2c (src/tur/signals.py)

[~] SUPERSEDED (Insight)
    id: concept-104e77a1 -> superseded by concept-248c704a
    old: "main.py acts as the monolithic command router."
    new: "Monolith decomposed into isolated domain modules under src/tur/."

[-] REFUTED (Fact)
    id: concept-a9dc0560
    content: "SSE transport is supported on localhost:8000."
    reason: "Refuted by EP-0124 (SSE permanently removed in favor of stdio)."

[*] DECAYED (Fact)
    id: concept-40225d13
    content: "Active debug port is 9229."
    status: fresh -> stale (last verified 32 days ago)
"""


def diff(*memories: Memory, edits: dict[str, HandEdit] | None = None) -> list[MemoryDelta]:
    return compare(state_at(memories, Checkpoint(START), edits=edits), state_at(memories, Checkpoint(END), edits=edits))


def sample_deltas() -> list[MemoryDelta]:
    """The session that the samples come from: it ran for two days and more, until the last fact was 32 days old."""
    ledger = seed_ledger()
    begun = Checkpoint(START)
    told = START - timedelta(days=30) + timedelta(minutes=40)
    ended = told + timedelta(days=32)
    ledger = [memory("40225d13", one.content, born=told) if one.id.startswith("40225d13") else one for one in ledger]
    return compare(state_at(ledger, begun), state_at(ledger, Checkpoint(ended)))


def fields_of(*memories: Memory, edits: dict[str, HandEdit] | None = None, details: bool = False) -> list[str]:
    """The indented lines of the only entry."""
    (delta,) = diff(*memories, edits=edits)
    return [line.removeprefix("    ") for line in render_diff([delta], heading=HEADING, details=details)[3:]]


def document(deltas: Sequence[MemoryDelta]) -> dict[str, object]:
    base = DiffEnd("start of session", START, SESSION)
    made = delta_document(deltas, base=base, target=DiffEnd("now"), types=[MemoryType.FACT], warnings=["x.md: torn"])
    Draft202012Validator(SCHEMA).validate(made)
    read: dict[str, object] = json.loads(json.dumps(made))
    return read


def test_the_samples_of_the_proposal_are_reproduced_to_the_letter() -> None:
    assert "\n".join(render_diff(sample_deltas(), heading=HEADING)) + "\n" == SAMPLE


def test_the_samples_as_json() -> None:
    told = document(sample_deltas())
    assert told["schema"] == "tur.diff/1"
    assert told["counts"] == {"ADDED": 1, "SUPERSEDED": 1, "REFUTED": 1, "MERGED": 0, "DECAYED": 1, "MODIFIED": 0}
    assert told["ledger"] == {
        "ADDED": {"fact": 1},
        "SUPERSEDED": {"insight": 1},
        "REFUTED": {"fact": 1},
        "DECAYED": {"fact": 1},
    }
    deltas = told["deltas"]
    assert isinstance(deltas, list)
    shown = [
        {key: delta[key] for key in ("status", "reason", "actor", "session", "at", "old_text", "new_text")}
        | {"covers": [one[:8] for one in delta["covers"]], "observed_at": delta["memory"]["observed_at"]}
        for delta in deltas
    ]
    assert shown == [
        {
            "status": "ADDED",
            "reason": None,
            "actor": "antigravity",
            "session": SESSION,
            "at": "2026-08-27T15:10:00Z",
            "old_text": None,
            "new_text": "SQLite signal queue uses WAL mode and busy_timeout=5000ms.",
            "covers": ["8f2a1b9c"],
            "observed_at": "9f83ab2c (src/tur/signals.py)",
        },
        {
            "status": "SUPERSEDED",
            "reason": None,
            "actor": "antigravity",
            "session": SESSION,
            "at": "2026-08-27T15:20:00Z",
            "old_text": "main.py acts as the monolithic command router.",
            "new_text": "Monolith decomposed into isolated domain modules under src/tur/.",
            "covers": ["104e77a1", "248c704a"],
            "observed_at": None,
        },
        {
            "status": "REFUTED",
            "reason": "Refuted by EP-0124 (SSE permanently removed in favor of stdio).",
            "actor": "antigravity",
            "session": SESSION,
            "at": "2026-08-27T15:30:00Z",
            "old_text": None,
            "new_text": "SSE transport is supported on localhost:8000.",
            "covers": ["a9dc0560"],
            "observed_at": None,
        },
        {
            "status": "DECAYED",
            "reason": "last verified 32 days ago",
            "actor": None,
            "session": None,
            "at": "2026-08-27T15:40:00Z",
            "old_text": None,
            "new_text": "Active debug port is 9229.",
            "covers": ["40225d13"],
            "observed_at": None,
        },
    ]


@settings(max_examples=50, deadline=None)
@given(ledgers(), st.integers(-100, 100), st.integers(-100, 100))
def test_every_diff_answers_to_the_published_schema(ledger: list[Memory], a: int, b: int) -> None:
    base, target = (state_at(ledger, Checkpoint(START + timedelta(days=days))) for days in (a, b))
    document(compare(base, target))


def test_the_schema_itself_is_valid() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_no_change_is_one_line() -> None:
    assert render_diff([], heading=HEADING) == [f"Memory Delta: {HEADING} (0 mutations)"]
    one = diff(memory("aaaa0001", born=END))
    assert render_diff(one, heading=HEADING)[0].endswith("(1 mutation)")


def test_a_dreamt_memory_names_its_note_and_how_that_begins() -> None:
    dreamt = memory("aaaa0001", born=END, session=SESSION, notes=[3])
    (delta,) = diff(dreamt)
    uri = note_uri(SESSION, 3)
    told = render_diff([delta], heading=HEADING, note_texts={uri: "Found that\nthe queue locks. " + "x" * 90})
    (line,) = [line for line in told if "provenance" in line]
    assert line.startswith(f'    provenance: note 3 of {SESSION}: "Found that the queue locks. xxx')
    assert line.endswith('…"')


def test_a_memory_from_several_notes_names_them_all() -> None:
    dreamt = memory("aaaa0001", born=END, session=SESSION, notes=[3, 5])
    assert f"provenance: notes 3, 5 of {SESSION}" in fields_of(dreamt)


def test_a_memory_without_notes_names_who_learned_it() -> None:
    assert f"provenance: learned by antigravity in {SESSION}" in fields_of(
        memory("aaaa0001", born=END, session=SESSION)
    )
    assert "provenance: learned by antigravity" in fields_of(memory("aaaa0001", born=END, session=None))


def test_added_and_refuted_shows_both_steps_in_its_history() -> None:
    lines = fields_of(
        memory("aaaa0001", born=START + MINUTE, then=[entry(START + 2 * MINUTE, Status.REFUTED, reason="no")])
    )
    assert lines[-1] == (
        "history: active 2026-08-27T15:01:00Z by antigravity -> refuted 2026-08-27T15:02:00Z by antigravity"
    )


def test_an_archived_memory_is_modified_and_says_archived() -> None:
    """O36."""
    lines = fields_of(memory("aaaa0001", then=[entry(END, Status.ARCHIVED, session=None, by="human")]))
    assert 'reason: "archived"' in lines


def test_a_merged_memory_names_what_it_merged_into() -> None:
    merged = [entry(END, Status.MERGED, successor=full_id("aaaa0002"))]
    lines = fields_of(memory("aaaa0001", "Half.", then=merged), memory("aaaa0002", "Whole.", born=END))
    assert lines == ["id: concept-aaaa0001 -> merged into concept-aaaa0002", 'old: "Half."', 'new: "Whole."']


def test_a_successor_that_is_nowhere_is_named_as_such() -> None:
    lines = fields_of(memory("aaaa0001", then=[entry(END, Status.SUPERSEDED, successor=full_id("aaaa0002"))]))
    assert "new: (concept-aaaa0002 is not in this store)" in lines


def test_a_pending_core_memory_shows_what_awaits_approval() -> None:
    core = Core(CoreType.EXISTENTIAL_ALIGNMENT, "Evidence first.", "I show my sources.")
    staged = memory("aaaa0001", type=MemoryType.CORE, scope=Scope.UNIVERSAL, born=END, status=Status.PENDING_APPROVAL)
    lines = fields_of(replace(staged, core=core))
    assert lines[3:5] == ['principle: "Evidence first."', 'covenant: "I show my sources."']
    assert "status: pending approval" in lines


def test_a_hand_edit_shows_both_texts_or_says_that_the_old_one_is_not_known() -> None:
    edited = memory("aaaa0001", "New.")
    known = fields_of(edited, edits={edited.id: HandEdit(END, "Old.")})
    assert known == ["id: concept-aaaa0001", 'old: "Old."', 'new: "New."', 'reason: "edited by hand"']
    assert "old: (not known)" in fields_of(edited, edits={edited.id: HandEdit(END)})


def test_what_was_dated_by_timestamp_or_file_says_so() -> None:
    by_time = fields_of(historical("aaaa0001", "Old.", END))
    assert "born: 2026-08-27T17:30:00Z (by its timestamp, for want of a lifecycle)" in by_time
    by_file = fields_of(historical("aaaa0001", "Old.", END, from_file=True))
    assert "born: 2026-08-27T17:30:00Z (by its file's time, estimated)" in by_file


def test_details_add_who_when_and_which_notes() -> None:
    lines = fields_of(memory("aaaa0001", born=END, session=SESSION, notes=[2]), details=True)
    assert lines[-4:] == [
        f"by: antigravity in session {SESSION}",
        "at: 2026-08-27T17:30:00Z",
        f"notes: {note_uri(SESSION, 2)}",
        "history: active 2026-08-27T17:30:00Z by antigravity",
    ]


def test_plain_output_has_no_escape_sequence_and_no_word_marks() -> None:
    """O47."""
    told = "\n".join(render_diff(sample_deltas(), heading=HEADING, style=Style(colour=False)))
    assert "\x1b" not in told
    assert "{+" not in told
    assert "[-" not in told.replace("[-] ", "")


def test_colour_marks_only_the_words_that_changed() -> None:
    then = [entry(END, Status.SUPERSEDED, successor=full_id("aaaa0002"))]
    deltas = diff(memory("aaaa0001", "Port is 80.", then=then), memory("aaaa0002", "Port is 81.", born=END))
    lines = render_diff(deltas, heading=HEADING, style=Style(colour=True))
    assert '    old: "Port is \x1b[4;31m80\x1b[0m."' in lines
    assert '    new: "Port is \x1b[4;32m81\x1b[0m."' in lines


HOSTILE = [
    "\x1b]52;c;AAAA\x07",
    "\x1b[2J\x1b[31mred",
    "\x9b31m",
    "a\u202eb",
    "[/login] [red] [/INST]",
    'x"\n[+] ADDED (Fact)\n    id: concept-00000000',
    "\r\nMemory Delta: none",
    "\ud800",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("width", [None, 40])
def test_stored_text_can_neither_steer_the_terminal_nor_pass_for_a_line_of_ours(text: str, width: int | None) -> None:
    """O45."""
    then = [entry(END, Status.REFUTED, reason=text, by=text, session=text)]
    hostile = [
        replace(memory("aaaa0001", text, born=END, extra={"observed_at": text}), author=text),
        memory("aaaa0002", text, then=then),
        memory("aaaa0003", text, then=[entry(END, Status.SUPERSEDED, successor=text)]),
    ]
    lines = "\n".join(render_diff(diff(*hostile), heading=HEADING, width=width, details=True)).split("\n")
    assert sum(line.startswith("[+] ADDED") for line in lines) == 1
    assert sum(line.startswith("Memory Delta") for line in lines) == 1
    assert sum(line.startswith("    id: ") for line in lines) == (3 if width is None else 0)
    for line in lines:
        assert line.isprintable()
        assert "\u202e" not in line


def test_bracketed_text_is_shown_as_it_is() -> None:
    assert 'content: "[/login] arr[i] [tool.ruff]"' in fields_of(
        memory("aaaa0001", "[/login] arr[i] [tool.ruff]", born=END)
    )


def test_further_lines_of_a_text_stand_under_its_first() -> None:
    lines = render_diff(diff(memory("aaaa0001", "one\ntwo", born=END)), heading=HEADING)
    assert '    content: "one\n              two"' in lines


def test_below_sixty_columns_an_entry_takes_three_lines_that_fit() -> None:
    lines = render_diff(sample_deltas(), heading=HEADING, width=40)
    assert lines[1:9] == [
        "",
        "[+] ADDED concept-8f2a1b9c",
        "    SQLite signal queue uses WAL mode a…",
        "    observed at 9f83ab2c (src/tur/signa…",
        "",
        "[~] SUPERSEDED concept-104e77a1",
        "    main.py acts as the monolithic comm…",
        "    -> Monolith decomposed into isolate…",
    ]
    assert len(lines) == 2 + 4 * 3 + 3
    assert all(len(line) <= 40 for line in lines[1:])
    assert len(render_diff(sample_deltas(), heading=HEADING, width=60)) > len(lines)


def test_the_stat_form_counts_by_kind_and_type() -> None:
    assert render_stat(sample_deltas(), heading=HEADING) == [
        f"Memory Delta: {HEADING} (4 mutations)",
        "[+] ADDED          1  1 fact",
        "[~] SUPERSEDED     1  1 insight",
        "[-] REFUTED        1  1 fact",
        "[*] DECAYED        1  1 fact",
    ]
