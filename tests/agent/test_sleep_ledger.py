"""Sleep tells and keeps what the session did to the memories (EP-0133, 3)."""

from tests.scratch import Terrain


def test_sleep_prints_the_ledger_of_the_whole_session_and_stores_it_with_the_timeline(terrain: Terrain) -> None:
    terrain.tur("note", "Released v2.0.0 of the parser, the old API is gone.")
    old = terrain.tur("learn", "The port is 9229.", "--json").json["memory"]["id"]
    wrong = terrain.tur("learn", "The parser is fast.", "--type", "insight", "--json").json["memory"]["id"]
    terrain.tur("refute", wrong, "--reason", "Measured: it is not.")
    answer = terrain.tur("sleep")
    assert answer.code == 0
    assert "## Session Memory Ledger Delta" in answer.out
    for line in ("- Added: 1 fact, 1 event", "- Superseded: 0", "- Refuted: 1 insight", "- Stale flagged: 0"):
        assert line in answer.out.splitlines()
    stored = terrain.tur("show", "@~1", "--json").json["session"]
    assert stored["ledger_delta"] == {"ADDED": {"event": 1, "fact": 1}, "REFUTED": {"insight": 1}}
    (timeline,) = terrain.root.glob("personas/*/sessions/*.yaml")
    assert "ledger_delta:" in timeline.read_text()
    terrain.tur("note", "Next session.")
    terrain.tur("learn", "The port is 9230.", "--supersedes", old)
    later = terrain.tur("sleep", "--json").json
    assert later["session"]["ledger_delta"] == {"SUPERSEDED": {"fact": 1}}


def test_sleep_tells_the_dream_from_the_whole_session_and_staged_from_added(terrain: Terrain) -> None:
    terrain.tur("note", "Thanks.")
    first = terrain.tur("learn", "The port is 9229.", "--json").json["memory"]["id"]
    second = terrain.tur("learn", "The port is 9230.", "--supersedes", first, "--json").json["memory"]["id"]
    terrain.tur("learn", "The debug port is 9230.", "--merges", second)
    kept = terrain.tur("learn", "The parser takes UTF-8 alone.", "--json").json["memory"]["id"]
    terrain.tur("evolve", kept, "--type=identity_transition", "--principle", "Ask first.", "--covenant", "I ask.")
    answer = terrain.tur("sleep")
    lines = answer.out.splitlines()
    assert lines[0].endswith(": 0 new memories from 1 note.")
    assert lines.index("The whole session, with what was learned and staged beside the dream:") < lines.index(
        "## Session Memory Ledger Delta"
    )
    for line in ("- Added: 1 fact", "- Staged: 1 core memory", "- Superseded: 1 fact", "- Merged: 1 fact"):
        assert line in lines
    assert "Each memory counts once" in lines[-1]


def test_a_session_without_replacements_needs_no_word_on_how_they_count(terrain: Terrain) -> None:
    terrain.tur("note", "Released v2.0.0 of the parser, the old API is gone.")
    answer = terrain.tur("sleep")
    assert answer.out.splitlines()[0].endswith(": 1 new memory from 1 note.")
    assert "- Staged" not in answer.out and "counts once" not in answer.out
