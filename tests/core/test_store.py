"""The store: files are whole or not there, locks die with their holder, and the index only ever mirrors the files."""

import contextlib
import os
import resource
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.scratch import NOW, Terrain
from tur.codec.memory_file import render_memory
from tur.errors import Conflict, NotFound, SessionSealed, StoreCorrupt, StoreUnavailable
from tur.model.memory import LifecycleEntry, MemoryType, Status
from tur.model.note import Note
from tur.service.learn import learn, refute
from tur.service.recall import recall
from tur.store.files import TEMPORARY, create_file, move_file, read_file, remove_file, write_file
from tur.store.index import Entry, open_index
from tur.store.locks import locked, try_locked
from tur.store.session_db import SessionDatabase
from tur.store.store import Store

META = {"session_id": "20260918_120000_00000001", "started_at": "2026-09-18T12:00:00Z"}


@contextlib.contextmanager
def little_room(size: int) -> Iterator[None]:
    """No file may grow beyond `size` bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextlib.contextmanager
def elsewhere(work: Callable[[], object]) -> Iterator[int]:
    """Run `work` in another process and wait until it says it is ready; killed at the end."""
    ready_out, ready_in = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with contextlib.ExitStack() as stack:
                held = work()
                if isinstance(held, contextlib.AbstractContextManager):
                    stack.enter_context(held)
                os.write(ready_in, b".")
                time.sleep(600)
        finally:
            os._exit(1)
    os.close(ready_in)
    assert os.read(ready_out, 1) == b"."
    os.close(ready_out)
    try:
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)


# -- files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("act", [write_file, create_file])
def test_a_write_that_fails_leaves_the_old_file_and_no_other(place: Path, act: Callable[[Path, bytes], object]) -> None:
    path = place / "file" if act is write_file else place / "new"
    write_file(place / "file", b"old")
    with little_room(1000), pytest.raises(StoreUnavailable, match="larger than allowed"):
        act(path, b"x" * 5000)
    assert {one.name: one.read_bytes() for one in place.iterdir()} == {"file": b"old"}


def test_a_new_file_never_replaces_one_that_is_there(place: Path) -> None:
    assert create_file(place / "file", b"first") is True
    assert create_file(place / "file", b"second") is False
    assert read_file(place / "file") == b"first" and len(list(place.iterdir())) == 1


def test_a_move_never_replaces_one_that_is_there(place: Path) -> None:
    write_file(place / "a", b"a")
    write_file(place / "b", b"b")
    with pytest.raises(StoreUnavailable):
        move_file(place / "a", place / "b")
    assert (read_file(place / "a"), read_file(place / "b")) == (b"a", b"b")
    move_file(place / "a", place / "sub/c")
    assert not (place / "a").exists() and read_file(place / "sub/c") == b"a"
    remove_file(place / "a")


def test_a_file_is_private_and_its_temporary_name_is_known(place: Path) -> None:
    write_file(place / "sub/file", b"x")
    assert (place / "sub/file").stat().st_mode & 0o777 == 0o600
    assert (place / "sub").stat().st_mode & 0o777 == 0o700
    assert TEMPORARY.fullmatch(".file.0123abcd.tur-tmp") and not TEMPORARY.fullmatch("file.tur-tmp")


def test_only_regular_files_of_bounded_size_are_read(place: Path) -> None:
    (place / "real").write_bytes(b"x" * 100)
    (place / "link").symlink_to(place / "real")
    os.mkfifo(place / "fifo")
    (place / "folder").mkdir()
    for name in ("link", "fifo", "folder"):
        with pytest.raises(StoreCorrupt, match="no regular file"):
            read_file(place / name)
    with pytest.raises(StoreCorrupt, match="larger than"):
        read_file(place / "real", limit=99)
    with pytest.raises(StoreCorrupt, match="no regular file"):
        read_file(Path("/dev/null"))
    with pytest.raises(FileNotFoundError):
        read_file(place / "nothing")


def test_a_writer_killed_at_any_moment_leaves_the_old_file_or_the_new(place: Path) -> None:
    path = place / "file"
    write_file(path, b"0" * 10_000)

    def write() -> None:
        child = os.fork()
        if child == 0:
            number = 0
            while True:
                number += 1
                write_file(path, str(number % 10).encode() * 10_000)
        time.sleep(0.02)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    for _ in range(10):
        write()
        data = path.read_bytes()
        assert len(data) == 10_000 and len(set(data)) == 1
    assert all(one.name == "file" or TEMPORARY.fullmatch(one.name) for one in place.iterdir())


# -- locks -----------------------------------------------------------------------------------


def test_a_lock_of_a_killed_process_is_free_at_once(place: Path) -> None:
    lock = place / "some.lock"
    with elsewhere(lambda: locked(lock)) as holder:
        with try_locked(lock) as held:
            assert held is False
        os.kill(holder, signal.SIGKILL)
        os.waitpid(holder, 0)
        with locked(lock, wait=0.5):
            pass


def test_a_lock_that_is_not_free_in_time_is_named(place: Path) -> None:
    lock = place / "some.lock"
    named = pytest.raises(StoreUnavailable, match=r"some\.lock is held")
    with elsewhere(lambda: locked(lock)), named, locked(lock, wait=0.1):
        pass


def test_a_lock_file_that_is_a_symlink_is_not_followed(place: Path) -> None:
    (place / "some.lock").symlink_to(place / "outside")
    with pytest.raises(StoreUnavailable), locked(place / "some.lock", wait=0.1):
        pass
    assert not (place / "outside").exists()


# -- the session's database --------------------------------------------------------------------


def _database(place: Path) -> Path:
    path = place / META["session_id"] / "session.db"
    SessionDatabase.create(path, META, [], token="00000001")
    return path


def test_a_session_database_is_made_whole_and_only_once(place: Path) -> None:
    path = _database(place)
    with pytest.raises(FileExistsError):
        SessionDatabase.create(path, META, [], token="00000002")
    assert [one.name for one in place.iterdir()] == [META["session_id"]]
    with SessionDatabase.open(path) as database:
        assert (database.state(), database.notes(), database.quick_check()) == ("open", [], [])


def test_a_missing_database_is_an_error_and_never_an_empty_new_one(place: Path) -> None:
    with pytest.raises(NotFound), SessionDatabase.open(place / "x/session.db"):
        pass
    assert list(place.iterdir()) == []


def test_a_sealed_session_refuses_every_later_write_even_from_a_connection_that_was_open(place: Path) -> None:
    path = _database(place)
    with SessionDatabase.open(path) as early, SessionDatabase.open(path) as sealer:
        early.add_note(NOW, "pi", "in time")
        with sealer.writing():
            sealer.seal({})
        with pytest.raises(SessionSealed):
            early.add_note(NOW, "pi", "too late")
        assert sealer.count() == 1
    raw = sqlite3.connect(path)
    for statement in (
        "INSERT INTO notes VALUES (2, '', '', '', '')",
        "UPDATE notes SET text = 'x'",
        "DELETE FROM notes",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="session sealed"):
            raw.execute(statement)
    raw.close()


def test_a_transaction_that_fails_leaves_nothing_of_itself(place: Path) -> None:
    with SessionDatabase.open(_database(place)) as database:
        with pytest.raises(ZeroDivisionError), database.writing():
            database.set_meta({"half": "done"})
            raise ZeroDivisionError
        assert "half" not in database.meta()


def test_a_log_is_folded_only_by_a_sole_user(place: Path) -> None:
    path = _database(place)
    with SessionDatabase.open(path) as first:
        first.add_note(NOW, "pi", "a note")
        with SessionDatabase.open(path) as second:
            assert second.count() == 1
            assert first.fold_log() is False
        assert first.fold_log() is True
    assert [one.name for one in path.parent.iterdir()] == ["session.db"]


# -- sessions ----------------------------------------------------------------------------------


def test_a_timeline_that_knows_more_than_the_database_is_an_error_and_stays(store: Store) -> None:
    session_id, _ = store.sessions.begin()
    for text in ("One.", "Two."):
        store.sessions.add_note("pi", text)
    store.sessions.project(session_id)
    path = store.terrain.timeline(store.persona_id, session_id)
    before = path.read_bytes()
    raw = sqlite3.connect(store.terrain.session_db(session_id))
    raw.execute("DELETE FROM notes WHERE idx = 2")
    raw.commit()
    raw.close()
    with pytest.raises(StoreCorrupt, match="more notes than the database: 2 to 1"):
        store.sessions.project(session_id)
    assert path.read_bytes() == before


def test_projecting_twice_writes_once_and_keeps_keys_of_others(store: Store) -> None:
    session_id, _ = store.sessions.begin()
    store.sessions.add_note("pi", "One.")
    store.sessions.project(session_id)
    path = store.terrain.timeline(store.persona_id, session_id)
    path.write_bytes(path.read_bytes() + b"mood: calm\n")
    store.sessions.add_note("pi", "Two.")
    store.sessions.project(session_id)
    first = path.stat()
    store.sessions.project(session_id)
    assert path.stat().st_ino == first.st_ino and b"mood: calm" in path.read_bytes()


# -- memories and their index ------------------------------------------------------------------


def _mirror(store: Store, *, fresh: bool = False) -> tuple[list[Entry], dict[str, int], list[str]]:
    """All that the index answers, from the one on disk or from one that is made anew."""
    path = store.terrain.index.with_name("fresh.db") if fresh else store.terrain.index
    path.unlink(missing_ok=fresh) if fresh else None
    with open_index(path, store.memories) as index:
        entries = list(index.entries(all_statuses=True, now="2026-09-18T12:00:00Z"))
        found = [one.id for word in ("gate", "pump", "east") for one in index.search(word, all_statuses=True, limit=99)]
        return entries, index.status_counts(), [*found, *sorted(str(bad.path) for bad in index.unreadable)]


def test_the_index_that_followed_every_change_equals_one_made_anew(terrain: Terrain) -> None:
    store = terrain.store()
    ids = [learn(store, f"Gate {number} closes at ten.", author="pi").memory.id for number in range(30)]

    def change(step: int) -> None:
        path = store.memories.path_of(ids[step])
        assert path is not None
        if step == 0:
            refute(store, ids[0], "wrong", author="pi")
        elif step == 1:
            learn(store, "Gate 1 closes in the east.", author="pi", supersedes=[ids[1]])
        elif step == 2:
            path.write_bytes(path.read_bytes().replace(b"closes", b"pumped"))
        elif step == 3:
            path.unlink()
        elif step == 4:
            path.write_bytes(b"no memory any more")
        elif step == 5:
            store.memories.move(ids[5], "archive")
        elif step == 6:
            (path.parent / "notes.txt").write_text("not a memory")
        else:
            learn(store, f"The pump is primed {step}.", author="pi", type=MemoryType.AXIOM)

    for step in range(8):
        change(step)
        assert _mirror(store) == _mirror(store, fresh=True), step


def test_a_change_of_the_same_size_within_the_same_second_is_noticed(terrain: Terrain) -> None:
    store = terrain.store()
    memory = learn(store, "Gate 1 closes at ten.", author="pi").memory
    assert recall(store, "ten")[0][0].edited is False
    path = store.memories.path_of(memory.id)
    assert path is not None
    data = path.read_bytes().replace(b"at ten.\n", b"at six.\n")
    write_file(path, data)
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    assert [hit.edited for hit in recall(store, "six")[0]] == [True]


def test_the_index_of_a_copied_project_takes_nothing_from_the_original(terrain: Terrain) -> None:
    store = terrain.store()
    learn(store, "The gate is east.", type=MemoryType.FACT, author="pi")
    with open_index(store.terrain.index, store.memories) as index:
        assert index.count() == 1
    copy = terrain.folder.parent / "copy"
    shutil.copytree(terrain.folder, copy)
    learn(store, "Only the original knows.", type=MemoryType.FACT, author="pi")
    copied = replace(terrain, folder=copy).store()
    with open_index(copied.terrain.index, copied.memories) as index:
        found = list(index.entries(all_statuses=True, now="2027-01-01T00:00:00Z"))
    assert [one.path.is_relative_to(copy) for one in found] == [True]


def test_an_index_that_was_stopped_half_way_goes_on_where_it_was(
    terrain: Terrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tur.store.index.BATCH", 4)
    store = terrain.store()
    for number in range(10):
        learn(store, f"Gate {number} closes at ten.", author="pi")
    path = store.terrain.index.with_name("other.db")
    told: list[tuple[int, int]] = []

    class Enough(Exception):
        pass

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        if done >= 8:
            raise Enough

    with pytest.raises(Enough), open_index(path, store.memories, progress=stop):
        pass
    with open_index(path, store.memories, refresh=False) as index:
        assert index.count() == 8
    with open_index(path, store.memories, progress=lambda done, total: told.append((done, total))) as index:
        assert index.count() == 10
    assert told == [(4, 10), (8, 10), (2, 2)]


def test_an_index_taken_as_it_stands_reads_no_file_anew(terrain: Terrain) -> None:
    store = terrain.store()
    learn(store, "Gate 1 closes at ten.", author="pi")
    recall(store, "gate")
    learn(store, "Gate 2 closes at ten.", author="pi")
    path = store.terrain.index
    with open_index(path, store.memories, refresh=False) as index:
        assert index.count() == 1
    with open_index(path, store.memories, write=False) as index:
        assert index.count() == 2
    with open_index(path, store.memories, refresh=False) as index:
        assert index.count() == 1


@pytest.mark.parametrize("seconds", [2, 60])
def test_an_index_that_another_process_holds_delays_but_loses_and_refuses_nothing(
    terrain: Terrain, seconds: int
) -> None:
    store = terrain.store()
    learn(store, "Gate 1 closes at ten.", author="pi")
    recall(store, "gate")
    path = store.terrain.index

    def hold() -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        if seconds == 2:
            signal.signal(signal.SIGALRM, lambda *_: connection.execute("ROLLBACK"))
            signal.setitimer(signal.ITIMER_REAL, 2)

    with elsewhere(hold):
        made = learn(store, "Gate 2 closes at ten.", author="pi")
        hits, unreadable = recall(store, "gate")
        assert made.memory.id in {hit.memory.id for hit in hits} and len(hits) == 2 and not unreadable
    assert len(recall(store, "gate")[0]) == 2


def test_a_memory_is_written_once_and_its_lifecycle_only_grows(store: Store) -> None:
    memory = learn(store, "Gate 1 closes at ten.", author="pi").memory
    other = replace(memory, title="Another title", tags=("late",))
    assert store.memories.add(other) == (memory, False)
    path = store.memories.path_of(memory.id)
    assert path is not None and path.read_bytes() == render_memory(memory)

    def refuse(_: object) -> LifecycleEntry:
        raise Conflict("no")

    with pytest.raises(Conflict):
        store.memories.append(memory.id, refuse)
    assert store.memories.append(memory.id, lambda _: None) == (memory, False)
    entry = LifecycleEntry(NOW + timedelta(days=1), Status.REFUTED, "pi", reason="--- \n'\"#: \u2028 ~")
    assert store.memories.append(memory.id, lambda _: entry)[0] == store.memories.get(memory.id)
    assert store.memories.get(memory.id).lifecycle == (*memory.lifecycle, entry)


def test_a_file_under_a_name_that_is_not_its_id_is_named_and_takes_nothing_over(terrain: Terrain) -> None:
    store = terrain.store()
    memory = learn(store, "Gate 1 closes at ten.", author="pi").memory
    path = store.memories.path_of(memory.id)
    assert path is not None
    path.with_name(f"{'ab' * 32}.md").write_bytes(path.read_bytes())
    (path.parent / "copy of it.md").write_bytes(path.read_bytes())
    assert len({hit.memory.id for hit in recall(store, "gate")[0]}) == 1
    assert store.memories.find(memory.id[:8]) == memory
    refute(store, memory.id, "wrong", author="pi")
    assert store.memories.get(memory.id).status is Status.REFUTED


def test_notes_made_from_a_timeline_are_the_same_notes(store: Store) -> None:
    session_id, _ = store.sessions.begin()
    notes: list[Note] = [
        store.sessions.add_note("pi", text)[1] for text in ("no", "1e3", "a\r\nb", "---\nx: y", "\x1b[0m")
    ]
    store.sessions.project(session_id)
    folder = store.terrain.session(session_id)
    for path in folder.iterdir():
        path.unlink()
    store.sessions.rebuild_database(session_id)
    with store.sessions.database(session_id) as database:
        assert database.notes() == notes and database.manifestations() == ["pi"]
