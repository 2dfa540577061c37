"""The core is handed all it needs: it never prints, and never asks the process where or who it is."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = sorted((ROOT / "tur").rglob("*.py"))
AMBIENT = {
    "os.environ",
    "os.getenv",
    "os.path.expanduser",
    "os.getcwd",
    "Path.home",
    "Path.cwd",
    "pathlib.Path.home",
    "pathlib.Path.cwd",
    "sys.argv",
    "sys.exit",
    "sys.stdin",
    "sys.stdout",
    "sys.stderr",
    "getpass.getuser",
}


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(ROOT)))
def test_core_module_uses_nothing_ambient(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    used = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert not used & AMBIENT
    assert not called & {"print", "input", "exit", "quit"}
    assert not {name for name in called if name.endswith(".expanduser")}
