"""A sleep that is killed at any of its steps is finished by the next one, as if nothing had happened."""

import contextlib
import shutil
import signal
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.killing import killed_at, points_of
from tests.scratch import NOW, Terrain, tree
from tur.clock import FixedClock
from tur.dreaming.delegate import DelegatedDream
from tur.dreaming.engine import Dreamer
from tur.dreaming.registry import find_dreamer
from tur.errors import SessionAlreadyConsolidatedError
from tur.model.dream import Dream, DreamMemory, DreamRefutation
from tur.service.learn import learn
from tur.service.notes import add_note
from tur.service.recall import recall
from tur.service.sleep import SleepReport, perform_sleep_dreaming
from tur.service.verify import verify_store
from tur.service.wake import wake
from tur.store.store import Store

NOTES = (
    "The cache went stale because the build wrote it after the release.",
    "Fixed the stale cache by writing it before the release.",
    "We agreed that every connection must set PRAGMA foreign_keys = ON.",
    "The harbour office moved to the east quay.",
)
LAST_NOTE = "The release is out; the cache holds."
KNOWN = "The release is built on Thursdays."
OUTDATED = "The harbour office is on the west quay."
WRONG = "The cache is written after the release."

Act = Callable[[], object]


def _store(terrain: Terrain) -> Store:
    """The store as a new process finds it; the clock stands still, and so every run writes the same."""
    return terrain.store(FixedClock(NOW))


@pytest.fixture
def awake(terrain: Terrain) -> Terrain:
    """A terrain with three memories and a session of four notes."""
    store = _store(terrain)
    for content in (KNOWN, OUTDATED, WRONG):
        learn(store, content, author="pi")
    for text in NOTES:
        add_note(store, text, author="pi")
    return terrain


def _dream(store: Store) -> Dreamer:
    """A dream in which something is new, something known, something replaced and something refuted."""
    ids = {memory.content: memory.id for memory in store.memories.load_all()[0]}
    return DelegatedDream(
        Dream(
            memories=[
                DreamMemory(memory_type="fact", content=KNOWN, from_notes=[1]),
                DreamMemory(
                    memory_type="fact",
                    content="The harbour office is on the east quay.",
                    from_notes=[4],
                    supersedes=[ids[OUTDATED]],
                ),
                DreamMemory(
                    memory_type="insight",
                    content="A cache that is written after the release goes stale; write it before.",
                    from_notes=[1, 2],
                ),
            ],
            refutes=[DreamRefutation(memory_id=ids[WRONG], reason="It is written before.", from_notes=[2])],
        )
    )


def _offline(_: Store) -> Dreamer:
    return find_dreamer("offline")


ENGINES = {"offline": _offline, "delegate": _dream}


def _sleep(terrain: Terrain, engine: Callable[[Store], Dreamer], *, force: bool = False) -> SleepReport:
    store = _store(terrain)
    note = None if force else LAST_NOTE
    return perform_sleep_dreaming(store, engine(store), author="pi", final_note=note, force=force)


def _copy(terrain: Terrain, place: Path) -> Terrain:
    shutil.copytree(terrain.folder, place / "project")
    shutil.copytree(terrain.home, place / "home")
    return replace(terrain, folder=place / "project", home=place / "home")


def _state(terrain: Terrain) -> dict[str, object]:
    """All that is stored: files by their bytes, databases by their rows."""
    found: dict[str, object] = {}
    for name, data in tree(terrain.root, terrain.home).items():
        # The sleeper's name is part of the lock beside it, and means nothing once that is free.
        if not name.endswith(("session.db", "/sleeper")):
            found[name] = data
    for path in sorted(terrain.root.glob("sessions/*/session.db")):
        connection = sqlite3.connect(path)
        found[path.parent.name] = list(connection.iterdump())
        connection.close()
    return found


def _finish(terrain: Terrain, engine: Callable[[Store], Dreamer]) -> None:
    """Give the same command once more. One that died after its last step is told that all is done."""
    with contextlib.suppress(SessionAlreadyConsolidatedError):
        _sleep(terrain, engine)


@pytest.fixture
def undisturbed(awake: Terrain, place: Path) -> dict[str, dict[str, object]]:
    """Engine -> what an undisturbed sleep leaves."""
    states = {}
    for name, engine in ENGINES.items():
        copy = _copy(awake, place / f"undisturbed-{name}")
        _sleep(copy, engine)
        states[name] = _state(copy)
    return states


def _steps(awake: Terrain, place: Path, engine: Callable[[Store], Dreamer]) -> list[str]:
    copy = _copy(awake, place)
    return points_of(lambda: _sleep(copy, engine))


def test_sleep_has_a_fault_point_after_each_of_its_steps(awake: Terrain, place: Path) -> None:
    seen = _steps(awake, place / "dry", _dream)
    assert len(set(seen)) >= 9
    assert {"sleep.noted", "sleep.leased", "sleep.dreamt", "sleep.sealed", "sleep.memory"} <= set(seen)
    assert {"sleep.superseded", "sleep.refuted", "sleep.marked", "sleep.projected", "sleep.left"} <= set(seen)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sleep_killed_at_any_step_is_finished_by_the_next_and_forcing_it_again_changes_no_byte(
    awake: Terrain, place: Path, undisturbed: dict[str, dict[str, object]], engine: str
) -> None:
    for step, point in enumerate(_steps(awake, place / "dry", ENGINES[engine])):
        copy = _copy(awake, place / f"once-{step}")
        assert killed_at(step, lambda one=copy: _sleep(one, ENGINES[engine])), point  # type: ignore[misc]
        _finish(copy, ENGINES[engine])
        assert _state(copy) == undisturbed[engine], f"killed at {point}"
        assert verify_store(_store(copy)) == [], f"killed at {point}"
        again = _sleep(copy, ENGINES[engine], force=True)
        assert (again.unchanged, again.created) == (True, []), f"killed at {point}"
        assert _state(copy) == undisturbed[engine], f"forced after {point}"


def test_a_sleep_killed_twice_in_a_row_at_any_two_steps_is_finished_by_the_next(
    awake: Terrain, place: Path, undisturbed: dict[str, dict[str, object]]
) -> None:
    steps = _steps(awake, place / "dry", _dream)
    begun: list[dict[str, object]] = []
    finished = [undisturbed["delegate"]]
    pairs = 0
    for first, point in enumerate(steps):
        once = _copy(awake, place / f"first-{first}")
        assert killed_at(first, lambda one=once: _sleep(one, _dream))  # type: ignore[misc]
        # Many points and pairs leave the same behind; each of those states is gone on from once.
        if _state(once) in begun:
            continue
        begun.append(_state(once))
        for second in range(len(steps)):
            twice = _copy(once, place / f"pair-{first}-{second}")
            if not killed_at(second, lambda one=twice: _sleep(one, _dream)):  # type: ignore[misc]
                break
            pairs += 1
            left = _state(twice)
            if left not in finished:
                _finish(twice, _dream)
                assert _state(twice) == undisturbed["delegate"], f"killed at {point}, then at point {second}"
                finished.append(left)
            shutil.rmtree(place / f"pair-{first}-{second}")
    assert pairs > len(steps)


def test_a_forced_dream_that_is_killed_at_any_step_is_finished_too(awake: Terrain, place: Path) -> None:
    _sleep(awake, _offline)
    steps = points_of(lambda: _sleep(_copy(awake, place / "dry"), _dream, force=True))
    assert "sleep.sealed" in steps
    reference = _state(replace(awake, folder=place / "dry/project", home=place / "dry/home"))
    for step, point in enumerate(steps):
        copy = _copy(awake, place / f"forced-{step}")
        assert killed_at(step, lambda one=copy: _sleep(one, _dream, force=True))  # type: ignore[misc]
        _sleep(copy, _dream, force=True)
        assert _state(copy) == reference, f"killed at {point}"


def test_waking_finishes_an_interrupted_sleep_before_it_begins_the_next_session(
    awake: Terrain, place: Path, undisturbed: dict[str, dict[str, object]]
) -> None:
    steps = _steps(awake, place / "dry", _dream)
    memories = {name: data for name, data in undisturbed["delegate"].items() if "/memories/" in name}
    for step in range(steps.index("sleep.sealed"), len(steps)):
        copy = _copy(awake, place / f"woken-{step}")
        assert killed_at(step, lambda one=copy: _sleep(one, _dream))  # type: ignore[misc]
        report = wake(_store(copy), author="claude-code")
        assert report.begun and report.session is not None and report.session.parent_session_id is not None
        after = {name: data for name, data in _state(copy).items() if "/memories/" in name}
        assert after == memories, f"killed at {steps[step]}"
        assert LAST_NOTE in report.prompt


def test_a_note_after_an_interrupted_sleep_opens_the_next_session_and_nothing_is_lost(
    awake: Terrain, place: Path, undisturbed: dict[str, dict[str, object]]
) -> None:
    steps = _steps(awake, place / "dry", _dream)
    memories = {name: data for name, data in undisturbed["delegate"].items() if "/memories/" in name}
    for step in range(steps.index("sleep.sealed"), len(steps)):
        copy = _copy(awake, place / f"noted-{step}")
        assert killed_at(step, lambda one=copy: _sleep(one, _dream))  # type: ignore[misc]
        parent = next(iter(_store(copy).sessions.ids()))
        receipt = add_note(_store(copy), "A note that came after the seal.", author="pi")
        assert receipt.session_id != parent
        perform_sleep_dreaming(_store(copy), DelegatedDream(Dream(memories=[])), author="pi")
        sessions = {one: _store(copy).sessions.load(one) for one in _store(copy).sessions.ids()}
        assert [note.text for note in sessions[parent].notes] == [*NOTES, LAST_NOTE], steps[step]
        assert sessions[receipt.session_id].parent_session_id == parent
        assert all(session.consolidation.consolidated for session in sessions.values())
        after = {name: data for name, data in _state(copy).items() if "/memories/" in name}
        assert after == memories, f"killed at {steps[step]}"


@pytest.mark.parametrize("option", ["supersedes", "merges"])
def test_a_replacement_killed_at_any_step_hides_nothing_and_is_finished_by_the_same_command(
    awake: Terrain, place: Path, option: str
) -> None:
    new = "The harbour office is on the north quay."

    def replacing(one: Terrain) -> None:
        ids = [memory.id for memory in _store(one).memories.load_all()[0] if memory.content in (OUTDATED, WRONG)]
        learn(_store(one), new, author="pi", **{option: ids})  # type: ignore[arg-type]

    steps = points_of(lambda: replacing(_copy(awake, place / "dry")))
    reference = _state(replace(awake, folder=place / "dry/project", home=place / "dry/home"))
    assert len(steps) == 3
    for step, point in enumerate(steps):
        copy = _copy(awake, place / f"replacing-{step}")
        assert killed_at(step, lambda one=copy: replacing(one))  # type: ignore[misc]
        found = {hit.memory.content for hit in recall(_store(copy), "harbour office cache quay")[0]}
        assert new in found, point
        replacing(copy)
        assert _state(copy) == reference, f"killed at {point}"


def test_a_command_killed_at_the_seal_is_finished_by_the_same_command(terrain: Terrain) -> None:
    """The same once with the installed script, which gets its kill from outside of the program's text."""
    assert terrain.run("note", NOTES[1]).code == 0
    killed = terrain.run(
        "-c",
        "import os, signal, sys\n"
        "from tur import faults\n"
        "faults.hook = lambda point: point == 'sleep.sealed' and os.kill(os.getpid(), signal.SIGKILL)\n"
        "from tur_agent.cli.main import main\n"
        "main(['sleep', '-n', sys.argv[1]])\n",
        LAST_NOTE,
        script="python",
    )
    assert killed.code == -signal.SIGKILL
    answer = terrain.run("sleep", "-n", LAST_NOTE, "--json").json
    assert answer["outcome"] == "resumed" and answer["created"] == len(answer["memories"]) > 0
    assert terrain.run("sleep").code == 1
