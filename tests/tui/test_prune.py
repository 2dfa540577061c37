"""Prune: the plan shown is what happens, a kill anywhere is finished, and no acknowledged note is lost."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pexpect
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.core.retention_store import (
    FAST,
    add_session,
    all_notes,
    archived_ids,
    database_ids,
    die_at,
    make_store,
    primary_ids,
    reopened,
    tree,
)
from tests.killing import points_of
from tur.clock import FixedClock, SystemClock
from tur.errors import Conflict, NotFound, Refused, SessionSealed, SleepInProgress, StoreCorrupt
from tur.model.session import SessionState
from tur.paths import HomePaths, TerrainPaths
from tur.policy.retention import RetentionPolicy
from tur.progress import silent
from tur.stewardship.doctor import examine
from tur.stewardship.ledger import Steward
from tur.stewardship.prune import (
    apply_prune,
    end_session,
    finish_pending,
    list_sessions,
    pending_prunes,
    preview_prune,
    preview_single,
    restore_session,
    session_record,
    vacuum,
)
from tur.store.audit import AuditFile
from tur.store.retire import survey
from tur.store.store import Store
from tur.store.tombstones import find_tombstone
from tur_agent.cli.main import main as tur
from tur_tui.cli.main import main as adm
from tur_tui.compose import SessionKeeping
from tur_tui.reading.prune import list_prune, prune_detail

ROOT = Path(__file__).parents[2]
STEWARD = Steward("architect", ("tur-adm", "session", "prune"))


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        yield Path(folder)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


def audit_reasons(store: Store) -> list[str]:
    return [entry.reason or "" for entry in AuditFile(store.home, store.persona_id).read().entries]


def is_whole(store: Store, notes: dict[str, list[str]]) -> bool:
    """Whether every note of `notes` is there, or its hash in the tombstone of its session."""
    there = all_notes(store)
    for session_id, hashes in notes.items():
        if session_id in there:
            if there[session_id] != hashes:
                return False
            continue
        stone = find_tombstone(store.terrain, store.persona_id, session_id)
        if stone is None or list(stone.note_hashes.values()) != hashes:
            return False
    return True


# -- the plan shown is what happens -----------------------------------------------------------


@st.composite
def small_stores(draw: st.DrawFn) -> list[dict[str, Any]]:
    kinds: list[dict[str, Any]] = [
        {},
        {"database": False},
        {"database": False, "archived": True},
        {"consolidated": False},
        {"consolidated": False, "database": False},
        {"seen": 1},
        {"notes": 0, "consolidated": False},
        {"state": SessionState.SEALED},
        {"state": SessionState.OPEN, "consolidated": False},
        {"state": SessionState.OPEN, "consolidated": False, "notes": 0},
    ]
    chosen = draw(st.lists(st.tuples(st.sampled_from(kinds), st.integers(1, 60)), max_size=6))
    return [{**kind, "days_ago": age} for kind, age in chosen]


policies = st.builds(
    RetentionPolicy, keep=st.integers(1, 4), delete=st.booleans(), include_unconsolidated=st.booleans()
) | st.builds(
    RetentionPolicy, max_age_days=st.integers(1, 60), delete=st.booleans(), include_unconsolidated=st.booleans()
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(small_stores(), policies)
def test_preview_is_what_apply_does(sessions: list[dict[str, Any]], policy: RetentionPolicy) -> None:
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        store = make_store(Path(folder))
        for one in sessions:
            add_session(store, **one)
        add_session(store, days_ago=0, state=SessionState.OPEN, consolidated=False, active=True)
        notes, before = all_notes(store), {one.id: one for one in survey(store)}
        plan = preview_prune(store, policy)
        goes, keeps = {one.session.id for one in plan.goes}, {one.session.id for one in plan.keeps}
        report = apply_prune(store, plan, STEWARD)
        assert {one.session_id for one in report.done} == goes
        assert report.left == ()
        after = {one.id: one for one in survey(store)}
        for session_id in keeps:
            assert after[session_id] == before[session_id]
        for session_id in goes:
            assert not store.terrain.session(session_id).exists()
            if policy.delete:
                assert session_id not in after
            else:
                assert after[session_id].archived
        assert is_whole(store, notes)
        files = tree(store)
        again = preview_prune(store, policy)
        assert not again.goes
        assert apply_prune(store, again, STEWARD).outcomes == ()
        assert tree(store) == files


def test_archive_frees_the_database_and_delete_the_timeline_too(store: Store) -> None:
    ids = [add_session(store, days_ago=age, notes=30) for age in (9, 8, 1)]
    plan = preview_prune(store, RetentionPolicy(keep=1))
    assert apply_prune(store, plan, STEWARD).freed == plan.freed >= 2 * 8_192
    assert archived_ids(store) == set(ids[:2])
    plan = preview_prune(store, RetentionPolicy(keep=1, delete=True))
    report = apply_prune(store, plan, STEWARD)
    assert {one.session_id for one in report.done} == set(ids[:2])
    # A tombstone is smaller than the timeline it stands for, and both have counted it.
    assert 0 < report.freed == plan.freed < sum(one.session.yaml_bytes for one in plan.goes)
    assert archived_ids(store) == set()
    assert all_notes(store).keys() == {ids[2]}


@pytest.mark.parametrize("delete", [False, True], ids=["archive", "delete"])
@pytest.mark.parametrize("kind", [{}, {"database": False}, {"notes": 0}, {"database": False, "archived": True}])
def test_a_plan_says_what_its_report_will(store: Store, kind: dict[str, Any], delete: bool) -> None:
    for age in (9, 8, 1):
        add_session(store, days_ago=age, **kind)
    plan = preview_prune(store, RetentionPolicy(keep=1, delete=delete))
    assert apply_prune(store, plan, STEWARD).freed == plan.freed


def test_a_page_says_of_each_group_what_holds_for_all_of_it(store: Store) -> None:
    for age in (9, 8, 1):
        add_session(store, days_ago=age)
    told = "\n".join(one.plain for one in prune_detail(store, preview_prune(store, RetentionPolicy(keep=20))))
    assert "3  keep: among the newest that the rule keeps" in told
    told = "\n".join(one.plain for one in prune_detail(store, preview_prune(store, RetentionPolicy(keep=1))))
    assert "1  keep: 1st of the newest 1" in told


def test_a_list_of_one_session_speaks_of_one(store: Store) -> None:
    keeping, policy = SessionKeeping(store, "architect"), RetentionPolicy(keep=1)
    told = []
    for age in (9, 8, 1):
        add_session(store, days_ago=age)
        summary = list_prune(keeping, policy, "", silent).summary
        assert summary is not None
        told.append(summary.plain)
    assert told == ["0 of 1 session goes", "1 of 2 sessions goes", "2 of 3 sessions go"]


def test_each_prune_is_one_line_of_the_audit_log(store: Store) -> None:
    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    apply_prune(store, preview_prune(store, RetentionPolicy(keep=1)), STEWARD)
    (reason,) = audit_reasons(store)
    assert "Keep the newest session; archive the rest" in reason
    assert old in reason


def test_a_broken_audit_log_stops_a_prune(store: Store) -> None:
    for age in (9, 8, 1):
        add_session(store, days_ago=age)
    plan = preview_prune(store, RetentionPolicy(keep=2))
    apply_prune(store, plan, STEWARD)
    log = store.home.audit(store.persona_id)
    log.write_bytes(log.read_bytes().replace(b"archive", b"deleted"))
    before = tree(store)
    with pytest.raises(StoreCorrupt):
        apply_prune(store, preview_prune(store, RetentionPolicy(keep=1)), STEWARD)
    assert tree(store) == before


# -- stale plans -------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["added", "gone", "fewer-notes-dreamt", "restored", "more-notes"])
def test_a_plan_that_the_store_outran_is_refused(store: Store, change: str) -> None:
    ids = [add_session(store, days_ago=age) for age in (9, 8, 1)]
    shelved = add_session(store, days_ago=20, database=False, archived=True)
    late = add_session(store, days_ago=5, state=SessionState.OPEN, consolidated=False)
    plan = preview_prune(store, RetentionPolicy(keep=1, delete=True, include_unconsolidated=True))
    if change == "added":
        add_session(store, days_ago=3)
    elif change == "gone":
        apply_prune(store, preview_single(store, ids[0], "archive"), STEWARD)
    elif change == "restored":
        restore_session(store, shelved, STEWARD)
    else:
        with store.sessions.database(late if change == "more-notes" else ids[1]) as database:
            if change == "more-notes":
                database.add_note(store.clock.now(), "pi", "one more")
            else:
                with database.writing():
                    database.set_meta({"consolidation": '{"consolidated": true, "consolidation_model": "other"}'})
    before = tree(store)
    with pytest.raises(Conflict, match="changed"):
        apply_prune(store, plan, STEWARD)
    assert tree(store) == before


def test_notes_of_the_active_session_do_not_outrun_a_plan(store: Store) -> None:
    old = add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    live = add_session(store, days_ago=0, state=SessionState.OPEN, consolidated=False, active=True)
    plan = preview_prune(store, RetentionPolicy(keep=1))
    with store.sessions.database(live) as database:
        database.add_note(store.clock.now(), "pi", "going on")
    assert [one.session_id for one in apply_prune(store, plan, STEWARD).done] == [old]


# -- killed anywhere ------------------------------------------------------------------------------


def copied(template: Store, folder: Path) -> Store:
    shutil.copytree(template.home.root.parent, folder)
    terrain = TerrainPaths(folder / "project" / ".tur")
    return Store(HomePaths(folder / "home"), terrain, template.persona_id, template.clock, folder / "config" / "tur")


@pytest.mark.parametrize("delete", [False, True], ids=["archive", "delete"])
def test_killed_at_every_step_of_a_prune_and_run_again(tmp_path: Path, delete: bool) -> None:
    template = make_store(tmp_path / "template")
    for kind in ({}, {"state": SessionState.OPEN, "consolidated": False}, {"database": False}):
        add_session(template, days_ago=9, **kind)
    add_session(template, days_ago=1)
    policy = RetentionPolicy(keep=1, delete=delete, include_unconsolidated=True)
    notes = all_notes(template)
    whole = copied(template, tmp_path / "whole")
    points = points_of(lambda: apply_prune(whole, preview_prune(whole, policy), STEWARD))
    expected = tree(whole)
    assert len(points) >= 25
    for place, point in enumerate(points):
        store = copied(template, tmp_path / f"died-{place}")
        die_at(place, lambda store=store: apply_prune(store, preview_prune(store, policy), STEWARD))  # type: ignore[misc]
        assert is_whole(store, notes), point
        store = reopened(store)
        finish_pending(store, STEWARD)
        apply_prune(store, preview_prune(store, policy), STEWARD)
        assert is_whole(store, notes), point
        assert tree(store).keys() == expected.keys(), point
        assert not pending_prunes(store), point
        assert examine(store, STEWARD).ailments == (), point
        assert sum("Keep the newest session" in reason for reason in audit_reasons(store)) == 1, point
        shutil.rmtree(tmp_path / f"died-{place}")


@pytest.mark.parametrize("act", ["restore", "end"])
def test_killed_at_every_step_of_a_single_act_and_run_again(tmp_path: Path, act: str) -> None:
    template = make_store(tmp_path / "template")
    shelved = add_session(template, days_ago=9, database=False, archived=True)
    live = add_session(template, days_ago=0, state=SessionState.OPEN, consolidated=False, active=True)

    def perform(store: Store) -> object:
        if act == "restore":
            return restore_session(store, shelved, STEWARD)
        return end_session(store, live, STEWARD)

    notes = all_notes(template)
    whole = copied(template, tmp_path / "whole")
    points = points_of(lambda: perform(whole))
    assert points
    for place, point in enumerate(points):
        store = copied(template, tmp_path / f"died-{place}")
        die_at(place, lambda store=store: perform(store))  # type: ignore[misc]
        assert is_whole(store, notes), point
        store = reopened(store)
        try:
            perform(store)
        except (Conflict, NotFound) as done:
            assert act == "restore", done
        assert tree(store).keys() == tree(whole).keys(), point
        assert is_whole(store, notes), point
        assert store.sessions.active() == whole.sessions.active(), point


# -- writers at work ---------------------------------------------------------------------------------

WRITER = """
import sys, time
from pathlib import Path
from tur.clock import SystemClock
from tur.errors import TurError
from tur.paths import TerrainPaths
from tur.store.sessions import SessionStore
sessions = SessionStore(TerrainPaths(Path(sys.argv[1])), sys.argv[2], SystemClock())
print("ready", flush=True)
end = time.monotonic() + 60
number = 0
while time.monotonic() < end and not Path(sys.argv[3]).exists():
    number += 1
    session_id, note, _ = sessions.add_note("writer", f"note {number}")
    print(session_id, note.idx, note.hash, flush=True)
"""

HOLDER = """
import sys, time
from pathlib import Path
from tur.clock import SystemClock
from tur.errors import TurError
from tur.store.session_db import SessionDatabase
with SessionDatabase.open(Path(sys.argv[1])) as database:
    number = 0
    while True:
        number += 1
        try:
            note, _ = database.add_note(SystemClock().now(), "holder", f"held {number}")
        except TurError as error:
            print(type(error).__name__, flush=True)
            break
        print(note.hash, flush=True)
        time.sleep(0.2)
    sys.stdin.readline()
"""


def test_a_process_that_writes_notes_during_prunes_loses_none(tmp_path: Path) -> None:
    store = make_store(tmp_path, SystemClock().now())
    stop = tmp_path / "stop"
    for age in range(1, 9):
        add_session(store, days_ago=age)
    command = [sys.executable, "-c", WRITER, str(store.terrain.root), store.persona_id, str(stop)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout and writer.stdout.readline() == "ready\n"
        ended = set()
        for keep in range(7, 0, -1):
            live = Store(store.home, store.terrain, store.persona_id, SystemClock(), store.config)
            # The writer's session is ended under its hands, and then is among those that may go.
            while live.sessions.active() is None:
                assert writer.poll() is None
                time.sleep(0.005)
            ended.add(end_session(live, None, STEWARD)[0].session_id)
            policy = RetentionPolicy(keep=keep, include_unconsolidated=True)
            for _ in range(50):
                try:
                    apply_prune(live, preview_prune(live, policy), STEWARD)
                    break
                except Conflict:
                    continue
        stop.touch()
        acknowledged = writer.stdout.read().split("\n")
    there = all_notes(store)
    lines = [line.split() for line in acknowledged if line]
    assert len({line[0] for line in lines}) >= 3
    for session_id, idx, digest in lines:
        assert there[session_id][int(idx) - 1] == digest
    assert archived_ids(store) & ended


def test_a_process_that_holds_a_session_open_keeps_what_it_was_told(store: Store) -> None:
    held = add_session(store, days_ago=9, state=SessionState.OPEN, consolidated=False)
    add_session(store, days_ago=1)
    command = [sys.executable, "-c", HOLDER, str(store.terrain.session_db(held))]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdin and holder.stdout
        told = [holder.stdout.readline().strip()]
        report = None
        for _ in range(200):
            try:
                plan = preview_single(store, held, "archive", include_unconsolidated=True)
                report = apply_prune(store, plan, STEWARD)
                break
            except Conflict:
                continue
        if report is None:
            holder.kill()
            pytest.fail("the writer was always faster than the plan")
        for line in holder.stdout:
            if line == "SessionSealed\n":
                break
            told.append(line.strip())
        assert [(one.session_id, one.reason) for one in report.left] == [
            (held, "another process has its database open")
        ]
        assert all_notes(store)[held][2:] == told
        holder.stdin.write("\n")
    plan = preview_single(store, held, "archive", include_unconsolidated=True)
    assert [one.session_id for one in apply_prune(store, plan, STEWARD).done] == [held]
    assert all_notes(store)[held][2:] == told


def test_delete_does_not_take_notes_that_the_plan_did_not_see(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from tur import faults

    late = add_session(store, days_ago=9, state=SessionState.OPEN, consolidated=False)
    add_session(store, days_ago=1)
    plan = preview_prune(store, RetentionPolicy(keep=1, delete=True, include_unconsolidated=True))

    def write_late(point: str) -> None:
        if point == "prune.intent":
            with store.sessions.database(late) as database:
                database.add_note(store.clock.now(), "pi", "just in time")

    monkeypatch.setattr(faults, "hook", write_late)
    report = apply_prune(store, plan, STEWARD)
    assert [(one.session_id, one.reason) for one in report.left] == [(late, "its notes changed since the plan")]
    assert len(store.sessions.load(late).notes) == 3
    assert store.sessions.load(late).state is SessionState.OPEN


# -- one session ----------------------------------------------------------------------------------------


def test_restore_brings_back_the_same_bytes(store: Store) -> None:
    old = add_session(store, days_ago=9)
    live = store.terrain.timeline(store.persona_id, old)
    data = live.read_bytes()
    apply_prune(store, preview_single(store, old, "archive"), STEWARD)
    assert (primary_ids(store), archived_ids(store), database_ids(store)) == (set(), {old}, set())
    assert restore_session(store, old[:15], STEWARD).session_id == old
    assert live.read_bytes() == data
    assert archived_ids(store) == set()
    with pytest.raises(Conflict, match="not in the archive"):
        restore_session(store, old, STEWARD)
    assert any("restore session" in reason for reason in audit_reasons(store))


def test_what_was_deleted_says_so_and_when(store: Store) -> None:
    old = add_session(store, days_ago=9)
    apply_prune(store, preview_single(store, old, "delete"), STEWARD)
    for act in (lambda: restore_session(store, old, STEWARD), lambda: session_record(store, old)):
        with pytest.raises(NotFound, match="was deleted on 2026-10-20T12:00:00Z"):
            act()


def test_a_restored_session_can_be_dreamt(store: Store) -> None:
    from tur.dreaming.offline import OfflineDreamer
    from tur.service.sleep import perform_sleep_dreaming

    old = add_session(store, days_ago=9, consolidated=False)
    apply_prune(store, preview_single(store, old, "archive", include_unconsolidated=True), STEWARD)
    restore_session(store, old, STEWARD)
    report = perform_sleep_dreaming(store, OfflineDreamer(), author="pi", session=old)
    assert report.session.consolidation.consolidated


def test_end_takes_no_more_notes_and_the_next_one_begins_a_session(store: Store) -> None:
    live = add_session(store, days_ago=0, state=SessionState.OPEN, consolidated=False, active=True)
    ended, was_open = end_session(store, None, STEWARD)
    assert (ended.session_id, ended.state, was_open) == (live, SessionState.ENDED, True)
    with store.sessions.database(live) as database, pytest.raises(SessionSealed):
        database.add_note(store.clock.now(), "pi", "late")
    assert store.sessions.active() is None
    assert end_session(store, live, STEWARD)[1] is False
    session_id, note, _ = store.sessions.add_note("pi", "next")
    assert (session_id != live, note.idx) == (True, 1)
    with pytest.raises(NotFound):
        end_session(Store(store.home, store.terrain, store.persona_id, store.clock, store.config), "19990101", STEWARD)


def test_end_of_an_open_session_without_a_database(store: Store) -> None:
    cloned = add_session(store, days_ago=3, state=SessionState.OPEN, consolidated=False, database=False)
    assert end_session(store, cloned, STEWARD)[0].state is SessionState.ENDED
    assert len(store.sessions.load(cloned).notes) == 2


def test_a_session_being_dreamt_is_neither_ended_nor_archived(store: Store) -> None:
    from tur.service.sleep import dream_lease

    live = add_session(store, days_ago=0, state=SessionState.OPEN, consolidated=False, active=True)
    old = add_session(store, days_ago=9)
    with dream_lease(store, live, "pi"), dream_lease(store, old, "pi"):
        with pytest.raises(SleepInProgress):
            end_session(store, None, STEWARD)
        with pytest.raises(Refused, match="being dreamt"):
            preview_single(store, old, "archive")


def test_unconsolidated_sessions_go_by_hand_only_when_named_so(store: Store) -> None:
    new = add_session(store, days_ago=2, consolidated=False)
    with pytest.raises(Refused, match="no dream has seen"):
        preview_single(store, new, "archive")
    plan = preview_single(store, new, "archive", include_unconsolidated=True)
    assert apply_prune(store, plan, STEWARD).done


def test_lists(store: Store) -> None:
    live, shelved = add_session(store, days_ago=1), add_session(store, days_ago=9, database=False, archived=True)
    assert [one.id for one in list_sessions(store)] == [live]
    assert [one.id for one in list_sessions(store, archived=True)] == [shelved]


def test_an_intent_of_another_terrain_is_not_carried_out(store: Store, tmp_path: Path) -> None:
    add_session(store, days_ago=9)
    add_session(store, days_ago=1)
    die_at(3, lambda: apply_prune(store, preview_prune(store, RetentionPolicy(keep=1)), STEWARD))
    assert pending_prunes(store)
    shutil.copytree(store.terrain.root, tmp_path / "clone" / ".tur")
    clone = Store(store.home, TerrainPaths(tmp_path / "clone" / ".tur"), store.persona_id, store.clock, store.config)
    assert not pending_prunes(clone)


# -- free pages --------------------------------------------------------------------------------------------


def grown(store: Store) -> Path:
    """A live database with many free pages."""
    live = add_session(store, days_ago=0, state=SessionState.OPEN, consolidated=False, active=True)
    path = store.terrain.session_db(live)
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE filler (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) "
        "INSERT INTO filler SELECT zeroblob(4000) FROM n; DELETE FROM filler;"
    )
    connection.close()
    return path


def test_vacuum_reports_what_the_file_system_says(store: Store) -> None:
    path = grown(store)
    notes = all_notes(store)
    before = sum(one.stat().st_size for one in path.parent.glob("session.db*"))
    (result,) = vacuum(store)
    assert (result.before, result.skipped) == (before, None)
    assert result.after == sum(one.stat().st_size for one in path.parent.glob("session.db*"))
    assert result.after < before / 10
    assert all_notes(store) == notes


def test_vacuum_skips_what_is_busy_and_what_has_no_room(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    path = grown(store)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    (result,) = vacuum(store)
    assert (result.skipped, result.after) == ("it is in use", result.before)
    writer.execute("ROLLBACK")
    writer.execute("BEGIN")
    writer.execute("SELECT * FROM notes").fetchone()
    (result,) = vacuum(store)
    assert result.skipped is not None and "reader" in result.skipped
    writer.close()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: type("Usage", (), {"free": 10}))
    (result,) = vacuum(store)
    assert result.skipped is not None and "10 bytes" in result.skipped


def test_vacuum_leaves_a_damaged_database_as_it_is(store: Store) -> None:
    path = grown(store)
    for name in ("-wal", "-shm"):
        path.with_name(path.name + name).unlink(missing_ok=True)
    path.write_bytes(b"no database at all" * 500)
    (result,) = vacuum(store)
    assert result.skipped
    assert path.read_bytes() == b"no database at all" * 500


# -- the command line ----------------------------------------------------------------------------------------


class Shell:
    """Runs `tur-adm` and `tur` in this process, from a terrain, without a terminal."""

    def __init__(self, store: Store, capture: pytest.CaptureFixture[bytes]) -> None:
        self.store = store
        self._capture = capture

    def adm(self, *words: str) -> tuple[int, str, str]:
        return self._run(adm, words)

    def tur(self, *words: str) -> tuple[int, str, str]:
        return self._run(tur, words)

    def _run(self, program: Callable[[list[str]], int], words: tuple[str, ...]) -> tuple[int, str, str]:
        self._capture.readouterr()
        code = program(list(words))
        out, err = self._capture.readouterr()
        return code, out.decode(), err.decode()

    def json(self, *words: str) -> Any:
        code, out, err = self.adm(*words, "--json")
        assert code == 0, err
        return json.loads(out)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Shell:
    store = make_store(tmp_path, SystemClock().now())
    for name in list(os.environ):
        if name.startswith(("TUR_", "ANTHROPIC")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TUR_HOME", str(store.home.root))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(store.terrain.root.parent)
    return Shell(store, capsysbinary)


def test_prune_without_a_terminal_needs_yes(shell: Shell) -> None:
    old = add_session(shell.store, days_ago=9)
    add_session(shell.store, days_ago=1)
    before = tree(shell.store)
    code, out, err = shell.adm("session", "prune", "--keep", "1")
    assert (code, old in out) == (1, True)
    assert "Add --yes" in err
    code, out, err = shell.adm("session", "prune", "--keep", "1", "--dry-run")
    assert (code, err) == (0, "")
    assert "1 session to be archived, 1 to stay" in out
    assert tree(shell.store) == before
    code, out, _ = shell.adm("session", "prune", "--keep", "1", "--yes")
    assert code == 0
    assert "Archived 1 session" in out
    assert archived_ids(shell.store) == {old}
    code, out, _ = shell.adm("session", "prune", "--keep", "1", "--yes")
    assert (code, "0 sessions to be archived" in out) == (0, True)


def test_delete_without_a_terminal_needs_the_count(shell: Shell) -> None:
    ids = [add_session(shell.store, days_ago=age) for age in (9, 8, 1)]
    before = tree(shell.store)
    for words in (["--yes"], ["--yes", "--count", "3"], ["--count", "2"], []):
        assert shell.adm("session", "prune", "--keep", "1", "--delete", *words)[0] == 1
        assert tree(shell.store) == before
    assert shell.adm("session", "prune", "--keep", "1", "--delete", "--yes", "--count", "2")[0] == 0
    assert all_notes(shell.store).keys() == {ids[2]}


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--delete"],
        ["--keep", "0"],
        ["--keep", "-1"],
        ["--max-age-days", "0"],
        ["--max-age-days", "-3"],
        ["--max-age-days", "99999999999"],
        ["--keep", "3", "--max-age-days", "0"],
        ["--vacuum"],
        ["--include-unconsolidated"],
    ],
    ids=" ".join,
)
def test_senseless_policies_are_refused(shell: Shell, words: list[str]) -> None:
    add_session(shell.store, days_ago=9)
    before = tree(shell.store)
    code, out, err = shell.adm("session", "prune", *words, "--yes", "--json")
    assert (code, out) == (1, "")
    assert json.loads(err)["error"]["code"] in ("refused", "invalid_input")
    assert tree(shell.store) == before


@pytest.mark.parametrize("words", [["--keep", "x"], ["--max-age-days", "1.5"], ["--keep"]], ids=" ".join)
def test_what_is_no_number_is_wrong_usage(shell: Shell, words: list[str]) -> None:
    assert shell.adm("session", "prune", *words)[0] == 2


def test_prune_as_json_tells_plan_and_result(shell: Shell) -> None:
    old, young = add_session(shell.store, days_ago=40), add_session(shell.store, days_ago=3)
    answer = shell.json("session", "prune", "--max-age-days", "30", "--dry-run")
    assert (answer["schema"], answer["applied"]) == ("tur.prune/1", False)
    assert [one["session"]["id"] for one in answer["plan"]["goes"]] == [old]
    assert answer["plan"]["goes"][0]["reason"] == "consolidated; ended 40 days ago"
    assert [one["session"]["id"] for one in answer["plan"]["keeps"]] == [young]
    answer = shell.json("session", "prune", "--max-age-days", "30", "--yes", "--vacuum")
    assert (answer["applied"], answer["done"], answer["left"]) == (True, [old], [])
    assert answer["freed_bytes"] == answer["plan"]["freed_bytes"] > 0
    (vacuumed,) = answer["vacuum"]
    assert vacuumed["before_bytes"] >= vacuumed["after_bytes"] > 0


def test_age_is_that_of_the_session_not_of_its_files(shell: Shell) -> None:
    old, young = add_session(shell.store, days_ago=90), add_session(shell.store, days_ago=0.01)
    for session_id, days in ((old, 0), (young, 90)):
        at = time.time() - days * 86_400  # noqa: TID251
        os.utime(shell.store.terrain.timeline(shell.store.persona_id, session_id), (at, at))
        os.utime(shell.store.terrain.session_db(session_id), (at, at))
    assert shell.json("session", "prune", "--max-age-days", "30", "--yes")["done"] == [old]


@pytest.mark.parametrize("days", [-365, -1, -0.04], ids=["year", "day", "hour"])
def test_a_session_of_the_future_stops_ages(shell: Shell, days: float) -> None:
    add_session(shell.store, days_ago=90)
    add_session(shell.store, days_ago=days)
    before = tree(shell.store)
    code, _, err = shell.adm("session", "prune", "--max-age-days", "30", "--yes")
    assert (code, "clock" in err) == (1, True)
    assert tree(shell.store) == before
    assert shell.adm("session", "prune", "--keep", "1", "--yes")[0] == 0


def test_a_clock_set_back_stops_ages(store: Store) -> None:
    add_session(store, days_ago=60)
    add_session(store, days_ago=0)
    for back in (timedelta(hours=1), timedelta(days=365)):
        slow = Store(store.home, store.terrain, store.persona_id, FixedClock(store.clock.now() - back), store.config)
        with pytest.raises(Conflict, match="clock"):
            preview_prune(slow, RetentionPolicy(max_age_days=30))


def test_a_read_only_archive_holds_and_is_named(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    old = add_session(shell.store, days_ago=9)
    add_session(shell.store, days_ago=1)
    folder = shell.store.terrain.archive(shell.store.persona_id)
    folder.mkdir()
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder and access(path, mode))
    code, out, err = shell.adm("session", "prune", "--keep", "1", "--yes")
    assert (code, "Archived 0 sessions" in out) == (0, True)
    assert f"session {old} stays for now: {folder} is read-only" in err
    assert shell.store.terrain.session_db(old).is_file()
    code, _, err = shell.adm("session", "archive", old)
    assert (code, "is read-only" in err) == (1, True)


def test_session_verbs(shell: Shell) -> None:
    code, out, _ = shell.adm("session", "list")
    assert (code, out) == (0, "There is no session yet.\n")
    old = add_session(shell.store, days_ago=9, author="pi\u202e")
    shell.tur("note", "something")
    code, out, _ = shell.adm("session", "list")
    assert code == 0
    assert "consolidated" in out and "active" in out and "<U+202E>" in out
    code, out, _ = shell.adm("session", "end")
    assert (code, "has ended" in out, "1 note that no dream has seen" in out) == (0, True, True)
    assert shell.adm("session", "end")[0] == 1
    code, out, _ = shell.adm("session", "archive", old[:15])
    assert (code, f"Archived session {old}" in out) == (0, True)
    assert shell.adm("session", "archive", old)[0] == 1
    code, out, _ = shell.adm("session", "show", old)
    assert (code, "step 2" in out, "archive" in out) == (0, True, True)
    code, out, _ = shell.tur("show", old)
    assert (code, "step 2" in out) == (0, True)
    assert [one["id"] for one in shell.json("session", "list", "--archived")["sessions"]] == [old]
    assert shell.json("session", "show", old)["retention"]["archived"] is True
    code, out, _ = shell.adm("session", "restore", old)
    assert (code, "with 2 notes" in out) == (0, True)
    for bad in ("20991231", "../../x", "@~99", ""):
        assert shell.adm("session", "show", bad)[0] == 1


def test_a_prune_that_died_is_finished_and_told(shell: Shell) -> None:
    old = add_session(shell.store, days_ago=9)
    add_session(shell.store, days_ago=1)
    store = shell.store
    plan = preview_prune(store, RetentionPolicy(keep=1, delete=True))
    points = points_of(lambda: None)
    assert points == []
    die_at(8, lambda: apply_prune(store, plan, STEWARD))
    assert pending_prunes(store)
    assert "died half way" in shell.adm("session", "prune", "--keep", "9", "--dry-run")[2]
    code, _, err = shell.adm("session", "prune", "--keep", "9", "--yes")
    assert (code, f"session {old} done" in err) == (0, True)
    assert find_tombstone(store.terrain, store.persona_id, old) is not None


def test_lineage_of_a_deleted_session_still_verifies(shell: Shell) -> None:
    shell.tur("note", "SQLite disables foreign keys on each new connection, so the connection factory sets the pragma")
    assert shell.tur("sleep", "-n", "Always execute PRAGMA foreign_keys = ON right after connecting to SQLite")[0] == 0
    (record,) = list_sessions(shell.store)
    code, out, _ = shell.tur("recall", "foreign keys", "--json")
    memory = json.loads(out)["memories"][0]["id"]
    assert apply_prune(shell.store, preview_single(shell.store, record.id, "delete"), STEWARD).done
    code, out, _ = shell.tur("show", memory)
    assert (code, "pruned on" in out) == (0, True)
    code, out, err = shell.tur("verify")
    assert code == 0, out + err
    assert shell.tur("diff", record.id)[0] in (0, 1)


def ask_at_terminal(shell: Shell, words: list[str], question: str, answer: str) -> tuple[int, str]:
    script = "import sys; from tur_tui.cli.main import main; sys.exit(main())"
    environment = {
        "TUR_HOME": str(shell.store.home.root),
        "XDG_CONFIG_HOME": os.environ["XDG_CONFIG_HOME"],
        "PYTHONPATH": str(ROOT),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
    }
    child: Any = pexpect.spawn(
        sys.executable,
        ["-c", script, "session", "prune", *words],
        env=environment,
        encoding="utf-8",
        timeout=20,
        dimensions=(40, 200),
    )
    child.expect_exact(question)
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before


def test_at_a_terminal_it_asks(shell: Shell) -> None:
    ids = [add_session(shell.store, days_ago=age) for age in (9, 8, 1)]
    before = tree(shell.store)
    assert ask_at_terminal(shell, ["--keep", "2"], "Archive 1 session? [y/N] ", "")[0] == 1
    assert ask_at_terminal(shell, ["--keep", "1", "--delete"], "Type 2 to delete", "yes")[0] == 1
    assert ask_at_terminal(shell, ["--keep", "1", "--delete", "--yes"], "Type 2 to delete", "1")[0] == 1
    assert tree(shell.store) == before
    assert ask_at_terminal(shell, ["--keep", "2"], "Archive 1 session? [y/N] ", "y")[0] == 0
    assert archived_ids(shell.store) == {ids[0]}
    assert ask_at_terminal(shell, ["--keep", "1", "--delete"], "Type 2 to delete", "2")[0] == 0
    assert all_notes(shell.store).keys() == {ids[2]}


def test_two_hundred_sessions_stay_within_the_horizon(shell: Shell) -> None:
    """Real sessions, noted and dreamt by the agent's own command; what they take on disk is measured as they go."""
    store = shell.store
    sizes = {}
    for number in range(1, 201):
        text = f"ticket {number}: the retry of job {number} failed because its lease had expired, so it renews it now"
        code, _, err = shell.tur("note", text)
        assert code == 0, err
        code, _, err = shell.tur("sleep", *(["-n", f"Fixed ticket {number} for good"] if number % 10 == 0 else []))
        assert code == 0, err
        if number % 40 == 0:
            sizes[number] = sum(path.stat().st_size for path in store.terrain.sessions.rglob("*") if path.is_file())
    assert len(database_ids(store)) == len(primary_ids(store)) == 20
    assert len(archived_ids(store)) == 180
    notes = all_notes(store)
    assert len(notes) == 200
    assert sum(map(len, notes.values())) == 220
    assert max(sizes.values()) <= 1.05 * min(sizes.values()), sizes
    code, out, err = shell.tur("verify", "--json")
    assert code == 0, out + err
    code, out, _ = shell.tur("recall", "--notes", "ticket 10", "--json")
    assert (code, "ticket 10: the retry" in out) == (0, True)
    assert examine(store, STEWARD).ailments == ()
