"""Several agents at once: no note and no memory is lost or doubled, and each is told what it needs to know."""

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scratch import SCRIPTS, Terrain
from tur.clock import SystemClock
from tur.codec.seal import verify_chain
from tur.codec.timeline import parse_timeline
from tur.dreaming.delegate import DelegatedDream
from tur.dreaming.engine import DreamRequest, DreamResult
from tur.errors import SleepInProgress
from tur.model.dream import Dream, DreamMemory
from tur.service.learn import learn, refute
from tur.service.notes import NoteReceipt, add_note
from tur.service.recall import recall
from tur.service.sleep import perform_sleep_dreaming
from tur.service.status import status
from tur.service.verify import verify_store
from tur.service.wake import wake
from tur.store.store import Store

WRITERS = 8


def _at_once(*works: Callable[[], object]) -> None:
    """Run each in a process of its own, all starting together. Fails when one of them does."""
    gate_out, gate_in = os.pipe()
    children = []
    for work in works:
        child = os.fork()
        if child == 0:
            try:
                os.close(gate_in)
                os.read(gate_out, 1)
                work()
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
                os._exit(1)
        children.append(child)
    os.close(gate_out)
    os.close(gate_in)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0] * len(works)


def _store(terrain: Terrain) -> Store:
    return terrain.store(SystemClock())


def _leftovers(terrain: Terrain) -> list[Path]:
    return [path for root in (terrain.root, terrain.home) for path in root.rglob("*.tur-tmp")]


def test_1600_notes_of_eight_agents_are_all_kept_in_one_chain_while_another_wakes_and_reads(terrain: Terrain) -> None:
    done = terrain.folder.parent / "done"

    def write(number: int) -> None:
        store = _store(terrain)
        for turn in range(200):
            add_note(store, f"Agent {number} reached milestone {turn}.", author=f"agent-{number}")
        with done.open("ab", buffering=0) as stream:
            stream.write(b".")

    def read() -> None:
        rounds = 0
        while not done.exists() or done.stat().st_size < WRITERS:
            wake(_store(terrain), author="reader")
            report = status(_store(terrain))
            assert report.problems == [] and report.session is not None
            assert verify_chain(report.session.notes) is None
            rounds += 1
        assert rounds

    _at_once(*(lambda one=number: write(one) for number in range(WRITERS)), read)

    store = _store(terrain)
    (session_id,) = store.sessions.ids()
    store.sessions.project(session_id)
    path = store.terrain.timeline(store.persona_id, session_id)
    for session in (store.sessions.load(session_id), parse_timeline(path.read_bytes())):
        assert [note.idx for note in session.notes] == list(range(1, 1601))
        assert verify_chain(session.notes) is None
        texts = {note.text for note in session.notes}
        assert texts == {
            f"Agent {number} reached milestone {turn}." for number in range(WRITERS) for turn in range(200)
        }
    for number in range(WRITERS):
        own = [note.text for note in store.sessions.load(session_id).notes if note.author == f"agent-{number}"]
        assert own == [f"Agent {number} reached milestone {turn}." for turn in range(200)]
    assert _leftovers(terrain) == []


def test_eight_agents_that_learn_overlapping_things_lose_none_and_double_none(terrain: Terrain) -> None:
    def write(number: int) -> None:
        store = _store(terrain)
        for turn in range(50):
            # Every statement is learned by two agents, most of them at the same moment.
            learn(store, f"Gate {(number // 2) * 50 + turn} closes at ten.", author=f"agent-{number}")

    _at_once(*(lambda one=number: write(one) for number in range(WRITERS)))

    memories, unreadable = _store(terrain).memories.load_all()
    assert unreadable == []
    assert sorted(memory.content for memory in memories) == sorted(f"Gate {n} closes at ten." for n in range(200))
    assert all(len(memory.lifecycle) == 1 for memory in memories)
    hits, _ = recall(_store(terrain), "gate closes", limit=1000)
    assert {hit.memory.id for hit in hits} == {memory.id for memory in memories}
    assert verify_store(_store(terrain)) == [] and _leftovers(terrain) == []


def test_a_memory_refuted_by_many_at_once_is_refuted_once(terrain: Terrain) -> None:
    known = learn(_store(terrain), "The gates close at ten.", author="pi").memory

    _at_once(
        *(
            lambda one=number: refute(_store(terrain), known.id, f"Agent {one} saw them open.", author=f"agent-{one}")
            for number in range(WRITERS)
        )
    )

    statuses = [entry.status for entry in _store(terrain).memories.get(known.id).lifecycle]
    assert statuses == ["active", "refuted"]


@pytest.mark.parametrize("turn", range(3))
def test_processes_that_begin_a_session_at_the_same_moment_get_the_same_one(terrain: Terrain, turn: int) -> None:
    told = terrain.folder.parent / "told"
    told.mkdir()

    def begin(number: int) -> None:
        session = wake(_store(terrain), author=f"agent-{number}").session
        assert session is not None
        (told / str(number)).write_text(session.session_id)

    _at_once(*(lambda one=number: begin(one) for number in range(WRITERS)))

    assert len({path.read_text() for path in told.iterdir()}) == 1
    assert len(_store(terrain).sessions.ids()) == 1
    session = status(_store(terrain)).session
    assert session is not None and len(session.manifestations) == WRITERS


def test_of_many_who_sleep_at_once_one_dreams_and_the_others_learn_that_it_is_done(terrain: Terrain) -> None:
    for text in ("Fixed the leak in the pump by a new valve.", "The pump must be primed before each start."):
        add_note(_store(terrain), text, author="pi")
    codes = []
    sleepers = [
        subprocess.Popen(
            [str(SCRIPTS / "tur"), "sleep", "--json", "--as", f"agent-{number}"],
            env=terrain.environment,
            cwd=terrain.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    outcomes = []
    for process in sleepers:
        out, err = process.communicate(timeout=60)
        codes.append(process.returncode)
        # A latecomer either meets the sleeper or finds the session dreamt; both say so.
        outcomes.append(json.loads(out)["outcome"] if process.returncode == 0 else json.loads(err)["error"]["code"])
    assert outcomes.count("dreamt") == 1
    assert set(outcomes) <= {"dreamt", "resumed", "in_progress", "session_already_consolidated"}
    (session_id,) = _store(terrain).sessions.ids()
    derived = _store(terrain).sessions.load(session_id).consolidation.derived_memory_ids
    assert sorted(derived) == [memory.id for memory in _store(terrain).memories.load_all()[0]]


class SlowDreamer:
    """A dreamer that does something else while it dreams, as a model over the network lets others do."""

    name = "slow"

    def __init__(self, meanwhile: Callable[[int], None]) -> None:
        self._meanwhile = meanwhile
        self._times = 0

    def dream(self, request: DreamRequest) -> DreamResult:
        self._meanwhile(self._times)
        self._times += 1
        dream = Dream(memories=[DreamMemory(memory_type="fact", content="The pump is primed.", from_notes=[1])])
        return DreamResult(dream, self.name)


def test_a_second_sleeper_is_told_who_sleeps_and_nothing_else_happens(terrain: Terrain) -> None:
    add_note(_store(terrain), "The pump was primed.", author="pi")
    said: list[str] = []

    def meanwhile(_: int) -> None:
        with pytest.raises(SleepInProgress) as refused:
            perform_sleep_dreaming(_store(terrain), DelegatedDream(Dream(memories=[])), author="codex")
        said.append(str(refused.value.context["by"]))
        answer = terrain.run("sleep")
        said.append(answer.out)
        assert answer.code == 0

    report = perform_sleep_dreaming(_store(terrain), SlowDreamer(meanwhile), author="claude-code")
    assert said[0] == "claude-code" and "claude-code" in said[1]
    assert [memory.content for memory in report.created] == ["The pump is primed."]
    assert len(_store(terrain).sessions.ids()) == 1


def test_notes_that_come_during_a_dream_are_dreamt_too(terrain: Terrain) -> None:
    add_note(_store(terrain), "The pump was primed.", author="pi")

    def meanwhile(times: int) -> None:
        if times == 0:
            assert add_note(_store(terrain), "The valve is new.", author="codex").passed is None

    report = perform_sleep_dreaming(_store(terrain), SlowDreamer(meanwhile), author="claude-code")
    assert report.dreamt_again == 1
    assert [note.text for note in report.session.notes] == ["The pump was primed.", "The valve is new."]
    assert report.session.unconsolidated_notes == 0


def test_notes_that_never_stop_coming_stay_counted_as_not_consolidated(terrain: Terrain) -> None:
    add_note(_store(terrain), "The pump was primed.", author="pi")

    def meanwhile(times: int) -> None:
        add_note(_store(terrain), f"Milestone {times}.", author="codex")

    report = perform_sleep_dreaming(_store(terrain), SlowDreamer(meanwhile), author="claude-code")
    assert (report.dreamt_again, len(report.session.notes), report.session.unconsolidated_notes) == (2, 4, 1)
    assert terrain.tur("status", "--json").json["unconsolidated"] == {report.session.session_id: 1}
    again = terrain.tur("sleep", "--json")
    assert again.code == 1 and "1 later note is not consolidated." in again.error["message"]


def test_a_note_after_the_seal_opens_the_next_session_and_its_author_is_told(terrain: Terrain) -> None:
    from tur import faults

    first = add_note(_store(terrain), "The pump was primed.", author="pi").session_id
    receipts: list[NoteReceipt] = []
    dreamer = SlowDreamer(lambda _: None)

    def late(point: str) -> None:
        if point == "sleep.sealed":
            receipts.append(add_note(_store(terrain), "The valve leaks.", author="codex"))

    faults.hook = late
    try:
        perform_sleep_dreaming(_store(terrain), dreamer, author="claude-code")
    finally:
        faults.hook = None

    (receipt,) = receipts
    assert receipt.passed == first and receipt.session_id != first
    store = _store(terrain)
    child = store.sessions.load(receipt.session_id)
    assert child.parent_session_id == first and [note.text for note in child.notes] == ["The valve leaks."]
    assert store.sessions.active() == child.session_id
    assert [note.text for note in store.sessions.load(first).notes] == ["The pump was primed."]


def test_the_command_tells_the_author_of_a_late_note_where_it_went(terrain: Terrain) -> None:
    first = terrain.tur("note", "The pump was primed.", "--json").json["session"]["id"]
    with _store(terrain).sessions.database(first) as database, database.writing():
        database.seal({})
    answer = terrain.run("note", "The valve leaks.")
    assert answer.code == 0 and f"Session {first} is sealed" in answer.out


def test_real_commands_of_several_agents_keep_every_note(terrain: Terrain) -> None:
    commands = [
        subprocess.Popen(
            [str(SCRIPTS / "tur"), "note", f"Milestone {number}.", "--as", f"agent-{number % 3}"],
            env=terrain.environment,
            cwd=terrain.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(8)
    ]
    for process in commands:
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
    (session_id,) = _store(terrain).sessions.ids()
    notes = _store(terrain).sessions.load(session_id).notes
    assert sorted(note.text for note in notes) == [f"Milestone {number}." for number in range(8)]
    assert [note.idx for note in notes] == list(range(1, 9)) and verify_chain(notes) is None
