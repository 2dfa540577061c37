"""What every pane looks like: sizes, themes, and the states normal, empty, overflowing, broken and asking.

`pytest tests/tui/test_app_snapshots.py --snapshot-update` takes new pictures; look at each before committing it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.app_stores import (
    app_over,
    broken_store,
    demo_store,
    empty_store,
    full_store,
    near_store,
    press,
    settle,
    stage_core,
    three_store,
)
from tur.stewardship.decide import approve
from tur.stewardship.ledger import Steward
from tur.stewardship.review import review
from tur.store.store import Store
from tur_tui.app import TurApp, WelcomeApp

PANES = {"timeline": "1", "diff": "2", "review": "3", "prune": "4", "memories": "5", "audit": "6"}
SIZES = {"100x30": (100, 30), "80x24": (80, 24)}
THEMES = ("dark", "light", "ansi-dark")
Snap = Callable[..., bool]


@pytest.fixture(autouse=True)
def same_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine reaches a picture: neither its colours nor how its SQLite lays out a file."""
    for name in ("NO_COLOR", "TEXTUAL_THEME", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tur.store.retire.folder_bytes", lambda folder: 65_536 if folder.is_dir() else 0)


def picture(
    snap_compare: Snap, store: Store, keys: list[str], size: str = "100x30", theme: str = "dark", act: Any = None
) -> None:
    """Open the app, press keys, and compare with the picture on record."""

    async def before(pilot: Pilot[None]) -> None:
        await settle(pilot)
        if act is not None:
            act(pilot.app)
        await press(pilot, *keys)
        await settle(pilot)

    assert snap_compare(app_over(store, theme), terminal_size=SIZES.get(size, (50, 12)), run_before=before)


def decided(app: TurApp) -> None:
    """Two decisions, for the audit log to show."""
    pending = [one for one in app.desk.core_memories() if one.status == "pending_approval"]
    app.desk.approve(app.desk.review(pending[0].id))
    app.desk.reject(app.desk.review(pending[1].id), "unsafe: it reads like an order")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pane", PANES)
def test_normal(snap_compare: Snap, place: Path, pane: str, size: str, theme: str) -> None:
    """A pane of the demo's store."""
    keys = {
        "timeline": ["j", "tab"],
        "diff": ["2", "c", *"@~3", "space", *"@~1", "enter"],
        "review": ["3"],
        "prune": ["4", "n", "backspace", "backspace", "1", "enter"],
        "memories": ["5", "j", "j"],
        "audit": ["6"],
    }[pane]
    picture(snap_compare, demo_store(place), keys, size, theme, decided if pane == "audit" else None)


@pytest.mark.parametrize("pane", PANES)
def test_empty(snap_compare: Snap, place: Path, pane: str) -> None:
    """A pane with nothing in it says what it is and how that changes."""
    picture(snap_compare, empty_store(place), [PANES[pane]], "80x24")


@pytest.mark.parametrize("pane", ["timeline", "review", "prune", "memories"])
def test_overflow(snap_compare: Snap, place: Path, pane: str) -> None:
    """Longer lists and texts than fit, with the cursor at the end."""
    picture(snap_compare, full_store(place, sessions=26), [PANES[pane], "G", "J"])


@pytest.mark.parametrize("pane", ["timeline", "memories", "audit", "review"])
def test_broken(snap_compare: Snap, place: Path, pane: str) -> None:
    """A damaged timeline, memory and audit log are named, and everything else is still there."""
    picture(snap_compare, broken_store(place), [PANES[pane], *(["G"] if pane == "timeline" else [])])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("approve", ["3", *["space"] * 4, "a"]),
        ("wrong-id", ["3", *["space"] * 4, "a", *"12345678", "enter"]),
        ("reject", ["3", "r"]),
        ("prune-run", ["4", "n", "backspace", "backspace", "1", "enter", "m", "x"]),
        ("help", ["3", "question_mark"]),
        ("compare", ["2", "c"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_dialog(snap_compare: Snap, place: Path, name: str, keys: list[str], size: str) -> None:
    """What asks for typing, over its pane."""
    if size == "80x24" and name in ("approve", "wrong-id"):
        keys = [keys[0], "enter", *keys[1:]]
    picture(snap_compare, demo_store(place), keys, size)


@pytest.mark.parametrize("theme", ["light", "ansi-dark"])
def test_dialog_in_theme(snap_compare: Snap, place: Path, theme: str) -> None:
    """The approval in other colours."""
    picture(snap_compare, demo_store(place), ["3", *["space"] * 4, "a"], theme=theme)


SEEN = [*["space"] * 8]
SEEN_NARROW = ["enter", *SEEN, "escape"]


def two_near(place: Path) -> Store:
    """Two approved core memories, one of which the pending one overlaps."""
    store, _, _ = near_store(place)
    other = stage_core(store, "Keep each change as small as it can be.", "I split what can be split.")
    approve(store, review(store, other.id), Steward("someone else"))
    return store


@pytest.mark.parametrize(("size", "theme"), [("100x30", "dark"), ("80x24", "light")])
@pytest.mark.parametrize("name", ["near", "reword", "merge", "merge-choice", "marks", "manifest", "stopped", "rejects"])
def test_review_dialog(snap_compare: Snap, place: Path, name: str, size: str, theme: str) -> None:
    """What is near a pending memory, other words, merging, marks, and the lists of a batch."""
    see = SEEN if size == "100x30" else SEEN_NARROW
    store = two_near(place) if name in ("near", "reword", "merge", "merge-choice") else three_store(place)
    keys = {
        "near": [*(["space"] if size == "100x30" else ["enter", "space"])],
        "reword": ["E"],
        "merge": ["m", "1", "enter"],
        "merge-choice": ["m"],
        "marks": ["v", "j", "v", "j"],
        "manifest": [*see, "v", "j", *see, "v", "j", *see, "v", "a"],
        "stopped": [*see, "v", "j", *see, "v", "j", "v", "a"],
        "rejects": ["v", "j", "v", "r"],
    }[name]
    picture(snap_compare, store, ["3", *keys], size, theme)


def test_merged_in_the_audit_log(snap_compare: Snap, place: Path) -> None:
    """What an approved merge took out of force."""

    def merged(app: TurApp) -> None:
        made = app.desk.merge(app.desk.review(new.id), old.id, "Say what was neither done nor tested.", "I do.")
        app.desk.approve(app.desk.review(made.memory.id))

    store, old, new = near_store(place)
    picture(snap_compare, store, ["6"], act=merged)


def test_flagged_memory(snap_compare: Snap, place: Path) -> None:
    """What reads like an order is marked and named."""
    picture(snap_compare, demo_store(place), ["3", "j", "space"])


def test_undo(snap_compare: Snap, place: Path) -> None:
    """What would be taken back."""
    picture(snap_compare, demo_store(place), ["3", "r", "1", "enter", "u"])


def test_diff_side_by_side(snap_compare: Snap, place: Path) -> None:
    """Old on the left, new on the right."""
    picture(snap_compare, demo_store(place), ["2", "c", *"@~3", "space", *"@~1", "enter", "j", "j", "j", "s"])


def test_diff_words(snap_compare: Snap, place: Path) -> None:
    """The words that differ stand out from those that stay."""
    picture(snap_compare, demo_store(place), ["2", "c", *"@~3", "space", *"@~1", "enter", "j", "j", "j"])


def test_filter(snap_compare: Snap, place: Path) -> None:
    """A search among memories."""
    picture(snap_compare, demo_store(place), ["5", "slash", *"keys", "enter"])


def test_note_in_full(snap_compare: Snap, place: Path) -> None:
    """One note and what it became, on a narrow screen."""
    picture(snap_compare, demo_store(place), ["j", "enter", "enter"], "80x24")


def test_archive(snap_compare: Snap, place: Path) -> None:
    """The archive, with nothing in it."""
    picture(snap_compare, demo_store(place), ["4", "R"])


def test_too_small(snap_compare: Snap, place: Path) -> None:
    """A terminal that cannot hold a pane."""
    picture(snap_compare, demo_store(place), [], "50x12")


def test_welcome(snap_compare: Snap) -> None:
    """Where there is no store."""
    assert snap_compare(WelcomeApp(Path("/home/you/project")), terminal_size=(80, 24))
