"""Rotation on real small stores: what it moves, what holds it, and that a kill anywhere loses nothing."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.retention_store import (
    FAST,
    add_session,
    all_notes,
    archived_ids,
    database_ids,
    die_at,
    make_store,
    primary_ids,
    read_archived,
    reopened,
    tree,
)
from tests.killing import points_of
from tur.errors import Conflict, InvalidInput, SessionSealed, StoreCorrupt
from tur.model.session import SessionState
from tur.policy.retention import plan_rotation
from tur.service.archive import NoteHit, search_notes
from tur.service.rotation import apply_rotation, rotate_sessions
from tur.store.retire import survey
from tur.store.store import Store
from tur.store.tombstones import find_tombstone, tombstone_of, write_tombstone

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        yield Path(folder)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


def test_nothing_goes_within_the_horizon(store: Store) -> None:
    for age in range(1, 4):
        add_session(store, days_ago=age)
    before = tree(store)
    report = rotate_sessions(store, 3)
    assert (report.archived, report.skipped) == ((), ())
    assert tree(store) == before


def test_sessions_beyond_the_horizon_are_archived_whole(store: Store) -> None:
    ids = [add_session(store, days_ago=age, notes=age) for age in range(1, 6)]
    notes = all_notes(store)
    timelines = {one: store.terrain.timeline(store.persona_id, one).read_bytes() for one in ids}
    report = rotate_sessions(store, 2)
    assert {one.session_id for one in report.archived} == set(ids[2:])
    assert primary_ids(store) == database_ids(store) == set(ids[:2])
    assert archived_ids(store) == set(ids[2:])
    assert all_notes(store) == notes
    for one in ids[2:]:
        assert store.terrain.timeline(store.persona_id, one, archived=True).read_bytes() == timelines[one]
    assert report.freed >= 3 * 4096
    assert rotate_sessions(store, 2).archived == ()


def test_side_files_go_with_the_session(store: Store) -> None:
    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    folder = store.terrain.session(old)
    for name in ("timeline.lock", "sleep.lock", "sleeper", f".{old}.yaml.0123abcd.tur-tmp"):
        (folder / name).write_bytes(b"x")
    rotate_sessions(store, 1)
    assert not folder.exists()


def test_a_timeline_that_lags_is_written_whole_first(store: Store) -> None:
    old = add_session(store, days_ago=9, notes=5)
    add_session(store, days_ago=1)
    stale = add_session(store, days_ago=8, notes=1)
    live = store.terrain.timeline(store.persona_id, old)
    live.write_bytes(live.read_bytes().partition(b"notes:")[0] + b"notes: []\n")
    store.terrain.timeline(store.persona_id, stale).unlink()
    rotate_sessions(store, 1)
    assert len(read_archived(store, old).notes) == 5
    assert len(read_archived(store, stale).notes) == 1


def test_what_is_protected_stays(store: Store) -> None:
    held = [
        add_session(store, days_ago=30, consolidated=False),
        add_session(store, days_ago=29, seen=1),
        add_session(store, days_ago=28, state=SessionState.SEALED),
        add_session(store, days_ago=27, state=SessionState.OPEN, consolidated=False, active=True),
    ]
    old = add_session(store, days_ago=20)
    add_session(store, days_ago=1)
    before = {one: value for one, value in tree(store).items() if old not in one}
    report = rotate_sessions(store, 1)
    assert [one.session_id for one in report.archived] == [old]
    assert database_ids(store) > set(held)
    after = tree(store)
    assert {one: after[one] for one in before} == before


def test_a_damaged_session_is_left_as_it_is(store: Store) -> None:
    bad = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    path = store.terrain.session_db(bad)
    path.write_bytes(b"\0" * 8192)
    assert rotate_sessions(store, 1).archived == ()
    assert path.read_bytes() == b"\0" * 8192


def test_a_broken_chain_keeps_the_database(store: Store) -> None:
    bad = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    connection = sqlite3.connect(store.terrain.session_db(bad))
    connection.executescript("DROP TRIGGER sealed_update; UPDATE notes SET text = 'other' WHERE idx = 1;")
    connection.close()
    report = rotate_sessions(store, 1)
    assert [(one.session_id, one.reason) for one in report.skipped] == [
        (bad, "the chain of its notes is broken at note 1")
    ]
    assert store.terrain.session_db(bad).is_file()


def test_a_session_held_open_is_skipped_and_named(store: Store) -> None:
    held, other, _ = (add_session(store, days_ago=age) for age in (9, 8, 1))
    with store.sessions.database(held) as database:
        assert database.count() == 2
        report = rotate_sessions(store, 1)
        assert [(one.session_id, one.reason) for one in report.skipped] == [
            (held, "another process has its database open")
        ]
        assert [one.session_id for one in report.archived] == [other]
        with pytest.raises(SessionSealed):
            database.add_note(store.clock.now(), "pi", "too late")
        assert database.count() == 2
    assert [one.session_id for one in rotate_sessions(store, 1).archived] == [held]


def test_a_session_in_the_middle_of_a_read_is_skipped(store: Store) -> None:
    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    with store.sessions.database(old) as database:
        assert database.fold_log()
    reader = sqlite3.connect(store.terrain.session_db(old), isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM notes").fetchone()
    report = rotate_sessions(store, 1)
    assert [one.session_id for one in report.skipped] == [old]
    reader.close()
    assert [one.session_id for one in rotate_sessions(store, 1).archived] == [old]


def test_a_session_being_dreamt_again_is_skipped(store: Store) -> None:
    from tur.service.sleep import dream_lease

    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    with dream_lease(store, old, "pi"):
        assert survey(store)[0].dreaming
        assert rotate_sessions(store, 1).archived == ()
    assert [one.session_id for one in rotate_sessions(store, 1).archived] == [old]


def test_a_stale_plan_is_refused(store: Store) -> None:
    for age in (9, 8, 1):
        add_session(store, days_ago=age)
    plan = plan_rotation(survey(store, archived=False), 1)
    add_session(store, days_ago=0.5)
    before = tree(store)
    with pytest.raises(Conflict):
        apply_rotation(store, plan)
    assert tree(store) == before


@pytest.mark.parametrize("there", ["folder", "file", "symlink"])
def test_something_of_that_name_in_the_archive_holds_the_session(store: Store, there: str, tmp_path: Path) -> None:
    old = add_session(store, days_ago=9)
    other = add_session(store, days_ago=8)
    add_session(store, days_ago=1)
    target = store.terrain.timeline(store.persona_id, old, archived=True)
    target.parent.mkdir()
    if there == "folder":
        (target / "full").mkdir(parents=True)
    elif there == "file":
        target.write_text("session_id: other\n")
    else:
        target.symlink_to(tmp_path / "elsewhere")
    report = rotate_sessions(store, 1)
    assert [one.session_id for one in report.archived] == [other]
    assert [one.session_id for one in report.skipped] == [old]
    assert "is there already" in str(report.skipped[0].reason)
    assert store.terrain.session_db(old).is_file()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("there", ["file", "symlink", "read-only"])
def test_an_archive_that_cannot_take_files_holds_the_sessions(
    store: Store, there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    folder = store.terrain.archive(store.persona_id)
    if there == "file":
        folder.write_text("")
    elif there == "symlink":
        (tmp_path / "elsewhere").mkdir()
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.mkdir()
        access = os.access
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder and access(path, mode))
    notes = all_notes(store)
    report = rotate_sessions(store, 1)
    assert [one.session_id for one in report.skipped] == [old]
    assert store.terrain.session_db(old).is_file()
    assert all_notes(store) == notes


def test_a_full_disk_leaves_the_timeline_where_it_is(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    notes = all_notes(store)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", full)
        report = rotate_sessions(store, 1)
    assert "the disk is full" in str(report.skipped[0].reason)
    assert all_notes(store) == notes
    assert [one.session_id for one in rotate_sessions(store, 1).archived] == [old]
    assert all_notes(store) == notes


def test_a_symlinked_session_folder_is_not_followed(store: Store, tmp_path: Path) -> None:
    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    folder = store.terrain.session(old)
    shutil.move(folder, tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    before = {path.name: path.read_bytes() for path in (tmp_path / "elsewhere").iterdir()}
    assert rotate_sessions(store, 1).archived == ()
    assert {path.name: path.read_bytes() for path in (tmp_path / "elsewhere").iterdir()} == before


@pytest.mark.parametrize("what", ["databases", "timelines"])
def test_a_symlinked_folder_of_sessions_is_not_followed(store: Store, tmp_path: Path, what: str) -> None:
    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    folder = store.terrain.sessions if what == "databases" else store.terrain.timelines(store.persona_id)
    shutil.move(folder, tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    assert [one.session_id for one in rotate_sessions(store, 1).skipped] == [old]
    assert len(list((tmp_path / "elsewhere").iterdir())) == 2


def test_an_unknown_file_in_the_folder_is_not_removed(store: Store) -> None:
    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    foreign = store.terrain.session(old) / "notes-of-mine.txt"
    foreign.write_text("mine")
    report = rotate_sessions(store, 1)
    assert "notes-of-mine.txt" in str(report.skipped[0].reason)
    assert foreign.read_text() == "mine"
    assert store.sessions.load(old).notes


def test_file_times_do_not_matter(store: Store) -> None:
    old, young = add_session(store, days_ago=90), add_session(store, days_ago=0.1)
    for session_id, at in ((old, time.time()), (young, time.time() - 90 * 86_400)):  # noqa: TID251
        os.utime(store.terrain.timeline(store.persona_id, session_id), (at, at))
        os.utime(store.terrain.session_db(session_id), (at, at))
    assert [one.session_id for one in rotate_sessions(store, 1).archived] == [old]


def test_a_senseless_horizon_is_an_error(store: Store) -> None:
    with pytest.raises(InvalidInput):
        rotate_sessions(store, 0)


def test_sessions_of_another_persona_are_not_touched(store: Store, tmp_path: Path) -> None:
    theirs = [add_session(store, days_ago=age) for age in (20, 19, 18)]
    other = Store(store.home, store.terrain, "0b5b3c39-6a53-4c7a-a3b0-3b1c53ba3cb1", store.clock, store.config)
    mine = [add_session(other, days_ago=age) for age in (9, 1)]
    before = {one: data for one, data in tree(store).items() if any(their in one for their in theirs)}
    assert {one.id for one in survey(other)} == set(mine)
    assert [one.session_id for one in rotate_sessions(other, 1).archived] == [mine[0]]
    after = tree(store)
    assert {one: after[one] for one in before} == before


def test_killed_at_every_step_and_run_again(tmp_path: Path) -> None:
    template = make_store(tmp_path / "template")
    for age in (9, 8, 7, 1):
        add_session(template, days_ago=age)
    notes = all_notes(template)

    def copy(name: str) -> Store:
        shutil.copytree(tmp_path / "template", tmp_path / name)
        store = make_paths(tmp_path / name, template)
        return reopened(store)

    whole = copy("whole")
    points = points_of(lambda: rotate_sessions(whole, 2))
    expected = tree(whole)
    assert len(points) >= 20
    for place, point in enumerate(points):
        store = copy(f"died-{place}")
        die_at(place, lambda store=store: rotate_sessions(store, 2))  # type: ignore[misc]
        assert all_notes(store) == notes, point
        rotate_sessions(reopened(store), 2)
        assert all_notes(store) == notes, point
        assert tree(store) == expected, point


def make_paths(folder: Path, like: Store) -> Store:
    from tur.paths import HomePaths, TerrainPaths

    terrain = TerrainPaths(folder / "project" / ".tur")
    return Store(HomePaths(folder / "home"), terrain, like.persona_id, like.clock, like.config)


def test_a_move_that_died_between_its_two_names_is_finished(store: Store) -> None:
    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    live = store.terrain.timeline(store.persona_id, old)
    target = store.terrain.timeline(store.persona_id, old, archived=True)
    target.parent.mkdir()
    os.link(live, target)
    rotate_sessions(store, 1)
    assert not live.exists()
    assert len(read_archived(store, old).notes) == 2


def test_an_archived_session_whose_database_was_left_is_finished(store: Store) -> None:
    old = add_session(store, days_ago=9)
    live = store.terrain.timeline(store.persona_id, old)
    target = store.terrain.timeline(store.persona_id, old, archived=True)
    target.parent.mkdir()
    live.rename(target)
    assert [one.session_id for one in rotate_sessions(store, 20).archived] == [old]
    assert database_ids(store) == set()
    assert len(read_archived(store, old).notes) == 2


WRITER = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path
from tur.store.session_db import SessionDatabase
from tur.errors import TurError
with SessionDatabase.open(Path(sys.argv[1])) as database:
    database.count()
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        database.add_note(datetime.now(UTC).replace(microsecond=0), "late", "a late note")
        print("acknowledged", flush=True)
    except TurError as error:
        print(type(error).__name__, flush=True)
"""


def test_another_process_with_the_database_open_gets_no_false_yes(store: Store) -> None:
    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    command = [sys.executable, "-c", WRITER, str(store.terrain.session_db(old))]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin and other.stdout
        assert other.stdout.readline() == "ready\n"
        report = rotate_sessions(store, 1)
        assert [one.reason for one in report.skipped] == ["another process has its database open"]
        other.stdin.write("\n")
        other.stdin.flush()
        assert other.stdout.readline() == "SessionSealed\n"
    assert [one.session_id for one in rotate_sessions(store, 1).archived] == [old]


# -- the archive is still there to be read ----------------------------------------------------


def notes_found(store: Store, query: str, limit: int) -> list[NoteHit]:
    return list(search_notes(store, query, limit).hits)


def test_archived_sessions_are_shown_searched_and_resolved(store: Store) -> None:
    old = add_session(store, days_ago=9, label="the walrus")
    add_session(store, days_ago=1)
    rotate_sessions(store, 1)
    assert store.sessions.resolve(old[:15]) == old
    assert len(store.sessions.load(old).notes) == 2
    hits = notes_found(store, "WALRUS", 10)
    assert [(one.session_id, one.idx, one.archived) for one in hits] == [(old, 2, True), (old, 1, True)]
    assert hits[0].uri == f"tur://session/{old}#note-2"


def test_search_prefers_every_word_and_newer_notes(store: Store) -> None:
    first = add_session(store, days_ago=5, notes=1, label="walrus and carpenter")
    second = add_session(store, days_ago=4, notes=1, label="walrus alone")
    third = add_session(store, days_ago=3, notes=1, database=False, archived=True, label="Walrus, carpenter")
    assert [one.session_id for one in notes_found(store, "carpenter walrus", 5)] == [third, first]
    assert [one.session_id for one in notes_found(store, "walrus", 2)] == [third, second]
    found = search_notes(store, "walrus oysters", 1)
    assert (len(found.hits), found.total) == (1, 3)
    assert notes_found(store, "pi", 9) != []


def test_search_prefers_whole_words_and_the_query_as_it_stands(store: Store) -> None:
    for age, label in ((5, "ticket 10 closed"), (4, "closed ticket 10"), (3, "ticket 110 closed")):
        add_session(store, days_ago=age, notes=1, label=label)
    labels = [hit.text.partition(" 1:")[0] for hit in notes_found(store, "ticket 10 closed", 5)]
    assert labels == ["ticket 10 closed", "closed ticket 10", "ticket 110 closed"]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "'); DROP TABLE notes; --",
        '"',
        "*",
        "NEAR(",
        "a AND",
        "\x00",
        "\ud800",
        "日本",
        "é" * 10_000,
        "%",
        "[a-",
    ],
)
def test_search_takes_any_text(store: Store, query: str) -> None:
    add_session(store, days_ago=2)
    add_session(store, days_ago=4, database=False, archived=True)
    assert isinstance(notes_found(store, query, 3), list)
    assert notes_found(store, query, 0) == []


def test_search_finds_what_is_not_ascii(store: Store) -> None:
    add_session(store, days_ago=2, notes=1, database=False, archived=True, label="数据库 Größe ΣΊΣΥΦΟΣ")
    for query in ("据库", "GRÖSSE", "größe", "σίσυφος"):
        assert len(notes_found(store, query, 3)) == 1, query


def test_search_names_what_it_cannot_read_and_what_is_pruned(store: Store) -> None:
    good, bad = add_session(store, days_ago=2, label="walrus"), add_session(store, days_ago=3, database=False)
    gone = add_session(store, days_ago=4, database=False)
    write_tombstone(store.terrain, store.persona_id, tombstone_of(store.sessions.load(gone), store.clock.now(), "why"))
    assert search_notes(store, "walrus", 5).pruned == ()
    store.terrain.timeline(store.persona_id, gone).unlink()
    store.terrain.timeline(store.persona_id, bad).write_text("session_id: &a x\n")
    found = search_notes(store, "walrus alias", 5)
    assert {one.session_id for one in found.hits} == {good}
    assert [one.session_id for one in found.pruned] == [gone]
    found = search_notes(store, "", 5)
    assert [one[0] for one in found.unreadable] == [bad]


# -- tombstones ---------------------------------------------------------------------------------


def test_a_tombstone_round_trips_without_any_text_of_a_note(store: Store) -> None:
    gone = add_session(store, days_ago=4, label="secret plan")
    session = store.sessions.load(gone)
    path = write_tombstone(store.terrain, store.persona_id, tombstone_of(session, store.clock.now(), "Keep 1."))
    stone = find_tombstone(store.terrain, store.persona_id, gone)
    assert stone is not None
    assert stone.note_hashes == {note.idx: note.hash for note in session.notes}
    assert (stone.why, stone.pruned_at) == ("Keep 1.", store.clock.now())
    assert b"secret" not in path.read_bytes()
    assert find_tombstone(store.terrain, store.persona_id, "20200101_000000_00000000") is None


@pytest.mark.parametrize(
    "damage",
    [b"", b"pruned_at: never\n", b"note_hashes: [1]\n", b"note_hashes: {x: y}\n", b"\xff\xfe", b"session_id: other\n"],
)
def test_a_damaged_tombstone_is_an_error_and_not_a_trace(store: Store, damage: bytes) -> None:
    gone = add_session(store, days_ago=4)
    stone = tombstone_of(store.sessions.load(gone), store.clock.now(), "Keep 1.")
    write_tombstone(store.terrain, store.persona_id, stone).write_bytes(damage)
    with pytest.raises(StoreCorrupt):
        find_tombstone(store.terrain, store.persona_id, gone)
