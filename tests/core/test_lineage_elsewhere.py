"""Evidence of a memory in the home that lies in another terrain: not damage, and no excuse for what is damaged here."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from tests.scratch import NOW, Terrain
from tur.clock import FixedClock
from tur.errors import Refused
from tur.model.audit import Act
from tur.model.memory import CoreType, Memory, Scope
from tur.paths import HomePaths
from tur.service.evolve import evolve
from tur.service.learn import learn
from tur.service.setup import set_up
from tur.service.show import lineage_of
from tur.service.verify import verify_store
from tur.stewardship.decide import approve
from tur.stewardship.ledger import Steward
from tur.stewardship.restage import reword
from tur.stewardship.review import review
from tur.store.store import Store
from tur.store.tombstones import tombstone_of, write_tombstone
from tur_tui.cli.review_text import review_text
from tur_tui.compose import Stewardship
from tur_tui.reading.review import review_detail

STEWARD = Steward("architect")
ABOUT = (CoreType.RELATIONAL_DISCOVERY, "Say what you do not know.", "I will never feign certainty.")


def stage(store: Store, source: str) -> Memory:
    kind, principle, covenant = ABOUT
    return evolve(store, source, type=kind, principle=principle, covenant=covenant, author="pi").memory


def from_a_memory(store: Store) -> Memory:
    store.sessions.begin()
    return stage(store, learn(store, "The Architect asked me to admit doubt.", author="pi").memory.id)


def from_a_note(store: Store) -> Memory:
    session_id, note, _ = store.sessions.add_note("pi", "We spoke plainly, and it helped.")
    return stage(store, f"tur://session/{session_id}#note-{note.idx}")


def neighbour(terrain: Terrain, name: str = "neighbour") -> Store:
    """The store of a new terrain with the same home, in which a session has begun."""
    folder = terrain.folder.parent / name
    folder.mkdir()
    set_up(HomePaths(terrain.home), FixedClock(NOW), folder)
    # Another hour, so that the clock of the tests gives its session another name.
    store = Terrain(folder, terrain.home, terrain.environment, FixedClock(NOW + timedelta(hours=1))).store()
    store.sessions.add_note("pi", "Work on something else.")
    return store


def findings(store: Store) -> list[str]:
    return [one.code for one in verify_store(store)]


@pytest.mark.parametrize("stage_one", [from_a_memory, from_a_note])
def test_evidence_in_another_terrain_is_no_finding_and_is_said_to_be_unchecked(
    terrain: Terrain, stage_one: Callable[[Store], Memory]
) -> None:
    memory = stage_one(terrain.store())
    there = neighbour(terrain)
    (step,) = lineage_of(there, memory)
    assert step.elsewhere and step.missing == "not in this project: it cannot be checked here"
    assert verify_store(there) == [] == verify_store(terrain.store())
    told = review_text(review(there, memory.id))
    assert "(not checked)" in told and "not in this project: it cannot be checked here" in told
    assert "not found" not in told
    page = "\n".join(one.plain for one in review_detail(Stewardship(there, "architect"), memory.id).lines)
    assert "broken lineage 0" in page and "lineage not in this project 1: it cannot be checked here" in page


def test_what_is_merely_reworded_in_another_terrain_is_no_finding_either(terrain: Terrain) -> None:
    memory = from_a_memory(terrain.store())
    there = neighbour(terrain)
    reword(there, review(there, memory.id), STEWARD, "Say what you doubt.", "I will never feign certainty.")
    assert verify_store(there) == [] == verify_store(terrain.store())


def test_what_is_here_and_was_changed_is_a_finding_and_blocks_approval(terrain: Terrain) -> None:
    store = terrain.store()
    memory = from_a_memory(store)
    link = memory.links[0]
    path = store.home.memories(store.persona_id) / f"{memory.id}.md"
    path.write_text(path.read_text().replace(f"hash: {link.hash}}}", f"hash: {'0' * 64}}}"))
    assert "lineage" in findings(store)
    assert any(one.startswith("what it rests on has changed") for one in review(store, memory.id).blocked)
    with pytest.raises(Refused):
        approve(store, review(store, memory.id), STEWARD)


@pytest.mark.parametrize("stage_one", [from_a_memory, from_a_note])
def test_evidence_lost_from_its_own_terrain_is_a_finding(
    terrain: Terrain, stage_one: Callable[[Store], Memory]
) -> None:
    store = terrain.store()
    memory = stage_one(store)
    shutil.rmtree(store.terrain.sessions if stage_one is from_a_note else store.terrain.memories(store.persona_id))
    assert store.sessions.active() == memory.session
    assert "lineage" in findings(store)
    assert not lineage_of(store, memory)[0].elsewhere


def test_a_later_session_a_tombstone_or_a_local_memory_tells_that_evidence_was_here(terrain: Terrain) -> None:
    store = terrain.store()
    memory = from_a_note(store)
    assert memory.session is not None
    store.sessions.project(memory.session)
    stone = tombstone_of(store.sessions.load(memory.session), store.clock.now(), "it was long ago")
    shutil.rmtree(store.terrain.sessions)
    store.terrain.timeline(store.persona_id, memory.session).unlink()
    store.terrain.state.write_text(f"persona: {store.persona_id}\n")
    assert lineage_of(store, memory)[0].elsewhere

    local = learn(store, "A lesson of that session.", author="pi").memory
    path = store.memories.path_of(local.id)
    assert path is not None
    text = path.read_text()
    path.write_text(text.replace("---\n", f"---\nsession: {memory.session}\n", 1))
    assert not lineage_of(store, memory)[0].elsewhere
    path.write_text(f"{text}\nIt is no trace that a text speaks of {memory.session}.\n")
    assert lineage_of(store, memory)[0].elsewhere

    heir, _, _ = store.sessions.add_note("pi", "The next day.")
    with store.sessions.database(heir) as database, database.writing():
        database.set_meta({"parent_session_id": memory.session})
    assert not lineage_of(store, memory)[0].elsewhere
    store.sessions.project(heir)
    shutil.rmtree(store.terrain.sessions)
    assert not lineage_of(store, memory)[0].elsewhere
    store.terrain.timeline(store.persona_id, heir).unlink()

    write_tombstone(store.terrain, store.persona_id, stone)
    assert lineage_of(store, memory)[0].missing == "pruned on 2026-09-18"


def test_evidence_in_quarantine_or_behind_a_broken_link_was_here(terrain: Terrain) -> None:
    memory = from_a_memory(terrain.store())
    there, evidence = neighbour(terrain), memory.links[0].uri.removeprefix("tur://memory/")
    aside = there.terrain.root / "quarantine" / "20260918T120000Z-unreadable-memory-0123abcd"
    aside.mkdir(parents=True)
    assert lineage_of(there, memory)[0].elsewhere
    (aside / f"{evidence}.md").write_text("half")
    assert not lineage_of(there, memory)[0].elsewhere
    shutil.rmtree(aside)
    folder = there.memories.folder(Scope.INCARNATION)
    folder.mkdir(parents=True)
    (folder / f"{evidence}.md").symlink_to(folder / "nowhere.md")
    assert not lineage_of(there, memory)[0].elsewhere


def test_a_core_memory_lost_from_the_home_is_a_finding_everywhere(terrain: Terrain) -> None:
    store = terrain.store()
    memory = from_a_memory(store)
    again = reword(store, review(store, memory.id), STEWARD, "Say what you doubt.", "I will never feign certainty.")
    assert again.decision.entry.act is Act.REJECT
    there = neighbour(terrain)
    lost = there.memories.path_of(memory.id)
    assert lost is not None
    lost.unlink()
    assert "lineage" in findings(there)


def test_a_memory_that_came_with_the_terrain_has_its_evidence_there_or_nowhere(terrain: Terrain) -> None:
    memory = from_a_memory(terrain.store())
    there = neighbour(terrain)
    home = there.memories.path_of(memory.id)
    assert home is not None
    planted = there.memories.folder(Scope.INCARNATION) / home.name
    planted.parent.mkdir(parents=True)
    Path(home).rename(planted)
    assert "lineage" in findings(there)
    assert not lineage_of(there, memory)[0].elsewhere
