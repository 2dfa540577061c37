"""What a human does by keys, seen in the store: decisions, prune, restore, and how they must not happen."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.app_stores import (
    NOON,
    app_over,
    demo_store,
    empty_store,
    full_store,
    opened,
    plain,
    press,
    settle,
    type_in,
)
from tur.clock import FixedClock
from tur.ids import note_uri
from tur.model.audit import Act
from tur.model.memory import CoreType, Memory, MemoryType, Status
from tur.policy.retention import RetentionPolicy
from tur.service.core_trust import audit_file, core_trust
from tur.service.evolve import evolve
from tur.service.learn import learn
from tur.service.notes import add_note
from tur.service.setup import set_up
from tur.store.store import Store, open_store
from tur_tui.app import TurApp
from tur_tui.compose import SessionKeeping, Stewardship
from tur_tui.screens.pane import Pane

Flow = Callable[[Pilot[None], TurApp], Awaitable[None]]


def drive(store: Store, flow: Flow, size: tuple[int, int] = (100, 30)) -> None:
    """Run the app over the store and a flow in it."""
    app = app_over(store)

    async def run() -> None:
        async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
            await settle(pilot)
            await flow(pilot, app)

    asyncio.run(run())


def pending(store: Store) -> list[Memory]:
    memories, _ = store.memories.load_all()
    found = [one for one in memories if one.type is MemoryType.CORE and one.status is Status.PENDING_APPROVAL]
    return sorted(found, key=lambda one: one.timestamp)


def acts(store: Store) -> list[Act]:
    return [entry.act for entry in audit_file(store).read().entries]


async def read_all(pilot: Pilot[None]) -> None:
    await press(pilot, "3", *["space"] * 4)


@pytest.mark.parametrize("size", [(100, 30), (80, 24)], ids=["100x30", "80x24"])
def test_approve_by_typing_the_id(place: Path, size: tuple[int, int]) -> None:
    store = demo_store(place)
    wanted = pending(store)[0]

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3")
        if size[0] < 90:
            await press(pilot, "enter")
        await press(pilot, *["space"] * 4, "a")
        await type_in(pilot, wanted.id[:8])
        assert "Approved" in plain(pilot)

    drive(store, flow, size)
    assert store.memories.get(wanted.id).status is Status.ACTIVE
    assert acts(store) == [Act.APPROVE]
    assert [one.id for one in core_trust(store).trusted] == [wanted.id]


def test_nothing_is_approved_before_all_of_it_was_on_screen(place: Path) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "a")
        assert "Not yet" in plain(pilot)
        assert isinstance(app.screen, Pane)

    drive(store, flow, (80, 24))
    assert acts(store) == []


@pytest.mark.parametrize(
    "typed", ["", "00000000", "y", "yes", "approve"], ids=["enter", "other-id", "y", "yes", "word"]
)
def test_only_the_id_approves(place: Path, typed: str) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await read_all(pilot)
        await press(pilot, "a")
        await type_in(pilot, typed)
        await press(pilot, "enter", "enter", "escape")

    drive(store, flow)
    assert acts(store) == []
    assert len(pending(store)) == 2


def test_what_reads_like_an_order_needs_the_word_too(place: Path) -> None:
    store = demo_store(place)
    flagged = pending(store)[1]

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "j", *["space"] * 5, "a")
        await type_in(pilot, flagged.id[:8])
        assert acts(store) == []
        for _ in range(8):
            await pilot.press("backspace")
        await type_in(pilot, f"APPROVE {flagged.id[:8]}")

    drive(store, flow)
    assert store.memories.get(flagged.id).status is Status.ACTIVE


def test_reject_with_a_reason_and_take_it_back(place: Path) -> None:
    store = demo_store(place)
    wanted = pending(store)[0]

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "r")
        await type_in(pilot, "4")
        assert store.memories.get(wanted.id).status is Status.REJECTED
        assert store.memories.get(wanted.id).lifecycle[-1].reason == "unsafe"
        await press(pilot, "u")
        await type_in(pilot, "undo")
        assert "Took back" in plain(pilot)

    drive(store, flow)
    assert store.memories.get(wanted.id).status is Status.PENDING_APPROVAL
    assert acts(store) == [Act.REJECT, Act.UNDO]


def test_a_reject_without_reason_does_nothing(place: Path) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "r", "enter", "escape")

    drive(store, flow)
    assert acts(store) == []


def test_undo_needs_its_word(place: Path) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "r")
        await type_in(pilot, "wrong")
        await press(pilot, "u", "enter", "u", "enter", "escape")

    drive(store, flow)
    assert acts(store) == [Act.REJECT]


def test_a_file_that_changed_under_review_is_not_approved(place: Path) -> None:
    store = demo_store(place)
    wanted = pending(store)[0]
    path = store.memories.path_of(wanted.id)
    assert path is not None

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await read_all(pilot)
        await press(pilot, "a")
        path.write_text(path.read_text(encoding="utf-8").replace("skipped", "run"), encoding="utf-8")
        await type_in(pilot, wanted.id[:8])
        assert "changed between showing and deciding" in plain(pilot)

    drive(store, flow)
    assert acts(store) == []
    assert core_trust(store).trusted == ()


def test_the_steward_key_asks_for_its_passphrase(place: Path) -> None:
    store = demo_store(place)
    wanted = pending(store)[0]

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        app.desk.init_key("four unrelated words")
        await settle(pilot)
        await read_all(pilot)
        await press(pilot, "a")
        await type_in(pilot, wanted.id[:8])
        await type_in(pilot, "not it at all")
        assert "does not open" in plain(pilot)
        assert store.memories.get(wanted.id).status is Status.PENDING_APPROVAL
        await press(pilot, "a")
        await type_in(pilot, wanted.id[:8])
        await type_in(pilot, "four unrelated words")

    drive(store, flow)
    assert store.memories.get(wanted.id).status is Status.ACTIVE
    assert audit_file(store).read().entries[-1].signature is not None


@pytest.mark.parametrize(
    "keys",
    [("3", *["space"] * 8, "a"), ("3", "r"), ("u",), ("4", "n", "1", "enter", "x"), ("5", "j", "j", "f")],
    ids=["approve", "reject", "undo", "prune", "forget"],
)
def test_inside_an_agents_harness_nothing_is_asked_so_nothing_is_decided(place: Path, keys: tuple[str, ...]) -> None:
    store = demo_store(place)
    desk = Stewardship(store, "architect")
    desk.reject(desk.review(pending(store)[-1].id), "unsafe")

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        app.harness = ("CLAUDECODE", "Claude Code")
        await press(pilot, *keys)
        await settle(pilot)
        assert "for a human" in plain(pilot)
        assert isinstance(app.screen, Pane)

    drive(store, flow)
    assert acts(store) == [Act.REJECT]


def test_space_brings_the_evidence_up_where_there_is_room_for_one_part_alone(place: Path) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "a")
        assert "Space or J scrolls on to the end." in plain(pilot)
        await press(pilot, "space")
        assert "If approved the agent will read exactly this" in plain(pilot)
        await press(pilot, *["space"] * 6, "a")
        assert not isinstance(app.screen, Pane)

    drive(demo_store(place), flow, (80, 24))


def test_where_there_is_no_room_for_a_question_none_is_asked(place: Path) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", *["space"] * 8)
        await pilot.resize_terminal(40, 12)
        await settle(pilot)
        await press(pilot, "a")
        assert isinstance(app.screen, Pane)
        assert "Too small" in plain(pilot)

    drive(demo_store(place), flow)


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_a_dialog_is_left_by_escape_or_ctrl_c_and_the_app_from_it_by_ctrl_q(place: Path, key: str) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", "r")
        assert not isinstance(app.screen, Pane)
        await press(pilot, key)
        assert isinstance(app.screen, Pane)
        await press(pilot, "ctrl+c")
        assert "q leaves the app." in plain(pilot)
        await press(pilot, "r")
        await pilot.press("ctrl+q")
        assert not app.is_running or app._exit

    drive(demo_store(place), flow)


def test_what_a_pane_said_is_not_left_standing_on_the_next(place: Path) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "4", "R")
        assert "The archive. R brings" in plain(pilot)
        await press(pilot, "5")
        assert "The archive. R brings" not in plain(pilot)
        await press(pilot, "4", "escape")
        assert "The archive. R brings" not in plain(pilot)

    drive(demo_store(place), flow)


def test_the_keys_scroll_in_help_while_its_filter_has_the_focus(place: Path) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "?")
        assert "In a text" not in plain(pilot)
        await press(pilot, "pagedown")
        assert "In a text" in plain(pilot)

    drive(demo_store(place), flow, (80, 24))


@pytest.mark.parametrize(("pane", "title"), [("1", "Sessions"), ("3", "Pending"), ("5", "Memories"), ("6", "Acts")])
def test_a_filter_is_told_over_its_list_until_escape_clears_it(place: Path, pane: str, title: str) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, pane, "/")
        await type_in(pilot, "zebra quagga")
        assert f"{title}, filter: zebra quagga" in plain(pilot)
        assert "Press escape to clear it." in plain(pilot)
        await press(pilot, "escape")
        assert "filter:" not in plain(pilot)

    drive(demo_store(place), flow)


def test_escape_clears_the_type_and_the_status_too(place: Path) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "5", "t", "s")
        assert "Memories, filter: fact, pending_approval" in plain(pilot)
        assert "Nothing here answers to the filter." in plain(pilot)
        await press(pilot, "escape")
        assert "filter:" not in plain(pilot)
        assert "10 of 10 memories" in plain(pilot)

    drive(demo_store(place), flow, (140, 30))


def live(store: Store) -> list[str]:
    return sorted(path.stem for path in store.terrain.timelines(store.persona_id).glob("*.yaml"))


def test_prune_by_typing_the_count_and_restore(place: Path) -> None:
    store = demo_store(place)
    before = live(store)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "4", "n", "1", "enter")
        assert "2 of 4 sessions go" in plain(pilot)
        assert live(store) == before
        await press(pilot, "x")
        await type_in(pilot, "3")
        assert live(store) == before
        await press(pilot, "escape", "x")
        await type_in(pilot, "2")
        assert "Archived 2 sessions" in plain(pilot)
        assert len(live(store)) == len(before) - 2
        await press(pilot, "R", "R")
        await type_in(pilot, before[1][-8:])
        assert before[1] in live(store)

    drive(store, flow)
    assert Act.PRUNE in acts(store)


def test_a_plan_is_not_run_for_another_rule_than_the_one_shown(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "4", "n", "1", "enter")
        monkeypatch.setattr("tur_tui.screens.prune.DEBOUNCE", 600)
        await press(pilot, "m", "x")
        assert isinstance(app.screen, Pane)
        assert "still being made" in plain(pilot)

    drive(store, flow)
    assert len(live(store)) == 4


def test_a_bare_enter_prunes_nothing(place: Path) -> None:
    store = demo_store(place)
    before = live(store)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "4", "n", "1", "enter", "x", "enter", "enter", "escape")

    drive(store, flow)
    assert live(store) == before


def test_deleting_takes_the_word_and_leaves_tombstones(place: Path) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "4", "n", "1", "enter", "m", "x")
        await type_in(pilot, "2")
        assert len(live(store)) == 4
        for _ in range(2):
            await pilot.press("backspace")
        await type_in(pilot, "delete 2")

    drive(store, flow)
    assert len(list(store.terrain.archive(store.persona_id).glob("*.tombstone.yaml"))) == 2


def test_a_plan_says_what_the_prompt_loses(place: Path) -> None:
    before = live(demo_store(place))
    store = opened(place / "story", FixedClock(NOON + timedelta(days=3)))

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "4", "n", "1", "enter")
        assert "The prompt that the agent sees stays as it is." in plain(pilot)
        await press(pilot, "n", "backspace", "enter", "a", "1", "enter", "m")
        pane = app.screen
        assert isinstance(pane, Pane)
        assert f"loses its open threads: the closing notes of {before[-2]} go." in pane.evidence.plain

    drive(store, flow)


def test_a_stale_plan_is_refused(place: Path) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "4", "n", "1", "enter", "x")
        keeping = SessionKeeping(store, "architect")
        keeping.apply(keeping.preview_archive(live(store)[0]))
        await type_in(pilot, "2")
        assert "changed since this plan was made" in plain(pilot)

    drive(store, flow)
    assert len(live(store)) == 3


def test_a_rule_that_keeps_nothing_is_no_rule(place: Path) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "4", "n", "backspace")
        assert "would take everything" in plain(pilot)
        await press(pilot, "0")
        assert "at least 1 must stay" in plain(pilot)
        assert "Plan of the rule before" in plain(pilot)
        await press(pilot, "enter", "x")
        assert "The plan is not that of the rule" in plain(pilot)

    drive(store, flow)


def test_forget_and_restore_a_memory(place: Path) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "5", "slash")
        await type_in(pilot, "8790")
        pane = app.screen
        assert isinstance(pane, Pane)
        wanted = pane.entries.current
        assert wanted is not None
        await press(pilot, "f")
        await type_in(pilot, wanted[:8])
        assert store.memories.get(wanted).status is Status.ARCHIVED
        await press(pilot, *["space"] * 4, "R")
        await type_in(pilot, wanted[:8])
        assert store.memories.get(wanted).status is Status.ACTIVE

    drive(store, flow)
    assert acts(store) == [Act.FORGET, Act.RESTORE]


def test_what_agents_do_shows_within_a_second_and_the_cursor_stays(place: Path) -> None:
    store = full_store(place, sessions=4)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "j", "j")
        pane = app.screen
        assert isinstance(pane, Pane)
        held, count = pane.entries.current, len(pane.entries.ids)
        add_note(opened(store.terrain.root.parent.parent), "A new session begins.", author="pi")
        await asyncio.sleep(0.6)
        await settle(pilot)
        assert len(pane.entries.ids) == count + 1
        assert pane.entries.current == held

    drive(store, flow)


def test_verify_tells_what_is_not_sound_and_changes_nothing(place: Path) -> None:
    store = demo_store(place)
    memory = next(one for one in store.memories.load_all()[0] if one.type is not MemoryType.CORE)
    path = store.memories.path_of(memory.id)
    assert path is not None

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "C")
        assert "Everything is sound." in plain(pilot)
        await press(pilot, "escape")
        path.write_text(path.read_text(encoding="utf-8") + "And one more line.\n", encoding="utf-8")
        await press(pilot, "5", "C")
        assert f"edited  concept-{memory.id[:8]}" in plain(pilot)
        await press(pilot, "escape")
        assert "[5 Memories]" in plain(pilot)

    drive(store, flow)
    assert acts(store) == []


def test_every_pane_of_an_empty_store_says_what_it_is(place: Path) -> None:
    store = empty_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        for key, told in [
            ("1", "No session here yet"),
            ("2", "Nothing to compare yet"),
            ("3", "Nothing awaits a decision"),
            ("4", "No session to decide on"),
            ("5", "Nothing is remembered yet"),
            ("6", "No act yet"),
        ]:
            await press(pilot, key)
            assert told in plain(pilot)

    drive(store, flow)


def test_from_a_note_to_its_memory_and_back_to_the_note(place: Path) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "j", "tab", "o")
        await settle(pilot)
        assert "[5 Memories]" in plain(pilot)
        assert "consolidated_from" in plain(pilot)
        await press(pilot, "e")
        await settle(pilot)
        assert "[1 Timeline]" in plain(pilot)
        assert "Note 1" in plain(pilot)

    drive(store, flow)


def test_what_was_learned_later_from_a_note_shows_under_that_note_and_in_the_plan_that_takes_it(place: Path) -> None:
    store = demo_store(place)
    first = live(store)[0]
    told = "Cascades need the pragma"
    learn(store, told, author="codex", session_links=[note_uri(first, 2)])

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        pane = app.screen
        assert isinstance(pane, Pane)
        await press(pilot, "G", "tab", "j")
        await settle(pilot)
        assert told in pane.evidence.plain.partition("Became")[2]
        await press(pilot, "4", "n", "1", "enter")
        plan = app.screen
        assert isinstance(plan, Pane)
        assert told in plan.evidence.plain.partition("Lineage affected")[2]

    drive(store, flow)


def test_b_leads_back_over_every_jump_to_where_it_began(place: Path) -> None:
    store = demo_store(place)
    oldest = live(store)[0]

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "G", "tab", "j", "o", "d", "e")
        await settle(pilot)
        assert "b leads back to Diff." in plain(pilot)
        for there in ("[2 Diff]", "[5 Memories]", "[1 Timeline]"):
            await press(pilot, "b")
            await settle(pilot)
            assert there in plain(pilot)
        assert f"Notes of {oldest}" in plain(pilot)
        assert "Note 2" in plain(pilot)
        await press(pilot, "b")
        assert "No jump led here." in plain(pilot)

    drive(store, flow)


def test_b_leads_back_to_what_was_compared_then(place: Path) -> None:
    store = demo_store(place)
    last, oldest = live(store)[-2], live(store)[0]

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "j", "d", "o", "1", "G", "d")
        await settle(pilot)
        assert f"Session {oldest}" in plain(pilot)
        await press(pilot, "b", "b")
        await settle(pilot)
        assert f"Session {last}" in plain(pilot)

    drive(store, flow)


@pytest.mark.parametrize("pane", ["3", "5", "6"], ids=["review", "memories", "audit"])
def test_d_shows_the_last_change_of_a_memory_in_diff(place: Path, pane: str) -> None:
    store = demo_store(place)
    wanted = pending(store)[0]
    desk = Stewardship(store, "architect")
    desk.reject(desk.review(wanted.id), "unsafe")
    desk.undo(1)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, pane)
        if pane == "5":
            await press(pilot, "slash")
            await type_in(pilot, "skipped")
            await press(pilot, "t", "t", "t", "t", "t", "t")
        shown = app.screen
        assert isinstance(shown, Pane)
        await press(pilot, "d")
        await settle(pilot)
        assert "[2 Diff]" in plain(pilot)
        diff = app.screen
        assert isinstance(diff, Pane)
        assert diff.entries.current == wanted.id

    drive(store, flow)


@pytest.mark.parametrize("key", ["g", "G"], ids=["a memory", "a note"])
def test_evidence_in_another_project_is_said_to_be_there_and_leads_nowhere(place: Path, key: str) -> None:
    store = demo_store(place)
    evolve(
        store,
        note_uri(live(store)[0], 2),
        type=CoreType.RELATIONAL_DISCOVERY,
        principle="Say which project a lesson is from.",
        covenant="Nobody looks for it in vain.",
        author="codex",
    )
    folder = place / "another"
    folder.mkdir()
    there = set_up(store.home, store.clock, folder, persona_name="Ariel").terrain
    here = open_store(store.home, there, store.clock, store.config)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "3", key, "e")
        await settle(pilot)
        assert "[3 Review" in plain(pilot)
        assert "is not in this project." in plain(pilot)

    drive(here, flow)


def test_evidence_in_a_session_that_was_deleted_leads_to_what_is_left_of_it(place: Path) -> None:
    store = demo_store(place)
    first = live(store)[0]
    keeping = SessionKeeping(store, "architect")
    keeping.apply(keeping.preview(RetentionPolicy(keep=1, delete=True)))
    assert first not in live(store)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "5", "slash")
        await type_in(pilot, "deleting author left rows")
        await press(pilot, "e")
        await settle(pilot)
        assert "[1 Timeline]" in plain(pilot)
        assert f"Notes of {first}" in plain(pilot)
        assert "pruned" in plain(pilot)

    drive(store, flow)


def test_without_a_note_the_evidence_of_a_memory_is_the_session_it_came_up_in(place: Path) -> None:
    store = demo_store(place)
    learn(store, "Zig was never tried here.", author="codex")

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "5", "slash")
        await type_in(pilot, "zig")
        await press(pilot, "e")
        await settle(pilot)
        assert "[1 Timeline]" in plain(pilot)
        pane = app.screen
        assert isinstance(pane, Pane)
        assert pane.entries.current == live(store)[-1]

    drive(store, flow)


def test_a_key_from_the_configuration_takes_the_place_of_the_default(place: Path) -> None:
    store = demo_store(place)
    app = app_over(store, keys={"app.pane_audit": "9", "pane.way_back": "f8"})

    async def run() -> None:
        async with app.run_test(size=(100, 30)) as pilot:
            await settle(pilot)
            await press(pilot, "6")
            assert "[1 Timeline]" in plain(pilot)
            await press(pilot, "d")
            assert "f8 leads back to Timeline." in plain(pilot)
            await press(pilot, "f8")
            assert "[1 Timeline]" in plain(pilot)
            await press(pilot, "9")
            assert "[6 Audit]" in plain(pilot)

    asyncio.run(run())


def test_a_terminal_too_small_is_told_so(place: Path) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        assert "Too small" in plain(pilot)
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert "Too small" not in plain(pilot)

    drive(store, flow, (50, 12))


def test_a_fault_of_the_program_in_a_worker_is_told_and_the_app_goes_on(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = demo_store(place)

    def wrong(*_: object) -> None:
        raise ValueError("no such thing")

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "1")
        monkeypatch.setattr("tur_tui.screens.memories.list_memories", wrong)
        await press(pilot, "5")
        assert "Something is wrong in the program: ValueError: no such thing" in plain(pilot)
        await press(pilot, "1")
        assert "[1 Timeline]" in plain(pilot)

    drive(store, flow)
