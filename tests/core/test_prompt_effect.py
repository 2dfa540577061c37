"""The effect of a diff on the wake prompt: what is worked out for a moment is what `tur wake` printed then."""

import random
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.diff_ledger import END, START, entry
from tests.core.diff_store import PERSONA, World
from tests.scratch import Terrain, tree
from tur.model.audit import AuditEntry
from tur.model.memory import CoreType, Memory, MemoryType, Status
from tur.policy.prompt_effect import PromptEffect, PromptPart, around, left_out, merged, order_kept
from tur.service import prompt_effect as module
from tur.service.core_trust import core_trust
from tur.service.diff import DiffSelection, diff
from tur.service.evolve import evolve
from tur.service.learn import learn
from tur.service.prompt_effect import prompt_effect
from tur.service.wake import wake
from tur.stewardship.decide import approve, forget
from tur.stewardship.ledger import Steward
from tur.stewardship.review import review
from tur.store.store import Store

HOUR = timedelta(hours=1)
FIRST, SECOND, THIRD = (f"2026082{day}_100000_0000000{day}" for day in (1, 2, 3))


def effect_of(store: Store, selection: DiffSelection) -> PromptEffect:
    return prompt_effect(store, selection, diff(store, selection))


def woken(world: World, scratch: Path) -> dict[str, str]:
    """The sections of the prompt that a wake prints now, on a copy, since waking begins a session."""
    copy = World(scratch, world.now)
    shutil.copytree(world.folder, scratch, dirs_exist_ok=True)
    return {section.name: section.text for section in wake(copy.store(), author="pi").sections}


def live(world: World, rng: random.Random, session: str, start: datetime) -> None:
    """A few things happen to memories, an hour apart."""
    for step in range(12):
        at = start + step * HOUR
        world.now = at
        known, _ = world.store().memories.load_all()
        active = [one for one in known if one.status is Status.ACTIVE]
        if len(active) < 4 or rng.random() < 0.6:
            kind = rng.choice([MemoryType.FACT, MemoryType.INSIGHT, MemoryType.AXIOM, MemoryType.EVENT])
            world.learn(
                f"{session[:8]} step {step}: " + "word " * rng.randrange(1, 40), born=at, session=session, type=kind
            )
            continue
        gone = rng.choice(active)
        if rng.random() < 0.3:
            world.befall(gone, entry(at, session=session, verified=True))
        else:
            world.befall(gone, entry(at, Status.REFUTED, session=session, reason="not so"))
    world.now = start + 20 * HOUR


@pytest.mark.parametrize("seed", range(4))
def test_what_is_worked_out_for_a_moment_is_what_wake_printed_then(place: Path, seed: int) -> None:
    rng = random.Random(seed)
    world = World(place / "live", START)
    settings = "settings: {wake_budget: 150, half_life_days: {fact: 1, insight: null}}\n"
    file = world.home.persona_file(PERSONA)
    file.write_text(file.read_text(encoding="utf-8") + settings, encoding="utf-8")
    printed = []
    for number, session in enumerate((FIRST, SECOND, THIRD)):
        start = datetime.strptime(session[:15] + "+0000", "%Y%m%d_%H%M%S%z")
        live(world, rng, session, start)
        parent = (None, FIRST, SECOND)[number]
        world.session(session, parent=parent, started=start, ended=world.now)
        printed.append(woken(world, place / f"copy-{number}"))
    found = effect_of(world.store(), DiffSelection((FIRST, SECOND)))
    assert found.before is not None
    assert (found.before.memories, found.after.memories) == (printed[0]["memories"], printed[1]["memories"])
    assert "end of session" in found.caveats[0]
    found = effect_of(world.store(), DiffSelection((SECOND, THIRD)))
    assert found.before is not None
    assert (found.before.memories, found.after.memories) == (printed[1]["memories"], printed[2]["memories"])
    assert any(not choice.included for choice in found.after.choices)
    assert found.after.tokens <= found.budget
    assert "\n".join(part.text for part in found.after.parts) == found.after.memories.removeprefix("## Memories\n\n")


def test_the_present_end_is_the_prompt_to_the_byte(store: Store) -> None:
    old = learn(store, "The port is 80.", type=MemoryType.FACT, author="pi").memory
    first = wake(store, author="pi")
    selection = DiffSelection()
    learn(store, "The port is 81.", type=MemoryType.FACT, author="pi", supersedes=[old.id])
    found = effect_of(store, selection)
    second = {section.name: section.text for section in wake(store, author="pi").sections}
    assert found.after.memories == second["memories"]
    assert found.after.core == second["core"] == ""
    assert found.after.label == "now"
    assert found.before is not None
    assert found.before.memories == next(section.text for section in first.sections if section.name == "memories")
    assert [step.sign for step in found.steps] in (["-", "+"], ["+", "-"])


def staged(store: Store, principle: str, covenant: str) -> Memory:
    lived = learn(store, "I said so before I knew.", type=MemoryType.INSIGHT, author="pi").memory
    kind = CoreType.RELATIONAL_DISCOVERY
    return evolve(store, lived.id, type=kind, principle=principle, covenant=covenant, author="pi").memory


def decided(store: Store, memory: Memory) -> AuditEntry:
    return approve(store, review(store, memory.id), Steward("architect", ("test",))).entry


def test_a_core_memory_comes_with_its_approval_and_goes_when_it_is_forgotten(terrain: Terrain) -> None:
    store = terrain.store()
    core = staged(store, "Say what you do not know.", "I will not feign.")
    wake(store, author="pi")
    before = {section.name: section.text for section in wake(store, author="pi").sections}
    assert effect_of(store, DiffSelection(since="2020-01-01")).after.core == before["core"] == ""
    decided(store, core)
    after = {section.name: section.text for section in wake(store, author="pi").sections}
    found = effect_of(store, DiffSelection(since="2020-01-01"))
    assert found.after.core == after["core"] != ""
    assert ("+", core.id) in [(step.sign, step.part.subject) for step in found.steps]
    forget(store, core.id, Steward("architect", ("test",)), None)
    assert effect_of(store, DiffSelection(since="2020-01-01")).after.core == ""


def test_a_core_memory_without_an_approval_has_no_effect(store: Store, terrain: Terrain) -> None:
    core = staged(store, "Say it.", "I will.")
    path = store.memories.path_of(core.id)
    assert path is not None
    path.write_text(path.read_text(encoding="utf-8").replace("pending_approval", "active"), encoding="utf-8")
    assert core_trust(store).trusted == ()
    found = effect_of(store, DiffSelection(since="2020-01-01"))
    assert found.after.core == ""
    assert left_out(found.after, [core.id]) == [(core.id, None)]


def test_a_git_revision_is_compared_with_what_is_there_now(place: Path) -> None:
    world = World(place / "live", START)
    world.git("init", "-q")
    kept = world.learn("Kept.", born=START - HOUR)
    world.learn("Goes.", born=START - 2 * HOUR)
    world.commit()
    then = woken(world, place / "then")
    world.now = START + HOUR
    world.befall(kept, entry(START + HOUR, Status.REFUTED, session=None, reason="no"))
    world.learn("Comes.", born=START + HOUR)
    world.commit()
    middle = woken(world, place / "middle")
    world.now = START + 2 * HOUR
    world.learn("Comes later.", born=START + 2 * HOUR)
    found = effect_of(world.store(), DiffSelection(git="HEAD"))
    assert found.before is not None
    assert found.before.memories == middle["memories"]
    assert found.after.memories == woken(world, place / "now")["memories"]
    found = effect_of(world.store(), DiffSelection(git="HEAD~1..HEAD"))
    assert found.before is not None
    assert (found.before.memories, found.after.memories) == (then["memories"], middle["memories"])


def test_too_much_since_the_later_end_leaves_only_the_present(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(place / "live", END + 48 * HOUR)
    world.session(FIRST, started=START - 9 * HOUR, ended=START)
    world.session(SECOND, parent=FIRST, started=START, ended=END)
    for number in range(4):
        world.learn(f"Later {number}.", born=END + HOUR)
    monkeypatch.setattr(module, "MOST_SINCE", 3)
    found = effect_of(world.store(), DiffSelection((FIRST, SECOND)))
    assert found.before is None
    assert found.after.label == "now"
    assert found.after.memories == woken(world, place / "now")["memories"]
    assert "More than 3 memories changed since" in found.caveats[0]


def test_it_reads_no_more_files_than_wake_does(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(place / "live", END + 48 * HOUR)
    for number in range(300):
        world.learn(f"Fact {number}: " + "word " * 200, born=START, session=FIRST)
    world.session(FIRST, started=START - HOUR, ended=START)
    world.session(SECOND, parent=FIRST, started=END, ended=END + HOUR)
    world.learn("New.", born=END, session=SECOND)
    world.index()
    store = world.store()
    selection = DiffSelection((SECOND,))
    report = diff(store, selection)
    read: list[Path] = []
    plain = type(store.memories).read

    def counting(self: object, path: Path) -> Memory:
        read.append(path)
        return plain(self, path)  # type: ignore[arg-type]

    monkeypatch.setattr(type(store.memories), "read", counting)
    prompt_effect(store, selection, report)
    assert 0 < len(read) < 80


def test_it_writes_nothing(place: Path) -> None:
    world = World(place / "live", END + 48 * HOUR)
    world.learn("New.", born=END + HOUR)
    before = tree(place)
    effect_of(world.store(), DiffSelection(since="72h"))
    assert tree(place) == before


PARTS = st.lists(
    st.builds(PromptPart, st.sampled_from("abcdefgh"), st.sampled_from(["x", "y"])),
    unique_by=lambda part: part.subject,
)


@given(PARTS, PARTS)
def test_steps_lead_from_one_prompt_to_the_other(before: list[PromptPart], after: list[PromptPart]) -> None:
    steps = list(merged(before, after))
    assert [step.part for step in steps if step.sign != "+"] == before
    assert [step.part for step in steps if step.sign != "-"] == after
    staying = set(before) & set(after)
    if [one for one in before if one in staying] == [one for one in after if one in staying]:
        assert {step.part for step in steps if step.sign == " "} == staying


@given(PARTS, PARTS, st.sets(st.sampled_from("abcdefgh")))
def test_what_is_shown_of_a_change_holds_all_its_lines(
    before: list[PromptPart], after: list[PromptPart], subjects: set[str]
) -> None:
    steps = list(merged(before, after))
    shown = [step for step in around(steps, subjects) if step is not None]

    def own() -> Iterator[object]:
        return (step for step in steps if step.sign != " " and step.part.subject in subjects)

    assert [step for step in shown if step.sign != " " and step.part.subject in subjects] == list(own())
    assert len(shown) <= 3 * len(list(own()))


def test_a_text_that_changes_in_its_place_leaves_the_order_as_it_is() -> None:
    one, two, other = PromptPart("a", "x"), PromptPart("b", "x"), PromptPart("b", "y")
    assert order_kept([one, two], [one, other])
    assert not order_kept([one, two], [other, one])
    assert order_kept([one], [two])
