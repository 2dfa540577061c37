"""`y` copies what is shown, made visible: to the clipboard by OSC 52, and to a file where that is not taken."""

import asyncio
import os
import stat
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pexpect
import pytest
from textual.pilot import Pilot

from tests.tui.app_stores import app_over, demo_store, plain, press, settle
from tests.tui.test_app_hostile import CORPUS, hostile_store
from tur.paths import state_from
from tur.policy.display import hidden_characters
from tur.store.store import Store
from tur_tui import copies
from tur_tui.app import TurApp
from tur_tui.copies import copy_of, write_copy


def drive(store: Store, copied_to: Path, flow: Callable[[Pilot[None], TurApp], Awaitable[None]]) -> None:
    app = app_over(store)
    app.copies = copied_to

    async def run() -> None:
        async with app.run_test(size=(120, 30)) as pilot:
            await settle(pilot)
            await flow(pilot, app)

    asyncio.run(run())


def test_the_text_goes_to_the_clipboard_and_to_a_private_file_over_the_last_one(place: Path) -> None:
    path = place / "state" / "copy.txt"

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "y")
        assert f"Copied to {path} and by OSC 52" in plain(pilot)
        first = path.read_text(encoding="utf-8")
        assert app.clipboard == first
        assert "Memories" in first
        await press(pilot, "5", "y")
        second = path.read_text(encoding="utf-8")
        assert second == app.clipboard != first

    drive(demo_store(place), path, flow)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [one.name for one in path.parent.iterdir()] == ["copy.txt"]


def test_what_cannot_be_written_is_told_and_the_clipboard_has_it(place: Path) -> None:
    path = place / "state" / "copy.txt"
    path.mkdir(parents=True)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "y")
        assert "Copied by OSC 52 alone: cannot use" in plain(pilot)
        assert app.clipboard
        await press(pilot, "2", "y", "3", "y")

    drive(demo_store(place), path, flow)


def test_hidden_characters_are_copied_written_out_and_that_is_said(place: Path) -> None:
    path = place / "copy.txt"

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "5", "slash", *"zero", "enter", "escape")
        for _ in range(30):
            await press(pilot, "j", "y")
            assert hidden_characters(path.read_text(encoding="utf-8")) == []
            if "hidden written out" in plain(pilot):
                return
        raise AssertionError("nothing hidden was ever copied")

    drive(hostile_store(place), path, flow)


@pytest.mark.parametrize("name", CORPUS)
def test_a_copy_holds_nothing_a_terminal_obeys(name: str, tmp_path: Path) -> None:
    copy = copy_of(CORPUS[name])
    assert hidden_characters(copy.text) == []
    assert write_copy(tmp_path / "copy.txt", copy) is None
    assert (tmp_path / "copy.txt").read_text(encoding="utf-8") == copy.text


def test_a_copy_counts_what_was_written_out_before(tmp_path: Path) -> None:
    assert copy_of("plain").hidden == 0
    assert copy_of("a\u200bb").hidden == 1
    assert copy_of("a<U+200B>b and ␛[2J").hidden == 2


def test_the_file_is_written_by_a_worker(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def noted(path: Path, copy: copies.Copy) -> str | None:
        threads.append(threading.current_thread())
        return None

    monkeypatch.setattr("tur_tui.screens.pane.write_copy", noted)

    async def flow(pilot: Pilot[None], app: TurApp) -> None:
        await press(pilot, "y")

    drive(demo_store(place), place / "copy.txt", flow)
    assert threads
    assert threading.main_thread() not in threads


def test_the_folder_for_it_is_the_user_s_state_folder() -> None:
    assert state_from({"XDG_STATE_HOME": "/s", "HOME": "/h"}) == Path("/s/tur")
    assert state_from({"HOME": "/h"}) == Path("/h/.local/state/tur")
    assert state_from({"TUR_HOME": "/t"}) == Path("/t/state")


def test_the_program_writes_it_there(place: Path) -> None:
    store = demo_store(place)
    environment = {
        "HOME": str(place),
        "TUR_HOME": str(store.home.root),
        "PATH": os.environ["PATH"],
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    program = str(Path(sys.executable).parent / "tur-adm")
    child = pexpect.spawn(
        program, cwd=str(store.terrain.root.parent), env=environment, dimensions=(30, 120), timeout=20
    )
    child.expect_exact("touched by this session")
    child.send("y")
    child.expect_exact(f"{place}/.local/state/tur/copy.txt")
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert "touched by this session" in (place / ".local/state/tur/copy.txt").read_text(encoding="utf-8")
