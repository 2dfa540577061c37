"""The app's configuration, how it is opened, and what it does without a store, a terminal or colours."""

import asyncio
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pexpect
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.app_stores import app_over, demo_store, empty_store, plain, press, settle
from tur.errors import ConfigError
from tur.service.core_trust import audit_file
from tur.store.store import Store
from tur_tui.actions import ACTIONS
from tur_tui.app import WelcomeApp
from tur_tui.config import THEMES, AppConfig, load_config, render_config
from tur_tui.screens.pane import Pane

PROGRAM = str(Path(sys.executable).parent / "tur-adm")


def environment(place: Path, store: Store | None = None, **more: str) -> dict[str, str]:
    found = {"HOME": str(place), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", **more}
    if store is not None:
        found["TUR_HOME"] = str(store.home.root)
    return found


def test_without_a_file_there_are_defaults(place: Path) -> None:
    assert load_config(place) == AppConfig()
    assert load_config(place, no_color=True).theme == "ansi-dark"


def test_a_file_sets_theme_mouse_and_keys(place: Path) -> None:
    (place / "tui.toml").write_text(
        'theme = "light"\nmouse = false\n[keys]\n"review.approve" = "A"\n', encoding="utf-8"
    )
    assert load_config(place, no_color=True) == AppConfig("light", False, {"review.approve": "A"})


@pytest.mark.parametrize(
    ("text", "told", "hint"),
    [
        ('them = "dark"', "there is no 'them'", "theme"),
        ('theme = "blue"', "no theme 'blue'", "ansi-light"),
        ("mouse = 3", "mouse is 3", "true"),
        ('[keys]\n"review.aprove" = "A"', "there is no 'review.aprove'", "review.approve"),
        ('[keys]\n"review.approve" = "r"', "r is both", "one meaning"),
        ("theme = ", "tui.toml", "Correct the file"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(place: Path, text: str, told: str, hint: str) -> None:
    (place / "tui.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(place)
    assert told in caught.value.message
    assert hint in (caught.value.hint or "")


def print_config(place: Path, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [PROGRAM, *arguments, "--print-config"],
        cwd=place,
        env=environment(place, None, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def test_the_printed_configuration_is_a_configuration_file(place: Path) -> None:
    folder = place / ".config" / "tur"
    folder.mkdir(parents=True)
    file = folder / "tui.toml"
    file.write_text('theme = "light"\nmouse = false\n[keys]\n"review.approve" = "A"\n', encoding="utf-8")
    done = print_config(place)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"# {file}\n")
    assert '\n"review.approve" = "A"\n' in done.stdout
    assert '\n# "review.reject" = "r"\n' in done.stdout
    before = load_config(folder)
    file.write_text(done.stdout, encoding="utf-8")
    assert load_config(folder) == before
    assert print_config(place).stdout == done.stdout


def test_every_action_is_in_the_printed_configuration_and_can_be_taken_from_it(place: Path) -> None:
    page = render_config(AppConfig(), place)
    assert "not there: these are the defaults" in page.splitlines()[0]
    uncommented = re.sub(r'^# (?=")', "", page, flags=re.MULTILINE)
    (place / "tui.toml").write_text(uncommented, encoding="utf-8")
    assert load_config(place).keys == {action.id: ",".join(action.keys) for action in ACTIONS}


@given(st.dictionaries(st.sampled_from([action.id for action in ACTIONS]), st.text(min_size=1, max_size=8)))
def test_any_keys_survive_printing(keys: dict[str, str]) -> None:
    config = AppConfig("light", False, keys)
    read = tomllib.loads(render_config(config, Path("/home/you\n/.config")))
    defaults = {action.id: ",".join(action.keys) for action in ACTIONS}
    assert {**defaults, **read["keys"]} == {**defaults, **keys}
    assert (read["theme"], read["mouse"]) == ("light", False)


def test_printing_the_configuration_needs_no_store_and_no_textual(place: Path) -> None:
    code = (
        "import sys; from tur_tui.cli.main import main; code = main(['--print-config']); "
        "sys.exit(code or 'textual' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=place, env=environment(place), capture_output=True)
    assert done.returncode == 0, done.stderr
    assert b'theme = "dark"' in done.stdout


def test_the_printed_configuration_is_the_one_in_force(place: Path) -> None:
    told = print_config(place, "--no-mouse", NO_COLOR="1").stdout
    assert 'theme = "ansi-dark"' in told
    assert "mouse = false" in told


def test_a_wrong_file_is_told_instead_of_printed(place: Path) -> None:
    folder = place / ".config" / "tur"
    folder.mkdir(parents=True)
    for text, hint in (('[keys]\n"review.aprove" = "A"', "review.approve"), ("theme = ", "Correct the file")):
        (folder / "tui.toml").write_text(text, encoding="utf-8")
        done = print_config(place)
        assert (done.returncode, done.stdout) == (1, "")
        assert hint in done.stderr


@pytest.mark.parametrize("theme", THEMES)
def test_every_theme_opens(place: Path, theme: str) -> None:
    async def run() -> None:
        app = app_over(demo_store(place), theme)
        async with app.run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            await press(pilot, "ctrl+t")
            assert app.theme == THEMES[(THEMES.index(theme) + 1) % len(THEMES)]

    asyncio.run(run())


def test_the_palette_finds_a_memory_and_offers_no_decision(place: Path) -> None:
    store = demo_store(place)

    async def run() -> None:
        async with app_over(store).run_test(size=(100, 30)) as pilot:
            await settle(pilot)
            await press(pilot, "ctrl+p", *"8790")
            await pilot.pause(0.5)
            await press(pilot, "down", "enter")
            await settle(pilot)
            assert "[5 Memories]" in plain(pilot)
            assert "port 8790" in plain(pilot)

    asyncio.run(run())
    assert audit_file(store).read().entries == ()


def test_a_click_in_the_bottom_row_does_what_it_says(place: Path) -> None:
    async def run() -> None:
        async with app_over(demo_store(place)).run_test(size=(100, 30)) as pilot:
            await settle(pilot)
            at = plain(pilot).splitlines()[-1].index("? help")
            await pilot.click(offset=(at + 1, 29))
            await settle(pilot)
            assert "Keys: type to filter" in plain(pilot)

    asyncio.run(run())


def test_a_click_selects_an_entry(place: Path) -> None:
    async def run() -> None:
        async with app_over(demo_store(place)).run_test(size=(100, 30)) as pilot:
            await settle(pilot)
            await pilot.click("#list", offset=(5, 3))
            await settle(pilot)
            pane = pilot.app.screen
            assert isinstance(pane, Pane)
            assert pane.entries.cursor == 2

    asyncio.run(run())


@pytest.mark.parametrize(("key", "choice"), [("i", "init"), ("d", "demo"), ("q", None)])
def test_without_a_store_there_are_two_choices(key: str, choice: str | None) -> None:
    async def run() -> None:
        app = WelcomeApp(Path("/home/you/project"))
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press(key)
        assert app.return_value == choice

    asyncio.run(run())


def test_without_a_terminal_it_points_to_the_commands(place: Path) -> None:
    done = subprocess.run([PROGRAM], cwd=place, env=environment(place), stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == 1
    assert b"needs a terminal" in done.stderr
    assert b"--help" in done.stderr
    assert done.stdout == b""


def test_a_dumb_terminal_is_refused(place: Path) -> None:
    text, status = pexpect.run(PROGRAM, cwd=place, env=environment(place, TERM="dumb"), withexitstatus=True)
    assert status == 1
    assert b"cannot" in text
    assert b"\x1b[?1049h" not in text


def test_no_color_sends_no_colour(place: Path) -> None:
    store = demo_store(place)
    child = pexpect.spawn(
        PROGRAM, cwd=str(store.terrain.root.parent), env=environment(place, store, NO_COLOR="1"), dimensions=(24, 80)
    )
    child.expect_exact("Timeline")
    child.expect(pexpect.TIMEOUT, timeout=1)
    child.send("q")
    child.expect(pexpect.EOF)
    seen = child.before or b""
    assert b"38;2;" not in seen
    assert b"48;2;" not in seen


def test_the_demo_opens_the_app_on_a_terminal(place: Path) -> None:
    child = pexpect.spawn(f"{PROGRAM} demo", cwd=str(place), env=environment(place), dimensions=(24, 80), timeout=30)
    child.expect_exact("Review (1)")
    child.send("q")
    child.expect_exact("The demo's folder is gone again")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_the_demo_only_prints_when_told_so(place: Path) -> None:
    text, status = pexpect.run(f"{PROGRAM} demo --print", cwd=str(place), env=environment(place), withexitstatus=True)
    assert status == 0
    assert b"\x1b[?1049h" not in text


def test_an_empty_store_opens_in_every_pane(place: Path) -> None:
    async def run() -> None:
        async with app_over(empty_store(place)).run_test(size=(60, 16)) as pilot:
            await settle(pilot)
            await press(pilot, *"123456", "question_mark")
            assert "Keys" in plain(pilot)

    asyncio.run(run())
