"""The Diff pane by keys: hunk by hunk, word by word, any two ends, and on to evidence, Review and the prompt."""

import subprocess
import threading
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.app_stores import Hand, demo_store, empty_store, plain, press, settle, type_in
from tests.tui.test_app_flows import drive, pending
from tur.policy.prompt_effect import PromptEffect
from tur.service.learn import learn, refute
from tur.service.notes import add_note
from tur.service.wake import wake
from tur.store.store import Store
from tur_tui.app import TurApp
from tur_tui.reading import DiffFacts, read_effect
from tur_tui.screens.diff import DiffScreen
from tur_tui.screens.pane import Pane

LONG = [f"Rule {number} of the house, as it was agreed." for number in range(60)]
STORY = ["2", "c", *"@~3", "space", *"@~1", "enter"]


def pane(app: TurApp) -> DiffScreen:
    assert isinstance(app.screen, DiffScreen)
    return app.screen


def long_store(place: Path) -> Store:
    """A session that changes a long text at both ends, and learns one thing more."""
    store = empty_store(place)
    clock = store.clock
    assert isinstance(clock, Hand)
    old = learn(store, "\n".join(LONG), author="codex").memory
    clock.move(5)
    wake(store, author="codex")
    clock.move(5)
    changed = [f"{one} NOW" if number in (2, 3, 50) else one for number, one in enumerate(LONG)]
    learn(store, "\n".join(changed), author="codex", supersedes=[old.id])
    clock.move(5)
    learn(store, "One thing more.", author="codex")
    return store


def test_n_goes_from_hunk_to_hunk_and_on_to_the_next_change(place: Path) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "2")
        screen = pane(app)
        assert screen.entries.cursor == 0
        assert "Rule 2 of the house" in plain(pilot)
        assert "Rule 50 of the house" not in plain(pilot)
        await press(pilot, "n")
        assert screen.entries.cursor == 0
        assert "Rule 50 of the house, as it was agreed. NOW" in plain(pilot)
        await press(pilot, "n")
        assert screen.entries.cursor == 1
        await press(pilot, "n")
        assert screen.entries.cursor == 1
        assert "last change" in plain(pilot)
        await press(pilot, "N")
        assert screen.entries.cursor == 0
        await press(pilot, "G", "N", "N")
        assert "first change" in plain(pilot)

    drive(long_store(place), flow)


def test_n_goes_from_change_to_change_where_only_the_list_is_shown(place: Path) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "2", "n")
        assert pane(app).entries.cursor == 1

    drive(long_store(place), flow, (80, 24))


def test_unchanged_lines_stand_once_and_without_a_sign(place: Path) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "2")
        shown = plain(pilot)
        assert shown.count("Rule 1 of") == 1
        assert "- Rule 2 of the house, as it was agreed." in shown
        assert "+ Rule 2 of the house, as it was agreed. NOW" in shown

    drive(long_store(place), flow)


def test_words_stand_out_side_by_side_too_until_w_makes_it_whole_lines(place: Path) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, *STORY, "j", "j", "j", "s")
        view = pane(app).view

        def roles() -> set[tuple[str, str]]:
            return {(span.role, span.text) for row in view._wrapped[:6] for span in row.spans}

        assert {("removed-word", "8000"), ("added-word", "8790"), ("removed", "- "), ("added", "+ ")} <= roles()
        await press(pilot, "w")
        assert not {role for role, _ in roles()} & {"removed-word", "added-word"}
        assert "Whole lines" in plain(pilot)
        await press(pilot, "w", "s")
        assert ("added-word", "8790") in roles()

    drive(demo_store(place), flow)


def test_v_shows_one_kind_after_the_other(place: Path) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, *STORY, "v")
        assert "filter: added" in plain(pilot)
        assert "SUPERSEDED" not in plain(pilot)
        await press(pilot, "v")
        assert "filter: superseded" in plain(pilot)
        await press(pilot, "escape")
        assert "filter" not in plain(pilot).splitlines()[1]

    drive(demo_store(place), flow)


def test_e_goes_to_the_note_and_r_to_review_only_while_it_is_pending(place: Path) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, *STORY, "r")
        assert "is active: nothing awaits a decision" in plain(pilot)
        assert "[2 Diff]" in plain(pilot)
        await press(pilot, "e")
        await settle(pilot)
        assert "[1 Timeline]" in plain(pilot)
        assert "Note 1" in plain(pilot)
        await press(pilot, "2")
        waiting = await to_the_pending_one(pilot, app, store)
        await press(pilot, "e")
        assert "It rests on no note, and came up in no session." in plain(pilot)
        await press(pilot, "r")
        await settle(pilot)
        assert "[3 Review" in plain(pilot)
        assert isinstance(app.screen, Pane)
        assert app.screen.entries.current == waiting

    drive(store, flow)


async def to_the_pending_one(pilot: Pilot[None], app: TurApp, store: Store) -> str:
    """Put the cursor on the change that awaits a decision."""
    screen = pane(app)
    waiting = next(one.id for one in pending(store) if one.id in screen.entries.ids)
    screen.entries.select(waiting)
    await settle(pilot)
    return waiting


async def compare(pilot: Pilot[None], typed: str) -> str:
    """What the summary says after typing it into the dialog."""
    await press(pilot, "c")
    field = pilot.app.screen.query_one("#typed")
    setattr(field, "value", "")  # noqa: B010
    await type_in(pilot, typed)
    return plain(pilot).splitlines()[-3].strip()


def test_c_compares_any_two_ends(place: Path) -> None:
    store = demo_store(place)
    project = store.terrain.root.parent
    git = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"], ["commit", "-qm", "two", "--allow-empty"]):
        subprocess.run([*git, *command], cwd=project, check=True, capture_output=True)
    heads = [
        subprocess.run([*git, "rev-parse", rev], cwd=project, check=True, capture_output=True, text=True).stdout[:12]
        for rev in ("HEAD~1", "HEAD")
    ]
    last = store.sessions.resolve("@~1")
    earlier = store.sessions.resolve("@~2")

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "2")
        assert (await compare(pilot, "@~2 @~1")).startswith(f"Session {earlier} -> {last}")
        assert (await compare(pilot, "@~1")).startswith(f"Session {last}")
        assert (await compare(pilot, f"{earlier[:15]} {last}")).startswith(f"Session {earlier} -> {last}")
        assert (await compare(pilot, "since 2h")).startswith("since 2026-09-14T")
        assert (await compare(pilot, "2h")).startswith("since 2026-09-14T")
        assert (await compare(pilot, "2026-09-14T09:10Z")).startswith("since 2026-09-14T09:10:00Z")
        assert (await compare(pilot, "2026-09-14T09:10 2026-09-14T09:25")).startswith(
            "2026-09-14T09:10:00Z -> 2026-09-14T09:25:00Z"
        )
        assert (await compare(pilot, f"{earlier} 2026-09-14T09:25")).startswith(f"end of session {earlier} -> 2026")
        assert (await compare(pilot, "git HEAD~1")).startswith(f"git {heads[0]} -> work tree")
        assert (await compare(pilot, "git HEAD~1..HEAD")).startswith(f"git {heads[0]} -> {heads[1]}")
        assert (await compare(pilot, "HEAD~1 HEAD")).startswith(f"git {heads[0]} -> {heads[1]}")
        assert "active" in (await compare(pilot, "")) or "Session" in plain(pilot)

    drive(store, flow)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("@~1 HEAD", "a git revision is compared with another"),
        ("@~1 @~2 @~3", "two ends are compared, not 3"),
    ],
)
def test_what_cannot_be_compared_is_said_in_the_dialog(place: Path, typed: str, told: str) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, *STORY)
        await press(pilot, "c")
        before = app.screen
        await type_in(pilot, " " + typed)
        assert app.screen is before
        assert "compared" in plain(pilot)

    drive(demo_store(place), flow)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("99990101_000000", "no session"),
        ("since yesterday", "not a duration or a time"),
        ("2027-01-01", "is in the future"),
        ("git nowhere", "in no git repository"),
    ],
)
def test_an_end_that_is_not_there_is_said_and_can_be_corrected(place: Path, typed: str, told: str) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, *STORY)
        assert told in await compare(pilot, typed) or told in plain(pilot)
        await press(pilot, "c")
        assert typed in plain(pilot)
        await press(pilot, "escape")
        assert (await compare(pilot, "@~1")).startswith("Session")

    drive(demo_store(place), flow)


def test_a_base_marked_in_the_timeline_is_what_d_compares_with(place: Path) -> None:
    store = demo_store(place)
    last, earlier = store.sessions.resolve("@~1"), store.sessions.resolve("@~3")

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "j", "j", "j", "B")
        assert f"B base {earlier}" in plain(pilot)
        await press(pilot, "k", "k")
        assert "B09-14" in plain(pilot)
        await press(pilot, "d")
        await settle(pilot)
        assert plain(pilot).splitlines()[-3].strip().startswith(f"Session {earlier} -> {last}")
        # The other way round it is the same: the earlier one comes first.
        await press(pilot, "1", "B", "j", "j", "d")
        await settle(pilot)
        assert plain(pilot).splitlines()[-3].strip().startswith(f"Session {earlier} -> {last}")
        await press(pilot, "1", "k", "k", "B", "j", "j", "B", "B")
        assert "d on another compares" not in plain(pilot)
        await press(pilot, "k", "k", "d")
        await settle(pilot)
        assert plain(pilot).splitlines()[-3].strip().startswith(f"Session {last}  ")

    drive(store, flow)


def test_the_effect_on_the_prompt_is_worked_out_once_and_not_by_the_ui(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[object] = []

    def counted(store: Store, facts: DiffFacts) -> PromptEffect:
        threads.append(threading.current_thread())
        return read_effect(store, facts)

    monkeypatch.setattr("tur_tui.screens.diff.read_effect", counted)
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, *STORY)
        worked_out = len(threads)
        await press(pilot, "j", "j", "j", "s", "w")
        shown = plain(pilot)
        assert "+ │ - [fact] The preview server listens on port 8790." in shown
        assert "- │ - [fact] The preview server listens on port 8000." in shown
        assert "of 1,500 tokens" in shown
        assert "order of the rest unchanged" in shown
        assert len(threads) == worked_out
        assert threading.main_thread() not in threads

    drive(store, flow, (100, 40))


def test_what_the_budget_leaves_out_is_said(place: Path) -> None:
    store = empty_store(place)
    clock = store.clock
    assert isinstance(clock, Hand)
    store.persona.settings.wake_budget = 100
    for number in range(4):
        learn(store, f"Old fact {number}: " + "word " * 15, author="codex")
    clock.move(2)
    wake(store, author="codex")
    clock.move(2)
    add_note(store, "Begun.", author="codex")
    learn(store, "Too long for it: " + "word " * 200, author="codex")

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "2")
        assert "left out by the budget: " in plain(pilot)
        assert "no line comes or goes by this change" in plain(pilot)

    drive(store, flow, (120, 50))


def test_a_pending_core_memory_has_no_effect_yet(place: Path) -> None:
    store = demo_store(place)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, *STORY)
        await to_the_pending_one(pilot, app, store)
        assert "awaits a human's approval, and is in no prompt" in plain(pilot)

    drive(store, flow, (100, 40))


def test_a_refuted_memory_leaves_its_line(place: Path) -> None:
    store = empty_store(place)
    clock = store.clock
    assert isinstance(clock, Hand)
    gone = learn(store, "It is so.", author="codex").memory
    clock.move(2)
    wake(store, author="codex")
    clock.move(2)
    refute(store, gone.id, "It is not.", author="codex")

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "2")
        shown = plain(pilot)
        assert "│ - It is so." in shown
        assert "  - │ - [fact] It is so. (concept-" in shown

    drive(store, flow, (100, 40))


@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("key", ["1", "2"])
def test_the_bottom_row_has_at_most_nine_keys_and_help_is_always_the_last(place: Path, key: str, width: int) -> None:
    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, key)
        entries = plain(pilot).splitlines()[-1].strip().split("  ")
        assert len(entries) <= 9
        assert entries[-1] == "? help"
        if width >= 100 and key == "2":
            assert entries[:6] == ["n next", "s split", "w words", "c compare", "e evidence", "r review"]

    drive(demo_store(place), flow, (width, 24))
