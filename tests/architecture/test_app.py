"""Rules of the app: stored text has one way to the screen, and no key does two things."""

import ast
from pathlib import Path

import pytest

from tur_tui.actions import ACTIONS, SCOPES, clashes, keys_page
from tur_tui.app import TurApp
from tur_tui.screens.pane import Pane

ROOT = Path(__file__).parents[2]
SAFE = ROOT / "tur_tui" / "widgets" / "safe_text.py"
SOURCES = sorted(path for path in (ROOT / "tur_tui").rglob("*.py") if path != SAFE)
PARSES_MARKUP = frozenset(
    {
        "Static",
        "Label",
        "Button",
        "Checkbox",
        "RadioButton",
        "OptionList",
        "SelectionList",
        "Select",
        "Collapsible",
        "DataTable",
        "Tree",
        "Tabs",
        "Tab",
        "TabbedContent",
        "Markdown",
        "RichLog",
        "Log",
        "TextArea",
        "Header",
        "Footer",
        "ListView",
        "Text",
        "Content",
    }
)
"""What Textual and rich make of a string may run as markup, or reach the terminal as it is, or load everything."""

NEVER = frozenset({"notify", "from_markup", "tooltip"})
TITLES = frozenset({"border_title", "border_subtitle", "title", "sub_title"})


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_stored_text_reaches_the_screen_only_by_safe_text(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            assert name not in PARSES_MARKUP | NEVER, f"line {node.lineno}: {name}"
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("textual", "rich")):
            taken = {one.name for one in node.names} & PARSES_MARKUP
            assert not taken, f"line {node.lineno}: {taken}"
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and target.attr in TITLES:
                    shown = ast.unparse(node.value)
                    assert shown.startswith("content(") or shown == "title", f"line {node.lineno}: {shown}"


def test_reading_knows_nothing_of_textual() -> None:
    for path in (ROOT / "tur_tui" / "lines.py", *(ROOT / "tur_tui" / "reading").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        taken = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
        assert not [one for one in taken if one.startswith("textual")]


def test_no_key_does_two_things_in_one_place() -> None:
    assert clashes() == []


def test_every_action_has_an_id_of_its_own_and_says_what_it_does() -> None:
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    assert all(action.tooltip and action.label and action.keys and action.scope in SCOPES for action in ACTIONS)


def test_every_action_is_one_that_the_app_can_do() -> None:
    for action in ACTIONS:
        if action.scope == "app":
            assert hasattr(TurApp, f"action_{action.name}"), action.id
        elif action.scope == "pane":
            assert hasattr(Pane, f"action_{action.name}"), action.id
        elif action.scope in TurApp.MODES:
            assert hasattr(TurApp.MODES[action.scope], f"action_{action.name}"), action.id


def test_no_decision_is_offered_in_the_command_palette() -> None:
    offered = {action.id for action in ACTIONS if action.palette}
    assert not offered & {"prune.run", "memories.forget", "memories.restore", "app.undo"}
    assert not {action for action in offered if action.startswith("review.")}


def test_the_page_of_keys_is_up_to_date() -> None:
    page = ROOT / "docs" / "keys.md"
    assert page.read_text(encoding="utf-8") == keys_page(), "run `python -m tur_tui.actions > docs/keys.md`"
