"""What a command really loads, seen in a clean interpreter: static contracts cannot tell a deferred import."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("textual", "mcp", "anthropic", "rich")
PROBE = """
import importlib, json, sys
module, forbidden, argv = json.loads(sys.argv[1])
sys.argv = argv
code = 0
try:
    code = importlib.import_module(module).main() or 0
except SystemExit as stop:
    code = stop.code or 0
sys.stdout.flush()
loaded = [name for name in forbidden if name in sys.modules]
print("PROBE" + json.dumps([code, loaded]), file=sys.stderr)
"""


def loaded_by(argv: list[str], forbidden: tuple[str, ...], folder: Path, home: Path) -> tuple[int, list[str], str]:
    """Exit code, which of the forbidden modules were loaded, and all output of one command."""
    module = {"tur": "tur_agent.cli.main", "tur-adm": "tur_tui.cli.main"}[argv[0]]
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps([module, forbidden, argv])],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "PROBE" in done.stderr, done.stdout + done.stderr
    code, loaded = json.loads(done.stderr.rpartition("PROBE")[2])
    return code, loaded, done.stdout + done.stderr


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A terrain and a home, made by the command an Architect would use."""
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    code, _, output = loaded_by(["tur-adm", "init"], (), folder, home)
    assert code == 0, output
    return folder, home


@pytest.mark.parametrize(
    "argv",
    [
        ["tur", "--help"],
        ["tur", "note", "--help"],
        ["tur", "wake"],
        ["tur", "note", "the build needs make and Python, nothing else"],
        ["tur", "learn", "the build needs make and Python"],
        ["tur", "recall", "build"],
        ["tur", "status"],
        ["tur", "sleep", "-n", "done for today"],
    ],
    ids=" ".join,
)
def test_agent_verb_loads_nothing_heavy_and_no_steward_code(argv: list[str], places: tuple[Path, Path]) -> None:
    code, loaded, output = loaded_by(argv, (*HEAVY, "tur.stewardship", "tur_tui"), *places)
    assert code == 0, output
    assert loaded == []


def test_agent_error_loads_nothing_heavy(places: tuple[Path, Path]) -> None:
    code, loaded, output = loaded_by(["tur", "show", "ffffffff"], (*HEAVY, "tur.stewardship"), *places)
    assert code == 1, output
    assert loaded == []


@pytest.mark.parametrize("argv", [["tur-adm", "--help"], ["tur-adm", "persona", "list"]], ids=" ".join)
def test_steward_verb_loads_no_screen(argv: list[str], places: tuple[Path, Path]) -> None:
    code, loaded, output = loaded_by(argv, ("textual", "mcp", "anthropic"), *places)
    assert code == 0, output
    assert loaded == []


@pytest.mark.parametrize("package", ["tur", "tur.model.memory", "tur.errors", "tur.ids", "tur.clock"])
def test_core_leaf_loads_neither_front_end_nor_database(package: str) -> None:
    forbidden = (*HEAVY, "typer", "tur_agent", "tur_tui", "tur.stewardship", "sqlite_utils", "pydantic")
    code = f"import sys, {package}; print([name for name in {forbidden!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
