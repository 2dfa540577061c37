"""Diffs of a store on disk: by session, by time and by git revision, whatever became of sessions and clocks."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.core.diff_ledger import BEFORE, END, SESSION, START, entry
from tests.core.diff_store import PERSONA, World
from tur.errors import Ambiguous, InvalidInput, NotFound
from tur.ids import note_uri
from tur.model.memory import Memory, MemoryType, Scope, Status
from tur.service.diff import DiffReport, DiffSelection, diff, parse_since
from tur.store.tombstones import tombstone_of, write_tombstone

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
THIRD = "20260828_090000_00000003"
OTHER = "20260827_151500_00000009"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two ended sessions and their child, which is active: BEFORE -> SESSION -> THIRD."""
    made = World(tmp_path, now=END + 24 * HOUR)
    made.session(BEFORE, started=START - 44 * HOUR, ended=START - 40 * HOUR)
    made.session(SESSION, parent=BEFORE, started=START, ended=END, notes=["The queue locks."])
    made.session(THIRD, parent=SESSION, started=END + 16 * HOUR, active=True)
    return made


def run(world: World, *sessions: str, since: str | None = None, git: str | None = None) -> DiffReport:
    return diff(world.store(), DiffSelection(sessions=sessions, since=since, git=git))


def told(report: DiffReport) -> list[tuple[str, str]]:
    return [(delta.status, delta.record.content) for delta in report.deltas]


def writable(folder: Path, mode: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(mode)


# -- sessions -------------------------------------------------------------------------------------


def test_without_argument_it_is_what_happened_since_the_active_session_began(world: World) -> None:
    world.learn("Old.", born=START, session=SESSION)
    world.learn("New.", born=END + 17 * HOUR, session=THIRD)
    report = run(world)
    assert told(report) == [("ADDED", "New.")]
    assert report.heading == f"Session {THIRD}"
    assert (report.base.session, report.base.at, report.target.at) == (THIRD, END + 16 * HOUR, None)


def test_without_an_active_session_it_says_so_and_names_what_can_be_asked(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no session is active") as raised:
        run(World(tmp_path))
    assert "tur diff @~1" in (raised.value.hint or "")


def test_one_session_is_compared_with_its_predecessor(world: World) -> None:
    kept = world.learn("Known before.", born=START - 41 * HOUR, session=BEFORE)
    world.learn("Learned in it.", born=START + HOUR, session=SESSION, note=1)
    world.learn("Learned after it.", born=END + 17 * HOUR, session=THIRD)
    world.befall(kept, entry(START + 2 * HOUR, Status.REFUTED, reason="not so"))
    report = run(world, SESSION)
    assert told(report) == [("ADDED", "Learned in it."), ("REFUTED", "Known before.")]
    assert report.note_texts == {note_uri(SESSION, 1): "The queue locks."}


def test_sessions_are_named_by_prefix_and_by_distance_from_the_active_one(world: World) -> None:
    headings = {run(world, name).heading for name in (SESSION, "20260827", f"tur://session/{SESSION}", "@~1")}
    assert headings == {f"Session {SESSION}"}
    assert run(world, "@").heading == f"Session {THIRD}"


def test_a_human_s_act_between_two_sessions_shows_in_the_later_one(world: World) -> None:
    known = world.learn("Known.", born=START - 41 * HOUR, session=BEFORE)
    world.befall(known, entry(START - HOUR, Status.ARCHIVED, session=None, by="human"))
    assert [delta.reason for delta in run(world, SESSION).deltas] == ["archived"]
    assert run(world, THIRD).deltas == []


def test_two_sessions_compare_their_ends(world: World) -> None:
    world.learn("In the second.", born=START + HOUR, session=SESSION)
    world.learn("In the third.", born=END + 17 * HOUR, session=THIRD)
    assert told(run(world, BEFORE, THIRD)) == [("ADDED", "In the second."), ("ADDED", "In the third.")]
    assert told(run(world, BEFORE, SESSION)) == [("ADDED", "In the second.")]
    assert run(world, SESSION, SESSION).deltas == []


def test_two_sessions_the_other_way_round_tell_what_was_not_there_yet(world: World) -> None:
    world.learn("In the second.", born=START + HOUR, session=SESSION)
    (delta,) = run(world, SESSION, BEFORE).deltas
    assert (delta.status, delta.reason) == ("MODIFIED", "no longer there")


def test_a_session_without_a_parent_is_compared_with_its_own_beginning(world: World) -> None:
    world.learn("Before all.", born=START - 50 * HOUR)
    world.learn("In the first.", born=START - 43 * HOUR, session=BEFORE)
    report = run(world, BEFORE)
    assert told(report) == [("ADDED", "In the first.")]
    assert report.base.label == f"start of session {BEFORE}"


def test_two_sessions_of_different_lineage_compare_by_what_each_knew(world: World) -> None:
    world.session(OTHER, started=START + 15 * MINUTE, ended=END)
    world.learn("Theirs.", born=START + 20 * MINUTE, session=OTHER)
    world.learn("Ours.", born=START + HOUR, session=SESSION)
    world.learn("Ours, later.", born=END + 17 * HOUR, session=THIRD)
    assert told(run(world, OTHER, THIRD)) == [("ADDED", "Ours, later.")]


def test_a_clock_that_went_backwards_moves_nothing_into_another_session(world: World) -> None:
    """P19: the session's work is dated two days before it began, and is still its work."""
    known = world.learn("Known.", born=START - 41 * HOUR, session=BEFORE)
    world.learn("Learned.", born=START - 48 * HOUR, session=SESSION)
    world.befall(known, entry(START - 48 * HOUR, Status.REFUTED, reason="not so"))
    assert sorted(told(run(world, SESSION))) == [("ADDED", "Learned."), ("REFUTED", "Known.")]
    assert run(world, BEFORE).deltas[0].status == "ADDED"
    assert told(run(world, THIRD)) == []


def test_a_later_session_with_a_slow_clock_does_not_show_in_an_earlier_one(world: World) -> None:
    world.learn("Learned by the child.", born=START + HOUR, session=THIRD)
    assert told(run(world, SESSION)) == []
    assert told(run(world)) == [("ADDED", "Learned by the child.")]


def test_a_parent_that_is_dreamt_after_its_child_began_keeps_its_memories(world: World) -> None:
    world.learn("Dreamt late.", born=END + 17 * HOUR, session=SESSION)
    assert told(run(world)) == []
    assert told(run(world, SESSION)) == [("ADDED", "Dreamt late.")]


def test_a_parent_dreamt_late_may_supersede_what_its_child_learned(world: World) -> None:
    """The memory is not born for the parent, so nothing befalls it there; the child tells both steps."""
    new = world.learn("Better.", born=END + 18 * HOUR, session=SESSION)
    world.learn(
        "Learned.",
        born=END + 17 * HOUR,
        session=THIRD,
        then=[entry(END + 18 * HOUR, Status.SUPERSEDED, session=SESSION, successor=new.id)],
    )
    assert told(run(world, SESSION)) == [("ADDED", "Better.")]
    (delta,) = run(world).deltas
    assert (delta.status, delta.record.content, len(delta.steps)) == ("SUPERSEDED", "Learned.", 2)


def test_an_archived_session_diffs_as_before(world: World) -> None:
    world.learn("Learned.", born=START + HOUR, session=SESSION, note=1)
    before = run(world, SESSION)
    path = world.terrain.timeline(PERSONA, SESSION)
    path.parent.joinpath("archive").mkdir()
    path.rename(world.terrain.timeline(PERSONA, SESSION, archived=True))
    assert run(world, SESSION) == before


def test_a_pruned_session_diffs_by_its_tombstone(world: World) -> None:
    world.learn("Learned.", born=START + HOUR, session=SESSION, note=1)
    before = run(world, SESSION)
    store = world.store()
    write_tombstone(store.terrain, PERSONA, tombstone_of(store.sessions.load(SESSION), END + HOUR, "old"))
    world.terrain.timeline(PERSONA, SESSION).unlink()
    report = run(world, "20260827_15")
    assert report.deltas == before.deltas
    assert report.note_texts == {}
    assert told(run(world, "@~1")) == [("ADDED", "Learned.")]


def test_a_session_that_left_nothing_but_memories_diffs_and_says_what_was_guessed(world: World) -> None:
    gone = "20260820_100000_0000000a"
    world.learn("Learned.", born=datetime(2026, 8, 20, 11, tzinfo=UTC), session=gone)
    report = run(world, gone)
    assert told(report) == [("ADDED", "Learned.")]
    assert any("left no timeline" in warning for warning in report.warnings)


def test_a_historical_session_without_an_end_takes_its_file_s_time_and_says_so(world: World) -> None:
    old = world.session("20260801_100000_0000000b", started=datetime(2026, 8, 1, 10, tzinfo=UTC))
    moment = datetime(2026, 8, 1, 12, tzinfo=UTC).timestamp()
    os.utime(world.terrain.timeline(PERSONA, old), (moment, moment))
    world.learn("Within.", born=datetime(2026, 8, 1, 11, tzinfo=UTC))
    world.learn("After.", born=datetime(2026, 8, 1, 13, tzinfo=UTC))
    report = run(world, old)
    assert told(report) == [("ADDED", "Within.")]
    assert any("time of its file" in warning for warning in report.warnings)


@pytest.mark.parametrize("name", ["20990101_000000_00000000", "99990101", "@~9"])
def test_an_unknown_session_is_an_error_and_not_an_empty_diff(world: World, name: str) -> None:
    """P8."""
    with pytest.raises(NotFound):
        run(world, name)


def test_an_ambiguous_session_lists_the_candidates(world: World) -> None:
    with pytest.raises(Ambiguous) as raised:
        run(world, "202608")
    assert raised.value.context["candidates"] == [BEFORE, SESSION, THIRD]


@pytest.mark.parametrize("name", ["", "*", "../../etc", "a", "@x", "@~-1"])
def test_what_is_no_session_name_is_refused(world: World, name: str) -> None:
    with pytest.raises(InvalidInput):
        run(world, name)


def test_lineage_that_bites_its_own_tail_ends(world: World) -> None:
    world.session(BEFORE, parent=THIRD, started=START - 44 * HOUR, ended=START - 40 * HOUR)
    world.learn("Learned.", born=START + HOUR, session=SESSION)
    assert run(world, SESSION).heading == f"Session {SESSION}"


def test_a_session_named_by_hand_in_a_memory_leads_nowhere_on_disk(world: World) -> None:
    world.learn("Odd.", born=START + HOUR, session="../../etc/passwd")
    assert told(run(world, SESSION)) == [("ADDED", "Odd.")]


# -- staleness, edits, history --------------------------------------------------------------------


def test_what_went_stale_while_the_session_ran_is_told(world: World) -> None:
    world.learn("Debug port is 9229.", born=START + HOUR - timedelta(days=30))
    world.learn("Went stale before.", born=START - timedelta(days=60))
    world.learn("Never decays.", born=START + HOUR - timedelta(days=30), type=MemoryType.AXIOM)
    assert told(run(world, SESSION)) == [("DECAYED", "Debug port is 9229.")]


def test_half_lives_of_the_persona_count(world: World) -> None:
    path = world.home.persona_file(PERSONA)
    path.write_text(path.read_text() + "settings: {half_life_days: {fact: null, insight: 10}}\n")
    world.learn("A fact.", born=START + HOUR - timedelta(days=30))
    world.learn("An insight.", born=START + HOUR - timedelta(days=10), type=MemoryType.INSIGHT)
    assert told(run(world, SESSION)) == [("DECAYED", "An insight.")]


def edit(world: World, known: Memory, text: str, at: datetime) -> None:
    path = world.path(known)
    path.write_text(path.read_text().replace(known.content, text))
    os.utime(path, (at.timestamp(), at.timestamp()))


def test_a_hand_edit_shows_with_both_texts_where_git_has_the_old_one(world: World) -> None:
    known = world.learn("Port is 80.", born=START - 50 * HOUR)
    world.git("init", "-q")
    world.commit()
    edit(world, known, "Port is 81.", END + 17 * HOUR)
    (delta,) = run(world).deltas
    assert (delta.status, delta.reason) == ("MODIFIED", "edited by hand")
    assert (delta.old_text, delta.new_text) == ("Port is 80.", "Port is 81.")
    assert run(world, SESSION).deltas == []


def test_a_hand_edit_shows_without_the_old_text_where_nothing_has_it(world: World) -> None:
    known = world.learn("Port is 80.", born=START - 50 * HOUR)
    edit(world, known, "Port is 81.", END + 17 * HOUR)
    (delta,) = run(world).deltas
    assert (delta.status, delta.old_text, delta.new_text) == ("MODIFIED", None, "Port is 81.")


def test_a_successor_from_before_the_window_is_named_with_its_text(world: World) -> None:
    known = world.learn("Was there.", born=START - 60 * HOUR)
    world.learn(
        "Doubled.",
        born=START - 50 * HOUR,
        then=[entry(START + HOUR, Status.SUPERSEDED, successor=known.id)],
    )
    (delta,) = run(world, SESSION).deltas
    assert (delta.old_text, delta.new_text) == ("Doubled.", "Was there.")


def test_memories_of_the_home_count_too_and_filters_choose(world: World) -> None:
    world.learn("Everywhere.", born=START + HOUR, scope=Scope.UNIVERSAL, type=MemoryType.AXIOM)
    world.learn("Here.", born=START + HOUR)
    assert len(run(world, SESSION).deltas) == 2
    for selection in (
        DiffSelection((SESSION,), scopes=(Scope.UNIVERSAL,)),
        DiffSelection((SESSION,), types=(MemoryType.AXIOM,)),
    ):
        assert told(diff(world.store(), selection)) == [("ADDED", "Everywhere.")]


def test_an_unreadable_memory_is_a_warning_and_the_rest_is_told(world: World) -> None:
    world.learn("Fine.", born=START + HOUR)
    torn = world.path(world.learn("Torn.", born=START + HOUR))
    torn.write_bytes(b"---\nhash: [")
    report = run(world, SESSION)
    assert told(report) == [("ADDED", "Fine.")]
    assert any(torn.name in warning for warning in report.warnings)


# -- since ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("90s", timedelta(seconds=90)),
        ("30m", timedelta(minutes=30)),
        ("2h", timedelta(hours=2)),
        ("3d", timedelta(days=3)),
        ("1d12h", timedelta(hours=36)),
        ("1W", timedelta(weeks=1)),
        ("2026-08-27", END - datetime(2026, 8, 27, tzinfo=UTC)),
        ("2026-08-27T16:30:00", timedelta(hours=1)),
        ("2026-08-27T17:30:00+01:00", timedelta(hours=1)),
        ("2026-08-27T16:30:00Z", timedelta(hours=1)),
    ],
)
def test_since_takes_durations_and_times_of_any_zone(text: str, ago: timedelta) -> None:
    """O43: a time without a zone is UTC."""
    assert parse_since(text, END) == END - ago


@pytest.mark.parametrize("text", ["", "h", "2", "2x", "-2h", "soon", "999999w", "2026-13-01", "12h1d", "2099-01-01"])
def test_since_refuses_what_is_no_time_and_what_is_still_to_come(text: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        parse_since(text, END)
    assert raised.value.hint


def test_since_tells_what_happened_from_then_to_now(world: World) -> None:
    world.learn("Long ago.", born=END)
    world.learn("Lately.", born=world.now - HOUR)
    assert told(run(world, since="2h")) == [("ADDED", "Lately.")]
    assert run(world, since="2026-08-01").base.at == datetime(2026, 8, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "selection",
    [
        DiffSelection(("@",), since="2h"),
        DiffSelection(since="2h", git="HEAD"),
        DiffSelection(("@", "@", "@")),
    ],
)
def test_forms_that_exclude_each_other_are_refused(world: World, selection: DiffSelection) -> None:
    with pytest.raises(InvalidInput):
        diff(world.store(), selection)


# -- git ------------------------------------------------------------------------------------------


@pytest.fixture
def versioned(world: World) -> World:
    """Three commits: nothing, one fact, then that fact refuted and another one learned."""
    world.git("init", "-q", "-b", "main")
    (world.project / ".gitignore").write_text("cache/\n")
    world.commit()
    fact = world.learn("Port is 80.", born=START)
    world.commit()
    world.befall(fact, entry(END, Status.REFUTED, reason="it is 81"))
    world.learn("Port is 81.", born=END)
    world.commit()
    return world


def test_git_revisions_are_compared_by_what_the_memories_say(versioned: World) -> None:
    assert told(run(versioned, git="HEAD~2..HEAD~1")) == [("ADDED", "Port is 80.")]
    report = run(versioned, git="HEAD~1..main")
    assert told(report) == [("REFUTED", "Port is 80."), ("ADDED", "Port is 81.")] or told(report) == [
        ("ADDED", "Port is 81."),
        ("REFUTED", "Port is 80."),
    ]
    assert report.target.revision == versioned.git("rev-parse", "main").strip()


def test_a_git_revision_alone_is_compared_with_what_is_there_now(versioned: World) -> None:
    assert run(versioned, git="HEAD").deltas == []
    versioned.learn("Not committed.", born=END)
    assert told(run(versioned, git="HEAD")) == [("ADDED", "Not committed.")]
    assert told(run(versioned, git="HEAD..")) == []


def test_a_hand_edit_between_revisions_shows_with_both_texts(versioned: World) -> None:
    known = versioned.learn("Host is a.", born=END)
    versioned.commit()
    edit(versioned, known, "Host is b.", END)
    (delta,) = run(versioned, git="HEAD").deltas
    assert (delta.status, delta.reason) == ("MODIFIED", "edited by hand")
    assert (delta.old_text, delta.new_text) == ("Host is a.", "Host is b.")


def test_a_memory_whose_file_was_deleted_is_not_called_refuted(versioned: World) -> None:
    versioned.path(versioned.learn("Short-lived.", born=END)).unlink()
    known = versioned.learn("Deleted.", born=END)
    versioned.commit()
    versioned.path(known).unlink()
    (delta,) = run(versioned, git="HEAD").deltas
    assert (delta.status, delta.reason) == ("MODIFIED", "no longer there")


def test_a_move_to_the_archive_folder_alone_is_no_change(versioned: World) -> None:
    known = versioned.learn("Moved.", born=END)
    versioned.commit()
    versioned.store().memories.move(known.id, "archive")
    assert run(versioned, git="HEAD").deltas == []


def test_a_historical_file_without_a_time_does_not_differ_by_its_checkout(versioned: World) -> None:
    path = versioned.store().memories.folder(Scope.INCARNATION) / f"{'a' * 64}.md"
    path.write_text("---\nmemory_type: FACT\nscope: INCARNATION\n---\nOld.\n")
    versioned.commit()
    os.utime(path, (END.timestamp(), END.timestamp()))
    assert run(versioned, git="HEAD").deltas == []


def test_what_went_stale_between_two_commits_is_told(versioned: World) -> None:
    versioned.now += timedelta(days=31)
    assert ("DECAYED", "Port is 81.") in told(run(versioned, git="HEAD"))


@pytest.mark.parametrize("given", ["..", "a...b", " ", ""])
def test_what_is_no_range_is_refused(versioned: World, given: str) -> None:
    with pytest.raises(InvalidInput):
        run(versioned, git=given)


def test_outside_git_and_unknown_revisions_are_clear_errors(world: World, versioned: World) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        run(versioned, git="nowhere")


# -- it writes nothing ----------------------------------------------------------------------------


@pytest.fixture
def sealed(world: World) -> Iterator[World]:
    """The store, with every file and folder made read-only."""
    world.learn("New.", born=END + 17 * HOUR, session=THIRD)
    world.index()
    writable(world.folder, 0o500)
    yield world
    writable(world.folder, 0o700)


def test_it_runs_on_a_read_only_store(sealed: World) -> None:
    assert told(run(sealed)) == [("ADDED", "New.")]
    assert told(run(sealed, "@~1")) == []


@pytest.mark.parametrize("indexed", [True, False])
def test_it_writes_nothing_with_and_without_an_index(world: World, indexed: bool) -> None:
    known = world.learn("New.", born=END + 17 * HOUR, session=THIRD)
    if indexed:
        world.index()
    world.befall(known, entry(END + 18 * HOUR, session=THIRD, verified=True))
    before = everything(world.folder)
    assert told(run(world)) == [("ADDED", "New.")]
    run(world, SESSION)
    run(world, since="2h")
    assert everything(world.folder) == before


def everything(folder: Path) -> dict[Path, tuple[int, int]]:
    return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*")}


def test_reading_a_live_session_leaves_no_file_beside_its_database(tmp_path: Path) -> None:
    world = World(tmp_path)
    live, _ = world.store().sessions.begin()
    world.learn("New.", born=END, session=live, note=1)
    before = everything(tmp_path)
    assert told(run(world)) == [("ADDED", "New.")]
    run(world, "@")
    with pytest.raises(NotFound, match="that far back"):
        run(world, "@~1")
    assert everything(tmp_path) == before


def test_a_live_session_with_a_writer_at_work_is_read_with_its_latest_notes(tmp_path: Path) -> None:
    world = World(tmp_path)
    store = world.store()
    live, _, _ = store.sessions.add_note("antigravity", "The first.")
    world.learn("New.", born=END, session=live, note=2)
    with store.sessions.database(live) as writer:
        writer.add_note(END, "antigravity", "The second.")
        assert run(world).note_texts == {note_uri(live, 2): "The second."}


def test_the_session_before_the_next_one_is_the_last_that_ended(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.session(BEFORE, started=START - 44 * HOUR, ended=START - 40 * HOUR)
    world.session(SESSION, parent=BEFORE, started=START, ended=END)
    world.terrain.state.write_text(f"persona: {PERSONA}\nlast_session: {SESSION}\n")
    assert run(world, "@~1").heading == f"Session {SESSION}"
    assert run(world, "@~2").heading == f"Session {BEFORE}"
    for name in ("@", "@~3"):
        with pytest.raises(NotFound):
            run(world, name)
