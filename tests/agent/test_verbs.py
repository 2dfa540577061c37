"""What each verb of `tur` promises, in plain words."""

import json
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.scratch import NOW, Answer, Terrain, tree
from tur.clock import FixedClock
from tur.codec.seal import note_hash
from tur.store.state import change_terrain_state

PUMP = "The pump must be primed before each start."
VALVE = "Fixed the leak by a new valve, because the old one had rusted."


def learn(terrain: Terrain, content: str, *options: str) -> str:
    """The id of a memory that is learned now."""
    return str(terrain.tur("learn", content, *options, "--json").json["memory"]["id"])


def shown(terrain: Terrain, name: str) -> Any:
    return terrain.tur("show", name, "--json").json


def at(terrain: Terrain, days: float) -> None:
    """Let so many days pass."""
    terrain.clock = FixedClock(NOW + timedelta(days=days))


# -- every verb ------------------------------------------------------------------------------

SUCCESSES: list[tuple[str, ...]] = [
    ("wake",),
    ("wake", "--explain", "--budget", "50"),
    ("note", "A milestone."),
    ("learn", "Something new."),
    ("recall", "pump"),
    ("recall", "pump", "--notes"),
    ("show", "@"),
    ("status",),
    ("verify",),
    ("diff",),
    ("sleep", "--prompt"),
    ("sleep", "--dry-run"),
    ("sleep",),
]


@pytest.mark.parametrize("verb", SUCCESSES, ids=" ".join)
def test_json_is_one_object_with_its_schema(terrain: Terrain, verb: tuple[str, ...]) -> None:
    learn(terrain, PUMP)
    terrain.tur("note", VALVE)
    answer = terrain.tur(*verb, "--json")
    assert answer.code == 0 and answer.json["schema"].startswith(f"tur.{verb[0]}")
    assert terrain.tur(*verb).code == (1 if verb == ("sleep",) else 0)


@pytest.mark.parametrize("verb", ["show", "refute", "verify"])
def test_json_of_one_memory_has_its_full_id(terrain: Terrain, verb: str) -> None:
    memory = learn(terrain, PUMP)
    reason = ("--reason", "wrong") if verb == "refute" else ()
    answer = terrain.tur(verb, memory[:6], *reason, "--json")
    assert answer.json["schema"] == f"tur.{verb}/1" and answer.json["memory"]["id"] == memory


@pytest.mark.parametrize(
    "verb",
    [
        ("show", "abcd"),
        ("refute", "abcd", "--reason", "x"),
        ("verify", "abcd"),
        ("recall", " "),
        ("note", " "),
        ("sleep",),
    ],
    ids=" ".join,
)
def test_an_error_is_one_json_object_on_stderr_and_stdout_stays_empty(terrain: Terrain, verb: tuple[str, ...]) -> None:
    answer = terrain.tur(*verb, "--json")
    document = json.loads(answer.err)
    assert (answer.code, answer.out, document["schema"]) == (1, "", "tur.error/1")
    assert set(document["error"]) >= {"code", "message", "hint"}


@pytest.mark.parametrize("verb", [("nonsense",), ("note",), ("learn", "x", "--type", "law"), ("wake", "--frob"), ()])
def test_wrong_usage_is_exit_code_2(terrain: Terrain, verb: tuple[str, ...]) -> None:
    answer = terrain.tur(*verb)
    assert (answer.code, answer.out) == (2, "")


@pytest.mark.parametrize(
    ("given", "environment", "author"),
    [
        ([], {}, "agent"),
        ([], {"CLAUDECODE": "1"}, "claude-code"),
        ([], {"CLAUDECODE": "1", "TUR_AGENT": "pi"}, "pi"),
        (["--as", "codex"], {"CLAUDECODE": "1", "TUR_AGENT": "pi"}, "codex"),
    ],
)
def test_the_author_is_as_else_tur_agent_else_the_harness_else_agent(
    terrain: Terrain, monkeypatch: pytest.MonkeyPatch, given: list[str], environment: dict[str, str], author: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert terrain.tur("note", "A milestone.", "--json", *given).json["note"]["author"] == author


@pytest.mark.parametrize("script", ["tur", "tur-adm"])
def test_each_program_tells_its_version(terrain: Terrain, script: str) -> None:
    assert terrain.run("--version", script=script) == Answer(0, f"{script} {version('tur')}\n", "")


# -- wake ------------------------------------------------------------------------------------


def test_wake_begins_a_session_and_the_next_wake_joins_it(terrain: Terrain) -> None:
    first = terrain.tur("wake", "--json", "--as", "pi").json
    second = terrain.tur("wake", "--json", "--as", "codex").json
    assert (first["begun"], second["begun"]) == (True, False)
    assert first["session"]["id"] == second["session"]["id"]
    assert second["session"]["manifestations"] == ["codex", "pi"]


def test_the_prompt_is_the_same_to_the_byte_for_the_same_state(terrain: Terrain) -> None:
    for number in range(30):
        learn(terrain, f"Gate {number} closes at ten.")
    terrain.tur("note", VALVE)
    assert terrain.run("wake", "--as", "pi").out == terrain.run("wake", "--as", "codex").out
    prompts = set()
    for hours in (0, 1, 23):
        at(terrain, hours / 24)
        prompts.add(terrain.tur("wake").out)
    assert len(prompts) == 1


def test_the_prompt_has_identity_closing_notes_memories_and_the_way_on(terrain: Terrain) -> None:
    learn(terrain, PUMP, "--type", "axiom")
    terrain.tur("sleep", "-n", VALVE)
    prompt = terrain.tur("wake").out
    assert prompt.index("# You are Golem") < prompt.index(VALVE) < prompt.index(PUMP) < prompt.index("tur sleep -n")
    assert prompt.startswith("<!-- tur:wake -->\n") and prompt.endswith("<!-- /tur:wake -->\n")


def test_the_budget_bounds_the_memories_and_explain_says_why_each_is_in_or_out(terrain: Terrain) -> None:
    for number in range(20):
        learn(terrain, f"Gate {number} closes at ten.")
    tight = terrain.tur("wake", "--budget", "60")
    assert 0 < tight.out.count("closes at ten") < 20 and "left out by the budget" in tight.out
    explained = terrain.tur("wake", "--budget", "60", "--explain", "--json").json
    assert explained["prompt"] == tight.out
    assert {choice["included"] for choice in explained["choices"]} == {True, False}
    assert all(choice["why"] for choice in explained["choices"])
    assert sum(choice["tokens"] for choice in explained["choices"] if choice["included"]) <= 60
    assert terrain.tur("wake", "--budget", "0", "--json").error["code"] == "invalid_input"


def test_what_is_out_of_force_is_not_in_the_prompt(terrain: Terrain) -> None:
    old = learn(terrain, "The office is on the west quay.")
    learn(terrain, "The office is on the east quay.", "--supersedes", old)
    wrong = learn(terrain, "The office is closed.")
    terrain.tur("refute", wrong, "--reason", "It is open.")
    prompt = terrain.tur("wake").out
    assert "east quay" in prompt and "west quay" not in prompt and "closed" not in prompt


def test_a_fact_not_verified_for_its_half_life_is_marked_stale_until_it_is(terrain: Terrain) -> None:
    memory = learn(terrain, PUMP)
    learn(terrain, "Prefer small valves.", "--type", "preference")
    at(terrain, 31)
    assert terrain.tur("wake").out.count("stale") == 1
    terrain.tur("verify", memory)
    assert "stale" not in terrain.tur("wake").out


# -- note ------------------------------------------------------------------------------------


def test_notes_are_numbered_chained_and_kept_in_order(terrain: Terrain) -> None:
    for text in ("A", "B", "A"):
        terrain.tur("note", text)
    notes = shown(terrain, "@")["session"]["notes"]
    assert [(note["idx"], note["text"]) for note in notes] == [(1, "A"), (2, "B"), (3, "A")]
    previous = None
    for note in notes:
        previous = note_hash(previous, note["idx"], NOW, note["author"], note["text"])
        assert note["hash"] == previous


def test_order_is_by_number_when_the_clock_was_set_back(terrain: Terrain) -> None:
    terrain.tur("note", "first")
    at(terrain, -0.1)
    terrain.tur("note", "second")
    assert [note["text"] for note in shown(terrain, "@")["session"]["notes"]] == ["first", "second"]
    assert terrain.tur("verify").code == 0
    assert terrain.tur("sleep").code == 0


# -- learn -----------------------------------------------------------------------------------


def test_learning_the_same_twice_answers_with_the_one_that_is_there(terrain: Terrain) -> None:
    memory = learn(terrain, PUMP)
    before = tree(terrain.root, terrain.home)
    at(terrain, 1)
    for content in (PUMP, f"  {PUMP}\n", f"\ufeff{PUMP}\r\n"):
        again = terrain.tur("learn", content, "--title", "Another title", "--json").json
        assert (again["created"], again["memory"]["id"]) == (False, memory)
    assert "Already known" in terrain.tur("learn", PUMP).out
    assert tree(terrain.root, terrain.home) == before


def test_the_same_words_in_another_scope_or_of_another_type_are_another_memory(terrain: Terrain) -> None:
    ids = {learn(terrain, PUMP, "--scope", scope) for scope in ("incarnation", "persona", "user", "universal")}
    ids |= {learn(terrain, PUMP, "--type", kind) for kind in ("fact", "axiom", "insight", "event", "preference")}
    assert len(ids) == 8
    assert len(list(terrain.root.rglob("*.md"))) == 5 and len(list(terrain.home.rglob("*.md"))) == 3


def test_two_readings_of_one_accented_word_are_one_memory(terrain: Terrain) -> None:
    assert learn(terrain, "The caf\u00e9 is open.") == learn(terrain, "The cafe\u0301 is open.")


@pytest.mark.parametrize("texts", [("alpha.py, tests green", "beta.py, tests red"), ("likes dark themes", "likes tea")])
def test_similar_memories_both_stay(terrain: Terrain, texts: tuple[str, str]) -> None:
    for text in texts:
        learn(terrain, f"Edited file {text}")
    assert len(list(terrain.root.rglob("*.md"))) == 2


@pytest.mark.parametrize(("option", "status"), [("--supersedes", "superseded"), ("--merges", "merged")])
def test_what_a_new_memory_replaces_is_marked_with_its_successor(terrain: Terrain, option: str, status: str) -> None:
    old = learn(terrain, "The office is on the west quay.")
    other = learn(terrain, "The office is at the harbour.")
    answer = terrain.tur("learn", "The office is on the east quay.", option, old[:8], option, other, "--json").json
    assert answer["replaced"] == [old, other]
    for one in (old, other):
        memory = shown(terrain, one)["memory"]
        assert memory["status"] == status
        assert memory["lifecycle"][-1]["successor"] == answer["memory"]["id"]
    links = [(link["relation"], link["hash"]) for link in answer["memory"]["links"]]
    assert links == [(option[2:], old), (option[2:], other)]
    before = tree(terrain.root)
    assert terrain.tur("learn", "The office is on the east quay.", option, old, option, other).code == 0
    assert tree(terrain.root) == before
    told = terrain.tur("learn", "The office is on both quays.", option, answer["memory"]["id"]).out
    assert ("It takes in concept-" if option == "--merges" else "It replaces concept-") in told


def test_a_memory_cannot_replace_itself_nor_what_is_out_of_force_otherwise(terrain: Terrain) -> None:
    old = learn(terrain, "The office is on the west quay.")
    assert terrain.tur("learn", "The office is on the west quay.", "--supersedes", old, "--json").error
    terrain.tur("refute", old, "--reason", "It moved.")
    before = tree(terrain.root)
    answer = terrain.tur("learn", "The office is on the east quay.", "--supersedes", old, "--json")
    assert answer.error["code"] == "conflict"
    assert tree(terrain.root) == before


def test_what_was_refuted_comes_back_only_with_again(terrain: Terrain) -> None:
    memory = learn(terrain, PUMP)
    terrain.tur("refute", memory, "--reason", "The new pump primes itself.")
    refused = terrain.tur("learn", PUMP, "--json").error
    assert refused["code"] == "conflict" and "The new pump primes itself." in refused["message"]
    assert "--again" in refused["hint"]
    assert terrain.tur("learn", PUMP, "--again", "--json").json["again"] is True
    assert [entry["status"] for entry in shown(terrain, memory)["memory"]["lifecycle"]] == [
        "active",
        "refuted",
        "active",
    ]


def test_a_core_memory_cannot_be_learned(terrain: Terrain) -> None:
    error = terrain.tur("learn", PUMP, "--type", "core", "--json").error
    assert error["code"] == "refused" and "tur evolve" in error["hint"]
    assert not list(terrain.folder.parent.rglob("*.md"))


def test_a_session_link_binds_a_memory_to_the_note_it_was_seen_in(terrain: Terrain) -> None:
    note = terrain.tur("note", VALVE, "--json").json["note"]
    memory = learn(terrain, PUMP, "--session-link", note["uri"], "--session-link", "@")
    steps = shown(terrain, memory)["lineage"]
    assert [(step["relation"], step["sound"]) for step in steps] == [("observed_in", True), ("observed_in", True)]
    assert steps[0]["note"]["text"] == VALVE and steps[0]["hash"] == note["hash"]
    missing = note["uri"].replace("#note-1", "#note-9")
    assert terrain.tur("learn", "x y", "--session-link", missing, "--json").error["code"] == "invalid_input"


TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def test_a_secret_is_redacted_everywhere_and_its_author_is_told(terrain: Terrain) -> None:
    text = f"Deploy with export DEMO_TOKEN={TOKEN} every week."
    memory = learn(terrain, text)
    answers = [
        terrain.tur("learn", f"Again {text}"),
        terrain.tur("learn", "A plain sentence.", "--title", f"Token {TOKEN}", "--tag", TOKEN),
        terrain.tur("note", text),
        terrain.tur("refute", memory, "--reason", f"The token {TOKEN} is gone."),
        terrain.tur("sleep", "-n", f"Rotated {TOKEN}, because it had leaked."),
        terrain.tur("recall", "Deploy", "--all-statuses", "--json"),
        terrain.tur("show", memory),
        terrain.tur("show", "@~1"),
        terrain.tur("wake"),
    ]
    assert all("redacted" in answer.err for answer in answers[:5])
    assert all(TOKEN not in answer.out + answer.err for answer in answers)
    for path in terrain.folder.parent.rglob("*"):
        if path.is_file():
            assert TOKEN.encode() not in path.read_bytes(), path


# -- refute and verify -----------------------------------------------------------------------


def test_refuting_twice_keeps_the_first_reason_and_changes_no_byte(terrain: Terrain) -> None:
    memory = learn(terrain, PUMP)
    assert terrain.tur("refute", memory, "--reason", "It primes itself.", "--json").json["changed"] is True
    before = tree(terrain.root)
    assert terrain.tur("refute", memory, "--reason", "Another.", "--json").json["changed"] is False
    assert tree(terrain.root) == before


HAND_WRITTEN = """---
# kept by the harbour office
reviewed_by: "Mora"   # a key of their own
scope: INCARNATION
memory_type: FACT
title:   'Pump'
tags: [ pump ,  valve ]
timestamp: 2026-09-01 08:00:00
---
The pump must be primed.  \r

---
not: metadata
"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_hand_written_file_keeps_its_comments_keys_order_and_body(terrain: Terrain, line_end: str, mark: str) -> None:
    from tur.codec.memory_file import parse_memory

    data = (mark + HAND_WRITTEN.replace("\r", "").replace("\n", line_end)).encode()
    memory = parse_memory(data).id
    folder = Path(next(iter(terrain.root.glob("personas/*")))) / "memories/active"
    folder.mkdir(parents=True)
    path = folder / f"{memory}.md"
    path.write_bytes(data)
    assert terrain.tur("verify", memory).code == 0
    assert terrain.tur("refute", memory, "--reason", "It primes itself.").code == 0
    after = path.read_bytes()
    assert after.count(b"---" + line_end.encode()) == data.count(b"---" + line_end.encode())
    kept = [line for line in after.split(line_end.encode()) if line in data.split(line_end.encode())]
    assert kept == data.split(line_end.encode())
    assert terrain.tur("show", memory, "--json").json["memory"]["status"] == "refuted"
    assert terrain.tur("recall", "pump", "--all-statuses", "--json").json["memories"][0]["title"] == "Pump"


def test_verify_names_a_memory_that_was_edited_by_hand_and_recall_marks_it(terrain: Terrain) -> None:
    memory = learn(terrain, PUMP)
    assert terrain.tur("verify", "--json").json == {"schema": "tur.verify/1", "sound": True, "findings": []}
    (path,) = terrain.root.rglob("*.md")
    path.write_bytes(path.read_bytes().replace(b"primed", b"cleaned"))
    answer = terrain.tur("verify", "--json")
    (finding,) = json.loads(answer.out)["findings"]
    assert answer.code == 1 and finding["code"] == "edited" and memory[:8] in finding["subject"]
    assert terrain.tur("recall", "cleaned", "--json").json["memories"][0]["edited"] is True
    assert "edited" in terrain.tur("recall", "cleaned").out and "edited" in terrain.tur("wake").out
    assert terrain.tur("verify", memory, "--json").error["code"] == "conflict"


@pytest.mark.parametrize("where", ["live timeline", "ended timeline"])
def test_verify_names_a_chain_that_was_broken(terrain: Terrain, where: str) -> None:
    session = terrain.tur("note", VALVE, "--json").json["session"]["id"]
    terrain.tur("note", "Another.")
    if where == "ended timeline":
        terrain.tur("sleep")
        for path in (terrain.root / "sessions" / session).iterdir():
            path.unlink()
    else:
        terrain.tur("status")
    (timeline,) = terrain.root.glob("personas/*/sessions/*.yaml")
    timeline.write_bytes(timeline.read_bytes().replace(b"new valve", b"old valve"))
    answer = terrain.tur("verify", "--json")
    codes = {finding["code"] for finding in json.loads(answer.out)["findings"]}
    assert answer.code == 1 and codes & {"chain", "timeline"}, answer
    assert session in answer.out


# -- recall ----------------------------------------------------------------------------------

SAID = (
    "ticket POL-358 pre-edit check",
    "don't use agents",
    "今天玩成语接龙游戏",
    "오늘 끝말잇기 게임을 했다",
    "NOT x AND y",
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("POL-358", 0),
        ("pol 358", 0),
        ("pre-edit", 0),
        ("don't use", 1),
        ("成语接龙", 2),
        ("끝말잇기", 3),
        ("AND", 4),
        ("NOT x", 4),
        ("tick", 0),
    ],
)
def test_recall_takes_any_words_as_they_are(terrain: Terrain, query: str, expected: int) -> None:
    ids = [learn(terrain, text) for text in SAID]
    assert terrain.tur("recall", query, "--json").json["memories"][0]["id"] == ids[expected]


@pytest.mark.parametrize(
    "query", ['"', '""', "(", "*", "a*b", "NEAR(", "-x", "x:y", "\\", "^", "'; DROP TABLE words; --", "🌊", "%"]
)
def test_no_query_is_an_error_of_the_search_engine(terrain: Terrain, query: str) -> None:
    learn(terrain, PUMP)
    answer = terrain.tur("recall", "--json", "--", query)
    assert answer.code == 0 and answer.json["memories"] == []


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_a_blank_query_is_refused(terrain: Terrain, query: str) -> None:
    learn(terrain, PUMP)
    assert "empty query" in terrain.tur("recall", query, "--json").error["message"]


def test_recall_leaves_out_what_is_out_of_force_and_marks_it_when_asked_for(terrain: Terrain) -> None:
    old = learn(terrain, "The office is on the west quay.")
    new = learn(terrain, "The office is on the east quay.", "--supersedes", old)
    wrong = learn(terrain, "The office quay is closed.")
    terrain.tur("refute", wrong, "--reason", "It is open.")
    assert [one["id"] for one in terrain.tur("recall", "office quay", "--json").json["memories"]] == [new]
    every = terrain.tur("recall", "office quay", "--all-statuses", "--json").json["memories"]
    assert {one["id"]: one["status"] for one in every} == {old: "superseded", new: "active", wrong: "refuted"}
    lines = terrain.tur("recall", "office quay", "--all-statuses").out.splitlines()
    assert any("superseded" in line and "west" in line for line in lines)


def test_recall_filters_by_type_and_scope_and_counts_to_its_limit(terrain: Terrain) -> None:
    for kind in ("fact", "axiom"):
        for scope in ("incarnation", "user"):
            learn(terrain, f"Gate rule {kind} {scope}", "--type", kind, "--scope", scope)
    found = terrain.tur("recall", "gate", "--type", "axiom", "--scope", "user", "--json").json["memories"]
    assert [(one["type"], one["scope"]) for one in found] == [("axiom", "user")]
    assert len(terrain.tur("recall", "gate", "--limit", "3", "--json").json["memories"]) == 3
    for limit in ("0", "-1", "1001"):
        assert terrain.tur("recall", "gate", "--limit", limit, "--json").error["code"] == "invalid_input"


# -- show and status -------------------------------------------------------------------------


def test_show_tells_the_lineage_down_to_the_text_and_hash_of_the_note(terrain: Terrain) -> None:
    note = terrain.tur("note", VALVE, "--json").json["note"]
    (memory,) = terrain.tur("sleep", "--json").json["memories"]
    answer = shown(terrain, memory["id"])
    assert answer["lineage"][0]["note"]["text"] == VALVE
    assert answer["lineage"][0]["hash"] == answer["lineage"][0]["note"]["hash"] == note["hash"]
    text = terrain.tur("show", f"concept-{memory['id'][:8]}").out
    assert VALVE in text and note["hash"] in text and note["uri"] in text and "BROKEN" not in text


def test_show_says_when_the_note_is_no_longer_what_the_memory_came_from(terrain: Terrain) -> None:
    session = terrain.tur("note", VALVE, "--json").json["session"]["id"]
    (memory,) = terrain.tur("sleep", "--json").json["memories"]
    for path in (terrain.root / "sessions" / session).iterdir():
        path.unlink()
    (timeline,) = terrain.root.glob("personas/*/sessions/*.yaml")
    timeline.write_bytes(timeline.read_bytes().replace(b"new valve", b"old valve"))
    assert shown(terrain, memory["id"])["lineage"][0]["sound"] is False
    assert "BROKEN" in terrain.tur("show", memory["id"]).out


def test_one_of_a_thing_is_told_in_the_singular(terrain: Terrain) -> None:
    session = terrain.tur("note", VALVE, "--json").json["session"]["id"]
    learn(terrain, "The pump is new.")
    terrain.clock = FixedClock(NOW - timedelta(days=1))
    status = terrain.tur("status").out.splitlines()
    assert any(line.startswith(f"session: {session}, 1 note, by ") for line in status)
    assert f"not consolidated: 1 note of {session}" in status
    assert "in the future: 1 memory is dated after now" in status
    assert "not consolidated: 1 of 1 note" in terrain.tur("show", session).out.splitlines()
    assert "1 more is left out by the budget; `tur recall` finds it." in terrain.tur("wake", "--budget", "1").out


@pytest.mark.parametrize("verb", ["show", "diff"])
def test_a_session_too_far_back_says_what_lists_them(terrain: Terrain, verb: str) -> None:
    terrain.tur("note", VALVE)
    error = terrain.tur(verb, "@~9", "--json").error
    assert error["code"] == "not_found" and "`tur-adm session list`" in error["hint"]


def test_status_counts_notes_that_no_dream_has_seen_and_memories_by_status(terrain: Terrain) -> None:
    memory = learn(terrain, PUMP)
    learn(terrain, "The office is open.")
    terrain.tur("refute", memory, "--reason", "wrong")
    session = terrain.tur("note", VALVE, "--json").json["session"]["id"]
    terrain.tur("note", "Another.")
    status = terrain.tur("status", "--json").json
    assert status["unconsolidated"] == {session: 2}
    assert status["memory_counts"] == {"active": 1, "refuted": 1}
    terrain.tur("sleep")
    assert terrain.tur("status", "--json").json["unconsolidated"] == {}


@pytest.mark.parametrize("days", [10, 400])
def test_a_memory_from_the_future_gains_nothing_by_it_and_is_counted(terrain: Terrain, days: int) -> None:
    at(terrain, days)
    learn(terrain, "A memory of tomorrow.")
    at(terrain, 0)
    terrain.tur("learn", "A memory of today.")
    assert terrain.tur("status", "--json").json["future_memories"] == 1
    for verb in (("wake",), ("recall", "memory"), ("verify",), ("diff",), ("sleep", "-n", VALVE)):
        assert terrain.tur(*verb).code == 0


@pytest.mark.parametrize("written", ["2026-05-20T08:29:42+00:00", "2026-05-20T10:29:42", "2026-05-20"])
def test_times_with_and_without_a_zone_live_side_by_side(terrain: Terrain, written: str) -> None:
    learn(terrain, PUMP)
    (path,) = terrain.root.rglob("*.md")
    hand = f"---\nmemory_type: FACT\nscope: INCARNATION\ntimestamp: {written}\n---\nThe pump is red.\n"
    from tur.codec.memory_file import parse_memory

    memory = parse_memory(hand.encode()).id
    path.with_name(f"{memory}.md").write_text(hand)
    born = datetime.fromisoformat(shown(terrain, memory)["memory"]["timestamp"])
    assert born.tzinfo is not None and born.astimezone(UTC).date().isoformat() == "2026-05-20"
    for verb in (("wake",), ("recall", "pump"), ("diff", "--since", "2026-01-01"), ("verify",)):
        assert terrain.tur(*verb).code == 0
    assert "red" in terrain.tur("recall", "pump").out


# -- sleep -----------------------------------------------------------------------------------


def test_a_session_without_notes_is_not_dreamt_and_a_final_note_helps(terrain: Terrain) -> None:
    assert "-n" in terrain.tur("sleep", "--json").error["hint"]
    terrain.tur("wake")
    error = terrain.tur("sleep", "--json").error
    assert error["code"] == "conflict" and "no notes" in error["message"] and "-n" in error["hint"]
    answer = terrain.tur("sleep", "-n", VALVE, "--json").json
    assert answer["session"]["note_count"] == 1 and answer["created"] == len(answer["memories"]) == 1


def test_a_final_note_alone_is_a_whole_session(terrain: Terrain) -> None:
    answer = terrain.tur("sleep", "-n", VALVE, "--json").json
    assert (answer["session"]["state"], answer["session"]["note_count"], answer["created"]) == ("ended", 1, 1)


def test_a_second_sleep_says_that_it_was_done_and_changes_no_byte(terrain: Terrain) -> None:
    session = terrain.tur("note", VALVE, "--json").json["session"]["id"]
    terrain.tur("sleep")
    before = tree(terrain.root, terrain.home)
    at(terrain, 1)
    for options in ((), ("--session", session), ("--session", session[:17]), ("-n", "Late.")):
        answer = terrain.tur("sleep", *options)
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.startswith(
            f"SessionAlreadyConsolidatedError: Session '{session}' was already consolidated\n"
            "at 2026-09-18 12:00:00 (created 1 L1 memory). Pass --force to re-dream.\n"
        )
    assert tree(terrain.root, terrain.home) == before


def test_forcing_a_dream_of_unchanged_notes_adds_nothing_and_changes_no_byte(terrain: Terrain) -> None:
    terrain.tur("note", VALVE)
    terrain.tur("sleep")
    before = tree(terrain.root, terrain.home)
    at(terrain, 1)
    answer = terrain.tur("sleep", "--force", "--json").json
    assert (answer["outcome"], answer["created"]) == ("unchanged", 0)
    assert tree(terrain.root, terrain.home) == before


def test_forcing_a_dream_with_a_new_note_dreams_all_of_them_again(terrain: Terrain) -> None:
    terrain.tur("note", VALVE)
    first = terrain.tur("sleep", "--json").json
    answer = terrain.tur("sleep", "--force", "-n", "The pump must never run dry, or its seal burns.", "--json").json
    assert answer["session"]["id"] == first["session"]["id"] and answer["session"]["note_count"] == 2
    assert {one["id"] for one in first["memories"]} <= set(answer["session"]["consolidation"]["derived_memory_ids"])
    assert terrain.tur("verify").code == 0


def test_learning_what_was_dreamt_is_no_second_memory(terrain: Terrain) -> None:
    terrain.tur("note", VALVE)
    (memory,) = terrain.tur("sleep", "--json").json["memories"]
    before = tree(terrain.root)
    answer = terrain.tur("learn", memory["content"], "--type", memory["type"], "--json").json
    assert (answer["created"], tree(terrain.root)) == (False, before)


def test_a_dry_run_shows_the_dream_and_writes_nothing(terrain: Terrain) -> None:
    terrain.tur("note", VALVE)
    before = tree(terrain.folder.parent, leave_out=())
    dry = terrain.tur("sleep", "--dry-run", "-n", "The pump runs.", "--json").json
    assert dry["outcome"] == "dry_run" and [memory["type"] for memory in dry["memories"]]
    assert tree(terrain.folder.parent, leave_out=()) == before
    wet = terrain.tur("sleep", "-n", "The pump runs.", "--json").json
    assert [one["id"] for one in wet["memories"]] == [one["id"] for one in dry["memories"]]


def test_the_next_session_is_the_child_of_the_one_that_ended(terrain: Terrain) -> None:
    first = terrain.tur("note", VALVE, "--json").json["session"]["id"]
    terrain.tur("sleep")
    second = terrain.tur("note", "Next.", "--json").json["session"]["id"]
    assert shown(terrain, second)["session"]["parent"] == first
    assert shown(terrain, "@~1")["session"]["id"] == first


def test_without_its_state_a_terrain_still_knows_the_session_that_wake_rejoins(terrain: Terrain) -> None:
    terrain.tur("note", VALVE)
    terrain.tur("sleep")
    terrain.tur("note", "The pump is dry again.")
    state, before = terrain.root / "state.yaml", terrain.tur("status", "--json").json
    state.unlink()
    found = terrain.tur("status", "--json").json
    assert (found["session"], found["last_session"]) == (before["session"], before["last_session"])
    assert shown(terrain, "@")["session"]["id"] == before["session"]["id"]
    assert terrain.tur("diff", "--json").json["base"]["session"] == before["session"]["id"]
    assert not state.exists()
    answer = terrain.tur("wake", "--json").json
    assert (answer["session"]["id"], answer["begun"]) == (before["session"]["id"], False)
    assert terrain.tur("status", "--json").json["session"]["id"] == before["session"]["id"] and state.exists()


def test_a_sleep_without_the_state_ends_the_session_it_found_and_goes_back_to_no_older_one(terrain: Terrain) -> None:
    older = terrain.tur("note", VALVE, "--json").json["session"]["id"]
    state = terrain.root / "state.yaml"
    change_terrain_state(state, active_session=None, last_session=older)
    newer = terrain.tur("note", "The pump is dry again.", "--json").json["session"]["id"]
    state.unlink()
    assert terrain.tur("sleep", "--json").json["session"]["id"] == newer != older
    status = terrain.tur("status", "--json").json
    assert status["session"] is None and status["last_session"]["id"] == newer


def test_without_its_state_the_session_that_ended_last_is_known_by_its_timeline(terrain: Terrain) -> None:
    terrain.tur("note", VALVE)
    terrain.tur("sleep")
    before = terrain.tur("status", "--json").json
    (terrain.root / "state.yaml").unlink()
    found = terrain.tur("status", "--json").json
    assert found["session"] is None and found["last_session"] == before["last_session"]
    terrain.tur("wake")
    assert shown(terrain, "@")["session"]["parent"] == before["last_session"]["id"]


def test_an_engine_that_is_not_there_leaves_the_session_open(terrain: Terrain) -> None:
    terrain.tur("note", VALVE)
    assert terrain.tur("sleep", "--engine", "nonsense").code == 1
    assert shown(terrain, "@")["session"]["state"] == "open"


DREAM = {"memories": [{"memory_type": "insight", "content": "Rust makes valves leak.", "from_notes": [1]}]}


@pytest.mark.parametrize(
    "wrap", ["{}", "```json\n{}\n```", "Here it is:\n\n```\n{}\n```\nDone.", "\ufeff{}", "\r\n{}\r\n"]
)
def test_an_agent_that_dreams_by_itself_gets_a_prompt_and_hands_in_its_dream(terrain: Terrain, wrap: str) -> None:
    terrain.tur("note", VALVE)
    prompt = terrain.tur("sleep", "--prompt", "--json").json["prompt"]
    assert VALVE in prompt and "from_notes" in prompt
    assert shown(terrain, "@")["session"]["state"] == "open"
    answer = terrain.tur("sleep", "--commit", "-", "--json", stdin=wrap.replace("{}", json.dumps(DREAM))).json
    assert (answer["engine"], answer["created"]) == ("delegate", 1)
    assert answer["session"]["consolidation"]["consolidation_model"] == "delegate"


def test_a_dream_is_taken_from_a_file_too(terrain: Terrain, tmp_path: Path) -> None:
    terrain.tur("note", VALVE)
    reply = tmp_path / "dream.json"
    reply.write_text("\ufeff" + json.dumps(DREAM))
    assert terrain.tur("sleep", "--commit", str(reply), "--json").json["created"] == 1


def _memory(**changes: object) -> str:
    return json.dumps({"memories": [{**DREAM["memories"][0], **changes}]})


UNUSABLE = {
    "prose": "I could not find anything worth keeping, sorry.",
    "half an answer": json.dumps(DREAM)[:40],
    "a list": "[]",
    "an empty object": "{}",
    "refutations alone": json.dumps({"refutes": []}),
    "an unknown key": json.dumps({**DREAM, "thoughts": "x"}),
    "a core memory": _memory(memory_type="core"),
    "a core memory in capitals": _memory(memory_type="CORE"),
    "no notes cited": _memory(from_notes=[]),
    "a note that does not exist": _memory(from_notes=[1, 7]),
    "note zero": _memory(from_notes=[0]),
    "a memory that does not exist": _memory(supersedes=["abcdef12"]),
    "a path for a memory": _memory(supersedes=["../../x"]),
    "nothing to see": _memory(content="\u200b"),
    "NUL": _memory(content="a\0b"),
    "a title of two lines": _memory(title="a\nb"),
    "deep": "[" * 5000,
}


@pytest.mark.parametrize("reply", UNUSABLE.values(), ids=UNUSABLE)
def test_an_unusable_dream_leaves_the_session_open_and_is_kept_for_inspection(terrain: Terrain, reply: str) -> None:
    terrain.tur("note", VALVE)
    terrain.tur("sleep", "--prompt")
    error = terrain.tur("sleep", "--commit", "-", "--json", stdin=reply).error
    assert error["code"] == "dream_failed" and error["hint"]
    session = shown(terrain, "@")["session"]
    assert (session["state"], session["consolidation"]["consolidated"]) == ("open", False)
    assert not list(terrain.root.rglob("*.md"))
    kept = [path for path in terrain.root.rglob("*rejected-dream*") if path.read_text().startswith(reply[:100])]
    assert len(kept) == 1 and str(kept[0]) in error["message"]
    assert terrain.tur("sleep", "--commit", "-", "--json", stdin=json.dumps(DREAM)).json["created"] == 1


def test_a_dream_without_memories_must_say_so(terrain: Terrain) -> None:
    terrain.tur("note", VALVE)
    prompt = terrain.tur("sleep", "--prompt", "--json").json["prompt"]
    schema = json.loads(prompt[prompt.index("\n{") :])
    assert schema["required"] == ["memories"]
    error = terrain.tur("sleep", "--commit", "-", "--json", stdin="{}").error
    assert "no `memories`" in error["message"] and '"memories": []' in error["hint"]
    assert shown(terrain, "@")["session"]["state"] == "open"
    answer = terrain.tur("sleep", "--commit", "-", "--json", stdin='{"memories": []}').json
    assert (answer["outcome"], answer["created"]) == ("dreamt", 0)


def test_a_kept_reply_has_its_secrets_redacted_and_goes_with_its_session(terrain: Terrain) -> None:
    terrain.tur("note", VALVE)
    terrain.tur("sleep", "--commit", "-", stdin=f"The token is {TOKEN}.")
    (kept,) = terrain.root.rglob("*rejected-dream*")
    assert TOKEN not in kept.read_text()
    terrain.tur("sleep", "--commit", "-", stdin=json.dumps(DREAM))
    assert not list(terrain.root.rglob("*rejected-dream*"))


def test_notes_after_the_prompt_are_refused_twice_and_then_stay_not_consolidated(terrain: Terrain) -> None:
    session = terrain.tur("note", VALVE, "--json").json["session"]["id"]
    terrain.tur("sleep", "--prompt")
    terrain.tur("note", "The pump runs again.")
    for _ in range(2):
        error = terrain.tur("sleep", "--commit", "-", "--json", stdin=json.dumps(DREAM)).error
        assert error["code"] == "conflict" and "--prompt" in error["hint"]
    answer = terrain.tur("sleep", "--commit", "-", "--json", stdin=json.dumps(DREAM)).json
    assert answer["session"]["unconsolidated_notes"] == 1
    assert terrain.tur("status", "--json").json["unconsolidated"] == {session: 1}


def test_a_dream_can_replace_and_refute_what_was_known(terrain: Terrain) -> None:
    old, wrong = learn(terrain, "Valves never leak."), learn(terrain, "The pump is new.")
    terrain.tur("note", VALVE)
    dream = {
        "memories": [{**DREAM["memories"][0], "supersedes": [old[:8]]}],
        "refutes": [{"memory_id": wrong, "reason": "It had rusted.", "from_notes": [1]}],
    }
    assert terrain.tur("sleep", "--commit", "-", stdin=json.dumps(dream)).code == 0
    assert shown(terrain, old)["memory"]["status"] == "superseded"
    assert shown(terrain, wrong)["memory"]["lifecycle"][-1]["reason"] == "It had rusted."


def test_chatter_makes_no_memories(terrain: Terrain) -> None:
    for text in ("ok", "run the tests", "thanks", "go on", "looks good"):
        terrain.tur("note", text)
    answer = terrain.tur("sleep", "--json").json
    assert answer["created"] <= 1 and answer["session"]["consolidation"]["consolidated"]


def test_a_historical_session_without_a_consolidation_block_counts_as_not_consolidated(terrain: Terrain) -> None:
    persona = next(iter(terrain.root.glob("personas/*")))
    (persona / "sessions/20250101_080000_0a1b2c3d.yaml").write_text(
        "session_id: 20250101_080000_0a1b2c3d\nnotes:\n- {at: 2025-01-01T08:01:00Z, author: pi, text: 'no'}\n"
        f"- {{at: 2025-01-01T08:02:00, author: pi, text: '{VALVE}'}}\n"
    )
    session = shown(terrain, "20250101_")["session"]
    assert session["consolidation"]["consolidated"] is False and session["unconsolidated_notes"] == 2
    assert [note["text"] for note in session["notes"]] == ["no", VALVE]
    answer = terrain.tur("sleep", "--session", "20250101_080000", "--json").json
    assert answer["created"] == 1 and answer["session"]["unconsolidated_notes"] == 0
    assert terrain.tur("sleep", "--session", "20250101", "--json").error["code"] == "session_already_consolidated"
    assert terrain.tur("verify").code == 0
