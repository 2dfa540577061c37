"""The Review pane by keys: other words, merging, marks and batches, and how none of them decides by accident."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.app_stores import (
    app_over,
    demo_store,
    empty_store,
    near_store,
    plain,
    press,
    settle,
    stage_core,
    three_store,
    type_in,
)
from tests.tui.test_app_flows import acts, drive, pending
from tur.ids import short_id
from tur.model.audit import Act
from tur.model.memory import Memory, Status
from tur.service.core_section import render_core_section
from tur.service.core_trust import audit_file, core_trust
from tur.service.learn import refute
from tur.stewardship.decide import approve, forget, reject
from tur.stewardship.ledger import Steward
from tur.stewardship.review import review
from tur.store.store import Store
from tur_tui.app import TurApp
from tur_tui.cli.review_text import review_text
from tur_tui.lines import line
from tur_tui.screens.pane import Pane
from tur_tui.screens.review import ReviewScreen
from tur_tui.widgets.safe_text import SafeInput
from tur_tui.widgets.typed_confirm import Dialog, ManifestConfirm

STEWARD = Steward("someone else")
SIZES = pytest.mark.parametrize("size", [(100, 30), (80, 24)], ids=["100x30", "80x24"])


def three(place: Path) -> tuple[Store, list[Memory]]:
    """Three unremarkable core memories that wait, in the order of the list."""
    store = three_store(place)
    return store, in_list_order(store)


def in_list_order(store: Store) -> list[Memory]:
    return sorted(pending(store), key=lambda one: (one.timestamp, one.id))


async def clear(pilot: Pilot[None], field: str) -> None:
    entry = pilot.app.screen.query_one(f"#{field}", SafeInput)
    entry.value = ""
    await settle(pilot)


async def see(pilot: Pilot[None], size: tuple[int, int]) -> None:
    """Read the evidence of the entry under the cursor to its end, and go back to the list."""
    if size[0] < 90:
        await press(pilot, "enter", *["space"] * 8, "escape")
    else:
        await press(pilot, *["space"] * 8)


# -- what the evidence says ------------------------------------------------------------------------


def test_the_evidence_shows_the_section_in_place_and_what_is_near(place: Path) -> None:
    store, old, new = near_store(place)
    before = len(render_core_section(core_trust(store).trusted).encode())

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3")
        pane = app.screen
        assert isinstance(pane, ReviewScreen)
        told = pane.evidence.plain
        assert f"core section {before:,} -> " in told
        assert "+ │ ### Core Principle: Say what was not tested before what was." in told
        assert "lines as before" in told
        assert "│ * **Ethical Covenant:** The Architect never finds out alone." in told
        assert f"overlaps concept-{old.id[:8]}: merge the two instead of adding a second" in told
        assert "[-done-]{+tested+}" in told

    drive(store, flow)
    assert status(store, new) is Status.PENDING_APPROVAL


def test_the_evidence_says_when_what_it_was_made_of_is_no_longer_in_force(place: Path) -> None:
    store = empty_store(place)
    core = stage_core(store, "Ask first.", "I ask.")
    lived = core.links[0].hash or ""
    assert review(store, core.id).outlived == []
    refute(store, lived, "It was a misunderstanding.", author="pi")
    told = review_text(review(store, core.id))
    assert f"Mind: {short_id(lived)}, which it was made of, is refuted" in told

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3")
        pane = app.screen
        assert isinstance(pane, ReviewScreen)
        assert f"evidence no longer in force 1\n    {short_id(lived)} (refuted)" in pane.evidence.plain

    drive(store, flow)


def status(store: Store, memory: Memory) -> Status:
    return store.memories.get(memory.id).status


@pytest.mark.parametrize(
    ("principle", "told"),
    [
        ("Say what was not done before what was!", "says the same as concept-{}: reject it"),
        ("Say what was not done after what was.", "contradicts concept-{}: “after” against “before”"),
    ],
    ids=["same", "contrary"],
)
def test_the_evidence_names_what_is_said_twice_and_what_contradicts(place: Path, principle: str, told: str) -> None:
    store, old, new = near_store(place)
    reject(store, review(store, new.id), STEWARD, "not this one")
    stage_core(store, principle, "The Architect never finds out alone.")

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3")
        assert isinstance(app.screen, ReviewScreen)
        assert told.format(old.id[:8]) in app.screen.evidence.plain

    drive(store, flow)


# -- in other words -----------------------------------------------------------------------------------


@SIZES
def test_other_words_take_the_place_of_the_pending_ones_and_are_not_approved(
    place: Path, size: tuple[int, int]
) -> None:
    store, (first, *_) = three(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "E")
        await clear(pilot, "principle")
        await type_in(pilot, "Name what is missing first")
        await type_in(pilot, " Always")
        assert "Reworded as" in plain(pilot)
        pane = app.screen
        assert isinstance(pane, ReviewScreen)
        assert pane.entries.current == made(store).id

    drive(store, flow, size)
    new = made(store)
    assert new.core is not None and first.core is not None
    assert new.core.derived_principle == "Name what is missing first"
    assert new.core.ethical_covenant == first.core.ethical_covenant + " Always"
    assert (new.status, new.author) == (Status.PENDING_APPROVAL, "architect")
    assert status(store, first) is Status.REJECTED
    assert acts(store) == [Act.REJECT]
    assert core_trust(store).trusted == ()


def made(store: Store) -> Memory:
    (found,) = [one for one in store.memories.load_all()[0] if one.author == "architect"]
    return found


@pytest.mark.parametrize(
    "keys",
    [
        ["enter", "enter", "enter", "escape"],
        ["escape"],
        ["x", "escape"],
        ["x", "backspace", "enter", "enter", "escape"],
    ],
    ids=["bare-enter", "escape", "typed-and-left", "typed-and-taken-back"],
)
def test_unchanged_words_and_escape_do_nothing(place: Path, keys: list[str]) -> None:
    store, _ = three(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "E", *keys)
        assert isinstance(app.screen, Pane)

    drive(store, flow)
    assert acts(store) == []
    assert len(store.memories.ids()) == 6


def test_words_that_cannot_be_taken_are_refused_in_the_dialog(place: Path) -> None:
    store, _ = three(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "E")
        await clear(pilot, "principle")
        await press(pilot, "enter", "enter")
        assert "a principle is empty" in plain(pilot)
        app.screen.query_one("#principle", SafeInput).value = "x" * 2_001
        await press(pilot, "enter")
        assert "too long" in plain(pilot)
        await press(pilot, "escape")

    drive(store, flow)
    assert acts(store) == []


@pytest.mark.parametrize(
    ("principle", "written"),
    [("Ask\u202e first.", "Ask<U+202E> first."), ("Ask fir\u0455t.", "Ask fir<U+0455>t.")],
    ids=["hidden", "look-alike"],
)
def test_what_a_reader_does_not_see_is_written_out_and_must_be_taken_out(
    place: Path, principle: str, written: str
) -> None:
    store = empty_store(place)
    stage_core(store, principle, "I ask.")

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "E")
        field = app.screen.query_one("#principle", SafeInput)
        assert field.value == written
        field.value = written.replace(".", ", always.")
        await press(pilot, "enter", "enter")
        assert f"Take out {written[written.index('<') : written.index('>') + 1]}" in plain(pilot)
        field.value = "Ask first, always."
        await press(pilot, "enter")

    drive(store, flow)
    assert review(store, made(store).id).blocked == []


# -- as one with an approved one ------------------------------------------------------------------------


@SIZES
def test_merge_stages_one_memory_and_approving_it_retires_the_approved_one(place: Path, size: tuple[int, int]) -> None:
    store, old, new = near_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "m")
        assert old.id[:8] in plain(pilot)
        assert new.id[:8] in plain(pilot)
        app.screen.query_one("#principle", SafeInput).value = "Say what was neither done nor tested."
        await press(pilot, "enter", "enter")
        assert "Merged into" in plain(pilot)
        merged = made(store)
        assert [one.id for one in core_trust(store).trusted] == [old.id]
        pane = app.screen
        assert isinstance(pane, ReviewScreen)
        assert pane.entries.current == merged.id
        assert f"approving it retires concept-{old.id[:8]}" in pane.evidence.plain
        assert " - │ ### Core Principle: Say what was not done before what was." in pane.evidence.plain
        await see(pilot, size)
        await press(pilot, "a")
        assert f"retires concept-{old.id[:8]}" in plain(pilot)
        await type_in(pilot, merged.id[:8])
        assert "Retired" in plain(pilot)
        await press(pilot, "u")
        assert "cannot be undone" in plain(pilot)

    drive(store, flow, size)
    assert [one.id for one in core_trust(store).trusted] == [made(store).id]
    assert status(store, old) is Status.MERGED
    assert status(store, new) is Status.REJECTED
    assert acts(store) == [Act.APPROVE, Act.REJECT, Act.APPROVE, Act.MERGE]


def test_of_several_near_ones_a_number_says_which(place: Path) -> None:
    store, old, _ = near_store(place)
    other = stage_core(store, "Keep each change as small as it can be.", "I split what can be split.")
    approve(store, review(store, other.id), STEWARD)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "m", "enter")
        await type_in(pilot, "3")
        assert "no such number" in plain(pilot)
        await press(pilot, "backspace")
        await type_in(pilot, "2")
        assert f"approved concept-{other.id[:8]}" in plain(pilot)
        await press(pilot, "enter", "enter")
        assert "Nothing was changed in it" in plain(pilot)
        app.screen.query_one("#covenant", SafeInput).value = "I split it and say so."
        await press(pilot, "enter")

    drive(store, flow)
    assert made(store).links[0].hash == other.id
    assert {one.id for one in core_trust(store).trusted} == {old.id, other.id}


def test_without_an_approved_memory_there_is_nothing_to_merge_with(place: Path) -> None:
    store, _ = three(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "m")
        assert "No core memory is approved yet" in plain(pilot)
        assert isinstance(app.screen, Pane)

    drive(store, flow)


def test_a_merged_memory_is_restored_in_the_memories_pane_once_its_successor_is_forgotten(place: Path) -> None:
    store, old, new = near_store(place)
    app = app_over(store)
    merged = app.desk.merge(app.desk.review(new.id), old.id, "Say what was neither done nor tested.", "I do.").memory
    app.desk.approve(app.desk.review(merged.id))

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        app.open_memory(old.id)
        await settle(pilot)
        await press(pilot, *["space"] * 6, "R")
        await type_in(pilot, old.id[:8])
        assert "forget that one first" in plain(pilot)
        forget(store, merged.id, STEWARD)
        await settle(pilot)
        await press(pilot, *["space"] * 6, "R")
        await type_in(pilot, old.id[:8])

    drive(store, flow, (160, 30))
    assert [one.id for one in core_trust(store).trusted] == [old.id]


# -- several at once --------------------------------------------------------------------------------------


@SIZES
def test_a_batch_needs_marks_reading_and_its_words(place: Path, size: tuple[int, int]) -> None:
    store, cores = three(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3")
        for _ in range(2):
            await see(pilot, size)
            await press(pilot, "v", "j")
        await press(pilot, "v")
        assert "marked 3" in plain(pilot)
        assert " *" in plain(pilot)
        await press(pilot, "a")
        assert f"Stops at concept-{cores[2].id[:8]}: it was not on screen to its end." in plain(pilot)
        await type_in(pilot, "approve 3")
        assert acts(store) == []
        await press(pilot, "escape")
        await see(pilot, size)
        await press(pilot, "a")
        assert "core section 0 -> " in plain(pilot)
        await press(pilot, "enter", "pagedown")
        assert all(one.id[:8] in plain(pilot) for one in cores)
        await type_in(pilot, "approve 2")
        await type_in(pilot, "")
        assert acts(store) == []
        app.screen.query_one("#typed", SafeInput).value = ""
        await type_in(pilot, "approve 3")
        assert "Approved 3" in plain(pilot)
        assert "marked" not in plain(pilot)

    drive(store, flow, size)
    assert [one.id for one in core_trust(store).trusted] == [one.id for one in cores]
    assert acts(store) == [Act.APPROVE] * 3


def test_a_list_longer_than_the_screen_must_be_read_to_its_end(place: Path) -> None:
    store, _ = three(place)
    told = [line(f"entry {number}") for number in range(40)]
    answers: list[str | None] = []

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        app.push_screen(ManifestConfirm("Many", told, token="approve 40", what="approve these"), answers.append)
        await settle(pilot)
        assert "pgdn and pgup scroll" in plain(pilot)
        await type_in(pilot, "approve 40")
        assert "Read the list to its end first" in plain(pilot)
        assert answers == []
        await press(pilot, *["pagedown"] * 6, "enter")
        assert answers == ["approve 40"]

    drive(store, flow, (80, 24))


@pytest.mark.parametrize("key", ["a", "r", "m", "E"])
def test_with_the_longest_words_every_dialog_keeps_its_fields_on_screen(place: Path, key: str) -> None:
    store = empty_store(place)
    long = "Say what was not done before saying what was done. " * 39
    approve(store, review(store, stage_core(store, f"Always: {long}"[:2_000], long[:2_000]).id), STEWARD)
    stage_core(store, f"Often: {long}"[:2_000], long[:2_000])

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "enter", *["space"] * 24, key)
        dialog = app.screen
        assert isinstance(dialog, Dialog)
        box = dialog.query_one("#dialog").region
        for field in dialog.query(SafeInput):
            assert field.region.height == 3
            assert box.contains_region(field.region)
        assert dialog.region.contains_region(box)

    drive(store, flow, (80, 24))


def test_a_batch_stops_at_what_reads_like_an_order(place: Path) -> None:
    store = demo_store(place)
    flagged = pending(store)[1]

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", *["space"] * 8, "v", "j", *["space"] * 8, "v", "a")
        assert f"Stops at concept-{flagged.id[:8]}" in plain(pilot)
        await type_in(pilot, "approve 2")
        await press(pilot, "escape")

    drive(store, flow)
    assert acts(store) == []


def test_a_batch_that_fails_half_way_says_what_was_done_and_what_was_not(place: Path) -> None:
    store, cores = three(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3")
        for _ in cores:
            await press(pilot, *["space"] * 8, "v", "j")
        await press(pilot, "a")
        reject(store, review(store, cores[1].id), STEWARD, "mine first")
        await type_in(pilot, "approve 3")
        told = " ".join(plain(pilot).split())
        assert (
            f"Approved 1 of 3 ({cores[0].id[:8]}); not tried: {cores[2].id[:8]}; stopped at {cores[1].id[:8]}" in told
        )
        assert "marked 1" in told

    drive(store, flow, (140, 30))
    assert [one.id for one in core_trust(store).trusted] == [cores[0].id]
    assert [status(store, one) for one in cores] == [Status.ACTIVE, Status.REJECTED, Status.PENDING_APPROVAL]


def test_what_changed_after_it_was_seen_is_not_approved_with_others(place: Path) -> None:
    store, cores = three(place)
    path = store.memories.path_of(cores[0].id)
    assert path is not None

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", *["space"] * 8, "v", "j", *["space"] * 8, "v")
        path.write_text(path.read_text(encoding="utf-8").replace("title:", "remark: x\ntitle:"), encoding="utf-8")
        await press(pilot, "a")
        assert "changed since it was on screen" in plain(pilot)
        await type_in(pilot, "approve 2")

    drive(store, flow)
    assert acts(store) == []


def test_marked_ones_are_rejected_with_one_reason(place: Path) -> None:
    store, cores = three(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "v", "j", "j", "v", "r", "enter")
        assert "2 marked" in plain(pilot)
        assert acts(store) == []
        await type_in(pilot, "2")
        assert "Rejected 2" in plain(pilot)

    drive(store, flow)
    assert [status(store, one) for one in cores] == [Status.REJECTED, Status.PENDING_APPROVAL, Status.REJECTED]
    assert [one.reason for one in audit_file(store).read().entries] == ["stale", "stale"]


def test_a_range_is_marked_from_the_last_mark_to_the_cursor(place: Path) -> None:
    store, _ = three(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "V")
        assert "marked 1" in plain(pilot)
        await press(pilot, "G", "V")
        assert "marked 3" in plain(pilot)
        await press(pilot, "v")
        assert "marked 2" in plain(pilot)

    drive(store, flow)
    assert acts(store) == []


def test_marks_go_with_escape_with_their_memory_and_with_a_second_v(place: Path) -> None:
    store, cores = three(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "v", "j", "v")
        assert "marked 2" in plain(pilot)
        await press(pilot, "v")
        assert "marked 1" in plain(pilot)
        reject(store, review(store, cores[0].id), STEWARD, "no")
        app.look_again()
        await pilot.pause(0.6)
        await settle(pilot)
        assert "marked" not in plain(pilot)
        await press(pilot, "v", "slash")
        await type_in(pilot, "e")
        assert "marked 1" in plain(pilot)
        await press(pilot, "escape")
        assert "marked" not in plain(pilot)
        assert "/e" in plain(pilot) or app.screen.words == "e"  # type: ignore[attr-defined]

    drive(store, flow)


def test_no_single_key_and_no_click_approves_what_is_marked(place: Path) -> None:
    store, _ = three(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3")
        for _ in range(3):
            await press(pilot, *["space"] * 8, "v", "j")
        await press(pilot, "a", *["enter"] * 4)
        for x in range(20, 80, 10):
            for y in range(6, 26, 2):
                await pilot.click(offset=(x, y))
        await press(pilot, "enter", "y", "enter", "escape")

    drive(store, flow)
    assert acts(store) == []


# -- inside of a harness -----------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [["E"], ["m"], ["v", "a"], ["v", "r"]], ids=["edit", "merge", "approve", "reject"])
def test_inside_an_agents_harness_no_dialog_opens(place: Path, keys: list[str]) -> None:
    store, _, _ = near_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        app.harness = ("CLAUDECODE", "Claude Code")
        await press(pilot, "3", *["space"] * 8, *keys)
        assert "for a human" in plain(pilot)
        assert isinstance(app.screen, Pane)

    drive(store, flow)
    assert acts(store) == [Act.APPROVE]


def test_the_app_takes_back_only_what_it_showed(place: Path) -> None:
    store, cores = three(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "r")
        await type_in(pilot, "wrong")
        await press(pilot, "u")
        reject(store, review(store, cores[1].id), STEWARD, "mine")
        await type_in(pilot, "undo")
        assert "no longer the last decision" in plain(pilot)

    drive(store, flow, (140, 30))
    assert acts(store) == [Act.REJECT, Act.REJECT]
