"""`tur-adm` where Textual is not installed: everything but the app works, and the app says what to install."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pexpect
import pytest

ROOT = Path(__file__).parents[2]
START = "import sys; sys.path[:0] = sys.argv.pop(1).split(':'); from tur_tui.cli.main import main; sys.exit(main())"


@pytest.fixture
def program(tmp_path: Path) -> list[str]:
    """A command line for `tur-adm` in an interpreter that has every package but Textual."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for path in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not path.name.lower().startswith("textual") and path.suffix != ".pth":
            (packages / path.name).symlink_to(path)
    return [sys.executable, "-S", "-c", START, f"{ROOT}:{packages}"]


def environment(place: Path) -> dict[str, str]:
    return {"HOME": str(place), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}


def project(place: Path) -> Path:
    folder = place / "project"
    folder.mkdir(exist_ok=True)
    return folder


def run(program: list[str], place: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*program, *arguments],
        cwd=project(place),
        env=environment(place),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def at_a_terminal(program: list[str], place: Path, *arguments: str) -> tuple[str, int | None]:
    child = pexpect.spawn(
        program[0],
        [*program[1:], *arguments],
        cwd=str(project(place)),
        env=environment(place),
        encoding="utf-8",
        dimensions=(24, 200),
        timeout=60,
    )
    child.expect(pexpect.EOF)
    child.close()
    return child.before, child.exitstatus


def test_textual_is_not_there(program: list[str], place: Path) -> None:
    probe = f"import sys; sys.path[:0] = {program[-1]!r}.split(':'); import typer, textual"
    done = subprocess.run([sys.executable, "-S", "-c", probe], capture_output=True, text=True)
    assert "No module named 'textual'" in done.stderr


def test_opening_the_app_says_which_extra_to_install(program: list[str], place: Path) -> None:
    text, status = at_a_terminal(program, place)
    assert status == 1
    assert "Textual, which is not installed" in text
    assert "pip install 'tur[adm]'" in text
    assert "Traceback" not in text
    assert "\x1b[?1049h" not in text


def test_the_demo_on_a_terminal_tells_its_story_without_the_app(program: list[str], place: Path) -> None:
    text, status = at_a_terminal(program, place, "demo")
    assert status == 0
    assert "\x1b[?1049h" not in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--print-config"],
        ["memory", "list"],
        ["session", "list"],
        ["audit"],
        ["doctor"],
        ["persona", "list"],
    ],
    ids=" ".join,
)
def test_plain_verbs_work(program: list[str], place: Path, arguments: list[str]) -> None:
    made = run(program, place, "init")
    assert made.returncode == 0, made.stderr
    done = run(program, place, *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout
