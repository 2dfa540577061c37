"""The doctor: each ailment is found and named, its remedy loses nothing, and a healthy store is left alone."""

import json
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.core.retention_store import (
    FAST,
    add_session,
    all_notes,
    database_ids,
    die_at,
    make_store,
    primary_ids,
    reopened,
    tree,
)
from tests.killing import points_of
from tur.clock import SystemClock
from tur.model.session import SessionState
from tur.policy.retention import RetentionPolicy
from tur.service.core_trust import audit_file
from tur.service.learn import learn
from tur.service.verify import verify_store
from tur.stewardship.doctor import Ailment, examine, quarantine, treat
from tur.stewardship.ledger import Steward
from tur.stewardship.prune import apply_prune, preview_prune
from tur.store.index import open_index
from tur.store.personas import create_persona
from tur.store.state import change_terrain_state
from tur.store.store import Store
from tur.store.tombstones import tombstone_of, tombstone_path, write_tombstone
from tur_tui.cli.main import main as adm

STEWARD = Steward("architect", ("tur-adm", "doctor"))


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        yield Path(folder)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store whose clock is the machine's, since what was left over is told by the age of files."""
    return make_store(tmp_path, SystemClock().now())


def codes(store: Store) -> list[str]:
    return [one.code for one in examine(store, STEWARD).ailments]


def cure(store: Store) -> None:
    """Treat everything, and see that it was done, leaves nothing behind, and is done only once."""
    treatments = treat(store, STEWARD, examine(store, STEWARD))
    assert [one.failed for one in treatments if one.failed] == []
    assert examine(store, STEWARD).ailments == ()
    before = tree(store)
    assert treat(store, STEWARD, examine(store, STEWARD)) == []
    assert tree(store) == before


def set_aside(store: Store, code: str) -> Path:
    """The one folder of that code in quarantine, which says where its contents came from."""
    (folder,) = (store.terrain.root / "quarantine").glob(f"*-{code}-*")
    reason = json.loads((folder / "reason.json").read_text())
    assert reason["code"] == code
    assert {one["to"] for one in reason["moved"]} == {path.name for path in folder.iterdir()} - {"reason.json"}
    return folder


def learned(store: Store, text: str) -> Path:
    memory = learn(store, text, author="pi").memory
    path = store.memories.path_of(memory.id)
    assert path is not None
    return path


def test_a_healthy_store_is_left_alone(store: Store) -> None:
    for age in (9, 3):
        add_session(store, days_ago=age)
    add_session(store, days_ago=20, database=False, archived=True)
    add_session(store, days_ago=20, database=False)
    add_session(store, days_ago=0, state=SessionState.OPEN, consolidated=False, active=True)
    learned(store, "the build needs make")
    before = tree(store)
    found = examine(store, STEWARD)
    assert (found.ailments, found.quarantined) == ((), 0)
    assert found.sqlite_version == sqlite3.sqlite_version
    assert treat(store, STEWARD, found) == []
    assert tree(store) == before


def test_an_empty_terrain_is_healthy(store: Store) -> None:
    assert examine(store, STEWARD).ailments == ()


def test_a_new_active_session_needs_no_timeline_yet(store: Store) -> None:
    store.sessions.add_note("pi", "first")
    assert codes(store) == []


def test_old_temporary_files_and_half_built_databases_are_set_aside(store: Store) -> None:
    old = add_session(store, days_ago=2)
    file = store.terrain.timelines(store.persona_id) / f".{old}.yaml.0123abcd.tur-tmp"
    folder = store.terrain.sessions / ".20260101_000000_00000000.0123abcd.tur-tmp"
    file.write_text("half")
    folder.mkdir()
    (folder / "session.db").write_text("half")
    assert codes(store) == []
    hour_ago = time.time() - 3_700  # noqa: TID251
    for path in (file, folder):
        os.utime(path, (hour_ago, hour_ago))
    assert codes(store) == ["temp-file", "temp-file"]
    cure(store)
    assert not file.exists() and not folder.exists()
    left = [path for path in (store.terrain.root / "quarantine").rglob("*") if path.is_file()]
    assert sum(path.read_text() == "half" for path in left) == 2


def test_a_database_without_a_timeline_is_written_out(store: Store) -> None:
    orphan = add_session(store, days_ago=3)
    store.terrain.timeline(store.persona_id, orphan).unlink()
    assert codes(store) == ["orphan-database"]
    cure(store)
    assert primary_ids(store) == {orphan}
    assert len(store.sessions.timeline(orphan).notes) == 2


def test_a_database_of_another_persona_is_no_orphan(store: Store) -> None:
    add_session(store, days_ago=3)
    persona = create_persona(store.home, store.clock, "Other", [])
    other = Store(store.home, store.terrain, persona.id, store.clock, store.config)
    assert codes(other) == []
    assert codes(store) == []


def test_an_archived_session_whose_database_was_left(store: Store) -> None:
    old = add_session(store, days_ago=9)
    target = store.terrain.timeline(store.persona_id, old, archived=True)
    target.parent.mkdir()
    store.terrain.timeline(store.persona_id, old).rename(target)
    assert codes(store) == ["half-moved"]
    notes = all_notes(store)
    cure(store)
    assert database_ids(store) == set()
    assert all_notes(store) == notes


def test_a_timeline_in_both_places(store: Store) -> None:
    old = add_session(store, days_ago=9, database=False)
    live = store.terrain.timeline(store.persona_id, old)
    target = store.terrain.timeline(store.persona_id, old, archived=True)
    target.parent.mkdir()
    os.link(live, target)
    assert codes(store) == ["half-moved"]
    cure(store)
    assert (live.exists(), target.exists()) == (False, True)


def test_two_timelines_that_differ(store: Store) -> None:
    old = add_session(store, days_ago=9, notes=3, database=False)
    live = store.terrain.timeline(store.persona_id, old)
    target = store.terrain.timeline(store.persona_id, old, archived=True)
    target.parent.mkdir()
    lines = live.read_text().splitlines(keepends=True)
    target.write_text("".join(lines[: next(n for n, line in enumerate(lines) if "idx: 2" in line)]))
    assert codes(store) == ["two-timelines"]
    cure(store)
    assert len(store.sessions.load(old).notes) == 3
    assert (set_aside(store, "two-timelines") / target.name).is_file()


def test_two_timelines_that_contradict_are_for_a_human(store: Store) -> None:
    old = add_session(store, days_ago=9, database=False)
    live = store.terrain.timeline(store.persona_id, old)
    target = store.terrain.timeline(store.persona_id, old, archived=True)
    target.parent.mkdir()
    target.write_text(live.read_text().partition("notes:")[0] + "notes:\n  - {at: 2026-01-01, text: other}\n")
    before = tree(store)
    (found,) = examine(store, STEWARD).ailments
    assert (found.code, found.remedy) == ("two-timelines", None)
    assert treat(store, STEWARD, examine(store, STEWARD)) == []
    assert tree(store) == before


def test_a_stale_timeline_is_written_anew(store: Store) -> None:
    old = add_session(store, days_ago=9)
    live = store.terrain.timeline(store.persona_id, old)
    live.write_text(live.read_text().partition("notes:")[0] + "notes: []\n")
    assert codes(store) == ["stale-timeline"]
    cure(store)
    assert len(store.sessions.timeline(old).notes) == 2


def test_an_unreadable_timeline_beside_its_database(store: Store) -> None:
    old = add_session(store, days_ago=9)
    live = store.terrain.timeline(store.persona_id, old)
    live.write_text("session_id: &x bad\n")
    assert codes(store) == ["stale-timeline"]
    cure(store)
    assert len(store.sessions.timeline(old).notes) == 2
    assert any(path.read_text() == "session_id: &x bad\n" for path in (store.terrain.root / "quarantine").iterdir())


@pytest.mark.parametrize("archived", [False, True])
def test_an_unreadable_timeline_without_a_database_is_kept_aside(store: Store, archived: bool) -> None:
    old = add_session(store, days_ago=9, database=False, archived=archived)
    path = store.terrain.timeline(store.persona_id, old, archived=archived)
    path.write_bytes(b"\xff\xfe broken")
    assert codes(store) == ["unreadable-timeline"]
    cure(store)
    assert (set_aside(store, "unreadable-timeline") / path.name).read_bytes() == b"\xff\xfe broken"


def test_a_corrupt_database_goes_aside_with_its_log_and_the_timeline_serves(store: Store) -> None:
    old = add_session(store, days_ago=9)
    path = store.terrain.session_db(old)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).write_bytes(b"log")
    path.write_bytes(b"\0" * 8192)
    assert codes(store) == ["corrupt-database"]
    treat(store, STEWARD, examine(store, STEWARD))
    aside = set_aside(store, "corrupt-database")
    assert {one.name for one in aside.iterdir()} == {"session.db", "session.db-wal", "session.db-shm", "reason.json"}
    assert len(store.sessions.load(old).notes) == 2
    cure(store)
    assert database_ids(store) == set()


def test_a_database_with_a_page_of_zeros(store: Store) -> None:
    live = add_session(
        store, days_ago=0, notes=200, state=SessionState.OPEN, consolidated=False, active=True, label="x" * 200
    )
    path = store.terrain.session_db(live)
    with store.sessions.database(live) as database:
        assert database.fold_log()
    data = bytearray(path.read_bytes())
    data[4096 * 5 : 4096 * 6] = bytes(4096)
    path.write_bytes(data)
    assert codes(store) == ["corrupt-database"]
    treat(store, STEWARD, examine(store, STEWARD))
    # The timeline takes its place, and the session goes on.
    session_id, note, _ = store.sessions.add_note("pi", "going on")
    assert (session_id, note.idx) == (live, 201)


def test_a_log_without_its_database_is_never_deleted(store: Store) -> None:
    old = add_session(store, days_ago=9)
    folder = store.terrain.session(old)
    store.terrain.session_db(old).unlink()
    (folder / "session.db-wal").write_bytes(b"five notes")
    assert codes(store) == ["log-without-database"]
    cure(store)
    assert (set_aside(store, "log-without-database") / old / "session.db-wal").read_bytes() == b"five notes"


def test_folders_without_a_database(store: Store) -> None:
    empty = store.terrain.sessions / "20260101_000000_00000001"
    foreign = store.terrain.sessions / "20260101_000000_00000002"
    for folder in (empty, foreign):
        folder.mkdir(parents=True)
        (folder / "timeline.lock").touch()
    (foreign / "mine.txt").write_text("mine")
    assert codes(store) == ["orphan-folder", "orphan-folder"]
    cure(store)
    assert not empty.exists()
    assert (set_aside(store, "orphan-folder") / foreign.name / "mine.txt").read_text() == "mine"


def test_what_is_no_session_is_named_and_left(store: Store) -> None:
    add_session(store, days_ago=1)
    (store.terrain.sessions / "README").write_text("mine")
    (found,) = examine(store, STEWARD).ailments
    assert (found.code, found.remedy) == ("foreign", None)


@pytest.mark.parametrize("where", ["folder", "timeline"])
def test_symlinks_are_not_followed(store: Store, where: str, tmp_path: Path) -> None:
    old = add_session(store, days_ago=9)
    outside = tmp_path / "outside"
    path = store.terrain.session(old)
    if where == "timeline":
        shutil.rmtree(path)
        path = store.terrain.timeline(store.persona_id, old)
    shutil.move(path, outside)
    path.symlink_to(outside)
    before = outside.stat().st_mtime_ns
    assert codes(store) == ["irregular"]
    treat(store, STEWARD, examine(store, STEWARD))
    assert codes(store) == []
    assert not path.is_symlink()
    assert outside.exists() and outside.stat().st_mtime_ns == before


def test_a_fifo_does_not_hang_it(store: Store) -> None:
    old = add_session(store, days_ago=9, database=False)
    path = store.terrain.timeline(store.persona_id, old)
    path.unlink()
    os.mkfifo(path)
    assert codes(store) == ["irregular"]
    cure(store)


def test_a_dead_dreamers_lease(store: Store) -> None:
    old = add_session(store, days_ago=9)
    (store.terrain.session(old) / "sleeper").write_text("pi")
    assert codes(store) == ["stale-lease"]
    cure(store)


def test_a_living_dreamer_is_left_alone(store: Store) -> None:
    from tur.service.sleep import dream_lease

    live = add_session(store, days_ago=0, state=SessionState.OPEN, consolidated=False, active=True)
    with dream_lease(store, live, "pi"):
        assert codes(store) == []


def test_an_interrupted_sleep_is_finished(store: Store) -> None:
    from tur.dreaming.offline import OfflineDreamer
    from tur.service.sleep import perform_sleep_dreaming

    store.sessions.add_note("pi", "SQLite disables foreign keys on each new connection")
    live = store.sessions.active()
    assert live is not None
    final = "Always execute PRAGMA foreign_keys = ON after connecting"
    points = points_of(lambda: None)
    for place in range(40):
        copy = reopened(store)
        seen: list[str] = []

        def act(copy: Store = copy) -> object:
            return perform_sleep_dreaming(copy, OfflineDreamer(), author="pi", final_note=final)

        points = seen
        die_at(place, act)
        with store.sessions.database(live, read_only=True) as database:
            if database.state() == "sealed":
                break
    assert points == []
    found = codes(store)
    assert "unfinished-sleep" in found
    cure(store)
    assert store.sessions.load(live).consolidation.consolidated
    assert store.sessions.active() is None


def test_a_prune_that_died_is_finished(store: Store) -> None:
    for age in (9, 8, 1):
        add_session(store, days_ago=age)
    notes = all_notes(store)
    die_at(12, lambda: apply_prune(store, preview_prune(store, RetentionPolicy(keep=1)), STEWARD))
    assert "half-moved" in codes(store)
    cure(store)
    assert len(primary_ids(store)) == 1
    assert all_notes(store) == notes


def test_a_tombstone_beside_its_timeline_goes_aside(store: Store) -> None:
    old = add_session(store, days_ago=9, database=False, archived=True)
    write_tombstone(store.terrain, store.persona_id, tombstone_of(store.sessions.load(old), store.clock.now(), "why"))
    assert codes(store) == ["half-deleted"]
    cure(store)
    assert len(store.sessions.load(old).notes) == 2


def test_pointers_that_lead_nowhere(store: Store) -> None:
    ended = add_session(store, days_ago=1)
    change_terrain_state(store.terrain.state, active_session=ended)
    assert codes(store) == ["stale-pointer"]
    cure(store)
    change_terrain_state(store.terrain.state, active_session="20260101_000000_00000001")
    assert codes(store) == ["stale-pointer"]
    cure(store)
    assert store.sessions.active() is None


def test_the_active_sessions_database_is_made_from_its_timeline(store: Store) -> None:
    live = add_session(store, days_ago=0, state=SessionState.OPEN, consolidated=False, database=False, active=True)
    assert codes(store) == ["timeline-without-database"]
    cure(store)
    assert store.sessions.add_note("pi", "going on")[0] == live


def test_the_open_session_of_a_teammate_is_no_ailment(store: Store) -> None:
    add_session(store, days_ago=2, state=SessionState.OPEN, consolidated=False, database=False)
    assert codes(store) == []


def test_a_broken_chain_is_for_a_human(store: Store) -> None:
    old = add_session(store, days_ago=9, database=False)
    path = store.terrain.timeline(store.persona_id, old)
    path.write_text(path.read_text().replace("took 1 minutes", "took 9 minutes"))
    (found,) = examine(store, STEWARD).ailments
    assert (found.code, found.remedy) == ("broken-chain", None)
    assert "note 1" in found.message


@pytest.mark.parametrize("damage", ["drift", "garbage", "gone"])
def test_the_index_is_brought_up_to_date(store: Store, damage: str) -> None:
    path = learned(store, "the build needs make and nothing else")
    with open_index(store.terrain.index, store.memories) as index:
        assert len(index.search("build")) == 1
    if damage == "drift":
        os.utime(path, (1, 1))
    elif damage == "garbage":
        for suffix in ("-wal", "-shm"):
            Path(f"{store.terrain.index}{suffix}").unlink(missing_ok=True)
        store.terrain.index.write_bytes(b"garbage" * 900)
    else:
        store.terrain.index.unlink()
    assert codes(store) == ([] if damage == "gone" else ["index-drift"])
    cure(store)
    with open_index(store.terrain.index, store.memories) as index:
        assert len(index.search("build")) == 1


def test_an_index_that_has_not_seen_the_newest_memory_yet_is_no_finding(store: Store) -> None:
    learned(store, "the build needs make and nothing else")
    with open_index(store.terrain.index, store.memories):
        pass
    learned(store, "the tests need pytest")
    time.sleep(0.05)  # until the time that files get has moved on
    assert codes(store) == []
    assert codes(store) == []


def test_an_unreadable_memory_is_kept_aside_and_the_rest_serves(store: Store) -> None:
    good, bad = learned(store, "the build needs make"), learned(store, "the tests need pytest")
    bad.write_text("---\ntitle: never closed\n")
    assert set(codes(store)) >= {"unreadable-memory"}
    treat(store, STEWARD, examine(store, STEWARD))
    assert codes(store) == []
    assert good.is_file()
    assert (set_aside(store, "unreadable-memory") / bad.name).read_text() == "---\ntitle: never closed\n"


def test_an_unreadable_persona_is_named_with_what_helps_and_left_to_a_human(store: Store) -> None:
    path = store.home.persona_file(store.persona_id)
    path.write_text("x: [\n")
    before = tree(store)
    (found,) = examine(store, STEWARD).ailments
    assert (found.code, found.subject, found.fix) == ("unreadable-persona", str(path), None)
    assert "must be closed" in found.message and str(path) not in found.message
    path.write_text("name: [Golem]\n")
    (found,) = examine(store, STEWARD).ailments
    assert "Correct that line by hand." in found.message
    path.unlink()
    assert codes(store) == ["missing-persona"]
    assert treat(store, STEWARD, examine(store, STEWARD)) == [] and tree(store) == before


@pytest.mark.parametrize("words", ["junk{", "persona: me\n", "active_session: yesterday\n"])
def test_a_broken_state_goes_aside_and_an_open_session_goes_on(store: Store, words: str) -> None:
    session_id, note, _ = store.sessions.add_note("pi", "first")
    store.sessions.project(session_id)
    store.terrain.state.write_text(words)
    assert codes(store) == ["unreadable-state"]
    cure(store)
    assert (set_aside(store, "unreadable-state") / "state.yaml").read_text() == words
    assert store.sessions.add_note("pi", "second")[:1] == (session_id,)
    assert note.idx == 1


def test_one_treatment_sees_to_what_a_remedy_lays_bare(store: Store) -> None:
    session_id, _ = store.sessions.begin()
    store.terrain.session_db(session_id).write_bytes(b"no database")
    (store.terrain.session(session_id) / "timeline.lock").touch()
    store.terrain.state.unlink()
    assert codes(store) == ["corrupt-database"]
    done = treat(store, STEWARD, examine(store, STEWARD))
    assert [(one.ailment.code, one.failed) for one in done] == [("corrupt-database", None), ("orphan-folder", None)]
    assert codes(store) == []
    (line,) = audit_file(store).read().entries
    assert (line.reason or "").startswith("doctor: 2 remedies: corrupt-database ")


def test_one_remedy_is_one_in_the_audit_log(store: Store) -> None:
    old = add_session(store, days_ago=9)
    (store.terrain.session(old) / "sleeper").write_text("pi")
    treat(store, STEWARD, examine(store, STEWARD))
    (line,) = audit_file(store).read().entries
    assert (line.reason or "").startswith("doctor: 1 remedy: stale-lease ")


def test_a_file_that_cannot_be_read_is_named_once(store: Store) -> None:
    old = add_session(store, days_ago=9, database=False)
    stone = tombstone_path(store.terrain, store.persona_id, old)
    memory = learned(store, "the build needs make")
    for path in (memory, stone, store.terrain.timeline(store.persona_id, old), store.terrain.state):
        path.parent.mkdir(exist_ok=True)
        path.write_text("---\nnothing")
    for one in examine(store, STEWARD).ailments:
        assert one.subject not in one.message, one
    store.terrain.state.unlink()
    (found,) = [one for one in verify_store(store) if one.code == "unreadable"]
    assert (found.subject, str(memory) in found.message) == (str(memory), False)


def test_a_remedy_that_fails_does_not_stop_the_others(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    old = add_session(store, days_ago=9)
    (store.terrain.session(old) / "sleeper").write_text("pi")
    found = examine(store, STEWARD)

    def fail() -> None:
        raise OSError(28, "No space left on device")

    failing = Ailment("temp-file", "x", "y", "z", fail)
    treatments = treat(store, STEWARD, type(found)((failing, *found.ailments), "3", True, 0))
    assert [(one.ailment.code, bool(one.failed)) for one in treatments] == [("temp-file", True), ("stale-lease", False)]
    assert codes(store) == []


def test_a_broken_audit_log_does_not_stop_remedies(store: Store) -> None:
    old = add_session(store, days_ago=9)
    store.home.audit(store.persona_id).write_text("no line of a log\n")
    (store.terrain.session(old) / "sleeper").write_text("pi")
    treatments = treat(store, STEWARD, examine(store, STEWARD))
    assert [(one.ailment.code, bool(one.failed)) for one in treatments] == [("stale-lease", False), ("audit", True)]


def test_a_kill_while_moving_into_quarantine_leaves_a_file_in_one_place(store: Store) -> None:
    old = add_session(store, days_ago=9, database=False)
    path = store.terrain.timeline(store.persona_id, old)
    path.write_bytes(b"broken")
    for place in range(2):
        die_at(place, lambda: quarantine(store, "unreadable-timeline", [path], "why"))
        found = [one for one in store.terrain.root.rglob(path.name) if one.read_bytes() == b"broken"]
        assert len(found) == 1
        if place == 0:
            assert codes(store) == ["unreadable-timeline"]
    assert codes(store) == []


# -- the command line ---------------------------------------------------------------------------


@pytest.fixture
def run(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.setenv("TUR_HOME", str(store.home.root))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(store.config.parent))
    monkeypatch.chdir(store.terrain.root.parent)

    def call(*words: str) -> tuple[int, str, str]:
        capsysbinary.readouterr()
        code = adm(["doctor", *words])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


def test_the_command_says_what_it_would_do_and_does_it_with_fix(
    store: Store, run: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, _ = run()
    assert (code, out.startswith("All is well.")) == (0, True)
    orphan = add_session(store, days_ago=3)
    store.terrain.timeline(store.persona_id, orphan).unlink()
    before = tree(store)
    code, out, _ = run()
    assert (code, "orphan-database" in out, "--fix would: write the timeline from it" in out) == (1, True, True)
    code, out, _ = run("--json")
    answer = json.loads(out)
    assert (code, answer["clean"], answer["schema"]) == (1, False, "tur.doctor/1")
    assert [one["code"] for one in answer["findings"]] == ["orphan-database"]
    assert answer["sqlite_version"] == sqlite3.sqlite_version
    assert tree(store) == before
    code, out, _ = run("--fix")
    assert (code, "write the timeline from it: done" in out) == (0, True)
    assert run("--json")[0] == 0


def test_the_command_ends_with_1_while_something_is_left(
    store: Store, run: Callable[..., tuple[int, str, str]]
) -> None:
    (store.terrain.sessions / "README").parent.mkdir(exist_ok=True)
    (store.terrain.sessions / "README").write_text("mine")
    code, out, _ = run("--fix")
    assert (code, "a human's decision" in out) == (1, True)


def test_the_command_mends_a_state_that_keeps_every_other_verb_from_working(
    store: Store, run: Callable[..., tuple[int, str, str]]
) -> None:
    store.terrain.timelines(store.persona_id).mkdir(parents=True)
    store.terrain.state.write_text("junk{\n")
    code, out, _ = run()
    assert (code, "unreadable-state" in out, "--fix would: move it into quarantine" in out) == (1, True, True)
    assert adm(["session", "list"]) == 1
    assert run("--fix")[0] == 0
    assert adm(["session", "list"]) == 0


def test_personas_that_can_be_read_are_listed_beside_one_that_cannot(
    store: Store, run: Callable[..., tuple[int, str, str]], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    other = create_persona(store.home, store.clock, "Other", [])
    store.home.persona_file(store.persona_id).write_text("x: [\n")
    assert run()[0] == 1
    capsysbinary.readouterr()
    assert adm(["persona", "list"]) == 0
    out = capsysbinary.readouterr().out.decode()
    assert f"{other.id}  Other" in out and f"{store.persona_id}  cannot be read: line 2: " in out
    assert adm(["persona", "show", "Other"]) == 0
