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
