"""`tur diff` as an agent or a human at a terminal meets it: forms, filters, exit codes, colour, and errors."""

import json
import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pexpect
import pytest
from jsonschema import Draft202012Validator

from tests.scratch import NOW, SCRIPTS, Terrain
from tur.clock import FixedClock

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "diff-schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def worked(terrain: Terrain) -> Terrain:
    """A terrain with an active session that learned, superseded and refuted something."""
    terrain.clock = FixedClock(NOW, step=timedelta(seconds=1))
    assert terrain.tur("learn", "The port is 9229.").code == 0
    assert terrain.tur("note", "Moved the debugger.").code == 0
    assert terrain.tur("learn", "The port is 9230.", "--supersedes", first_id(terrain)).code == 0
    assert terrain.tur("learn", "SSE is supported.", "--scope", "universal").code == 0
    refuted = next(one for one in deltas(terrain) if one["memory"]["content"].startswith("SSE"))
    assert terrain.tur("refute", refuted["memory"]["id"], "--reason", "EP-0124 removed it.").code == 0
    return terrain


def deltas(terrain: Terrain, *arguments: str) -> list[dict[str, dict[str, str]]]:
    found: list[dict[str, dict[str, str]]] = terrain.tur("diff", "--since", "1h", "--json", *arguments).json["deltas"]
    return found


def first_id(terrain: Terrain) -> str:
    return deltas(terrain)[0]["memory"]["id"]


def test_it_shows_the_active_session_in_the_layout_of_the_proposal(worked: Terrain) -> None:
    answer = worked.tur("diff")
    assert (answer.code, answer.err) == (0, "")
    heading, _, *rest = answer.out.splitlines()
    assert heading.startswith("Memory Delta: Session 20260918_")
    assert heading.endswith("(2 mutations)")
    assert '    old: "The port is 9229."' in rest
    assert '    new: "The port is 9230."' in rest
    assert '    reason: "EP-0124 removed it."' in rest


def test_the_json_answers_to_the_published_schema(worked: Terrain) -> None:
    told = worked.tur("diff", "--json").json
    Draft202012Validator(SCHEMA).validate(told)
    assert told["counts"]["REFUTED"] == 1


def test_filters_narrow_what_is_told_and_are_named_in_the_json(worked: Terrain) -> None:
    told = worked.tur("diff", "--json", "--scope", "universal", "--type", "fact").json
    assert [delta["status"] for delta in told["deltas"]] == ["REFUTED"]
    assert told["filters"] == {"types": ["fact"], "scopes": ["universal"]}
    assert worked.tur("diff", "--type", "axiom").out.endswith("(0 mutations)\n")


def test_stat_counts_and_details_name_who_and_when(worked: Terrain) -> None:
    assert "[~] SUPERSEDED     1  1 fact" in worked.tur("diff", "--stat").out
    assert "    by: agent in session 20260918_" in worked.tur("diff", "--details").out


def test_exit_code_says_whether_there_is_a_difference_only_when_asked(worked: Terrain) -> None:
    assert worked.tur("diff").code == 0
    assert worked.tur("diff", "--exit-code").code == 1
    assert worked.tur("diff", "--exit-code", "--type", "event").code == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["2099"], "not_found"),
        (["@~7"], "not_found"),
        (["../../etc"], "invalid_input"),
        (["--since", "soon"], "invalid_input"),
        (["--git", "HEAD"], "not_found"),
        (["@", "--since", "2h"], "invalid_input"),
    ],
)
def test_what_cannot_be_compared_is_an_error_with_a_hint_and_an_empty_stdout(
    worked: Terrain, arguments: list[str], code: str
) -> None:
    """P8: an unknown session is no empty diff."""
    answer = worked.tur("diff", "--json", *arguments)
    assert answer.code == 1
    assert answer.error["code"] == code
    assert answer.error["hint"]


def test_without_an_active_session_it_says_what_else_can_be_asked(terrain: Terrain) -> None:
    answer = terrain.tur("diff")
    assert answer.code == 1
    assert "no session is active" in answer.err
    assert "tur diff @~1" in answer.err


def test_after_a_sleep_the_last_session_can_be_told_with_its_dreamt_memories(worked: Terrain) -> None:
    assert worked.tur("sleep", "-n", "Decided to use port 9230 because 9229 clashed with the proxy.").code == 0
    told = worked.tur("diff", "@~1", "--json").json
    assert {delta["status"] for delta in told["deltas"]} >= {"SUPERSEDED", "REFUTED"}
    assert told["target"]["session"] is not None


def test_a_comparison_from_later_to_earlier_says_that_it_reads_backwards(worked: Terrain) -> None:
    first = worked.tur("status", "--json").json["session"]["id"]
    worked.tur("sleep", "-n", "Decided to use port 9230 because 9229 clashed with the proxy.")
    second = worked.tur("wake", "--json").json["session"]["id"]
    worked.tur("learn", "The proxy listens on 9229.")
    answer = worked.tur("diff", "@", "@~1")
    assert answer.code == 0 and "no longer there" in answer.out
    (told,) = answer.err.splitlines()
    assert told.startswith(
        f"Note: end of session {second} is later than end of session {first}, so this reads backwards"
    )
    worked.tur("sleep", "-n", "The proxy has moved.")
    assert "reads backwards" in worked.tur("diff", second, first).err
    assert worked.tur("diff", second, first, "--json").err == ""
    for forwards in ((first, second), (second,), (second, second)):
        assert "backwards" not in worked.tur("diff", *forwards).err


def test_which_session_is_later_is_not_for_a_clock_that_went_back_to_say(terrain: Terrain) -> None:
    first = terrain.tur("note", "Moved the debugger.", "--json").json["session"]["id"]
    terrain.tur("sleep")
    terrain.clock = FixedClock(NOW - timedelta(days=2))
    second = terrain.tur("note", "Moved it back.", "--json").json["session"]["id"]
    terrain.tur("sleep")
    assert "reads backwards" in terrain.tur("diff", second, first).err
    assert "reads backwards" not in terrain.tur("diff", first, second).err


def test_it_needs_no_more_than_reading(worked: Terrain) -> None:
    before = {path: path.stat().st_mtime_ns for path in worked.folder.parent.rglob("*")}
    worked.tur("diff")
    worked.tur("diff", "@")
    worked.tur("diff", "--since", "1h", "--json")
    assert {path: path.stat().st_mtime_ns for path in worked.folder.parent.rglob("*")} == before


def on_terminal(terrain: Terrain, columns: int, **environment: str) -> str:
    """What a process of its own writes to a terminal of that width."""
    # A width in the environment would win over that of the terminal.
    given = {**os.environ, **terrain.environment, "TERM": "xterm-256color", **environment}
    child = pexpect.spawn(
        str(SCRIPTS / "tur"),
        ["diff", "--since", "2000-01-01"],
        cwd=str(terrain.folder),
        env={key: value for key, value in given.items() if key not in ("COLUMNS", "LINES")},
        dimensions=(40, columns),
        encoding="utf-8",
        timeout=30,
    )
    child.expect(pexpect.EOF)
    text: str = child.before
    child.close()
    return text


def test_a_pipe_gets_no_escape_sequence_and_a_terminal_gets_colour_unless_told_not_to(worked: Terrain) -> None:
    """O47."""
    assert "\x1b" not in worked.run("diff", "--since", "2000-01-01").out
    assert "\x1b[33m[~] SUPERSEDED" in on_terminal(worked, 100)
    assert "\x1b" not in on_terminal(worked, 100, NO_COLOR="1")
    assert "\x1b" not in on_terminal(worked, 100, TERM="dumb")


def test_a_narrow_terminal_gets_three_lines_an_entry(worked: Terrain) -> None:
    lines = on_terminal(worked, 50, NO_COLOR="1").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("[~] SUPERSEDED concept-"))
    assert lines[first + 1 : first + 3] == ["    The port is 9229.", "    -> The port is 9230."]
    assert all(len(line) <= 50 for line in lines[1:])


def test_a_fact_that_nobody_verified_for_a_month_shows_as_decayed(worked: Terrain) -> None:
    later = replace(worked, clock=FixedClock(NOW + timedelta(days=32)))
    told = later.tur("diff", "--since", "3d").out
    assert "[*] DECAYED (Fact)" in told
    assert "status: fresh -> stale (last verified 31 days ago)" in told
