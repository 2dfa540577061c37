"""The documentation says what the program does: pages are up to date and name only what exists."""

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from docs.generate import command_trees, pages, walk

ROOT = Path(__file__).parents[2]
PACKAGES = ("tur", "tur_agent", "tur_tui")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
PROSE = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMED = re.compile(r"`(tur(?:-adm|-mcp)?(?: [^`]*)?)`")


@cache
def commands() -> dict[str, Any]:
    """Every command that is not hidden, by the words that call it."""
    return {name: command for program, tree in command_trees().items() for name, command in walk(program, tree)}


def options(command: Any) -> set[str]:
    found = {"--help"}
    for parameter in command.params:
        if parameter.param_type_name == "option" and not parameter.hidden:
            found.update(parameter.opts, parameter.secondary_opts)
    return found


def why_not_a_command(text: str) -> str | None:
    """What is wrong with a command line as some text names it, or None."""
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        words = text.split()
    name, *rest = words
    if name not in commands():
        return f"there is no program {name}"
    while rest and f"{name} {rest[0]}" in commands():
        name = f"{name} {rest.pop(0)}"
    command = commands()[name]
    if rest == ["--version"] and " " not in name:
        return None
    if hasattr(command, "list_commands") and rest and re.fullmatch(r"[a-z][a-z-]*", rest[0]):
        return f"{name} has no verb {rest[0]}"
    for word in rest:
        if word == "--":
            break
        flag = word.partition("=")[0].strip("[]")
        if re.fullmatch(r"--?[a-z][a-z-]*", flag) and flag not in options(command):
            return f"{name} has no option {flag}"
    return None


def literals(tree: ast.AST) -> Iterator[str]:
    """The string literals of a module; what an f-string fills in reads as X."""
    inside_f_strings = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part != node
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)  # type: ignore[misc]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside_f_strings:
            yield node.value


def console_lines(text: str) -> Iterator[str]:
    """Command lines of our programs inside fenced blocks, without their prompt."""
    for block in re.findall(r"^```(?:console|sh|bash)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            found = re.search(r"(?:^|[|&;] *|\$ )(tur(?:-adm|-mcp)?(?: [^|&;<>]*)?)", line)
            if found:
                yield found[1].strip()


def test_generated_pages_are_up_to_date() -> None:
    for page, text in pages().items():
        assert page.read_text(encoding="utf-8") == text, f"{page.name} is out of date: run `make docs`"


def test_every_verb_and_option_is_documented() -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for name, command in commands().items():
        _, found, section = text.partition(f"# {name}\n")
        assert found, f"{name} is not in docs/commands.md"
        section = section.partition("\n```\n")[0]
        missing = {option for option in options(command) if option not in section}
        assert not missing, f"{name}: not in docs/commands.md: {missing}"


def test_every_verb_explains_itself_and_its_options() -> None:
    for name, command in commands().items():
        assert command.help or " " not in name, f"{name} has no help"
        for parameter in command.params:
            assert parameter.hidden or parameter.help, f"{name}: {parameter.name} has no help"


def test_every_verb_is_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, command in commands().items():
        if not hasattr(command, "list_commands"):
            assert f"`{name}" in text, f"README.md does not name `{name}`"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_source_names_only_commands_that_exist(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = [found for text in literals(tree) for found in NAMED.findall(text)]
    wrong = {text: why for text in named if (why := why_not_a_command(text))}
    assert not wrong


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tur wake", None),
        ("tur sleep -n 'done'", None),
        ("tur-adm persona list --json", None),
        ("tur wakeup", "tur has no verb wakeup"),
        ("tur-adm persona drop", "tur-adm persona has no verb drop"),
        ("tur note --loud x", "tur note has no option --loud"),
        ("tur-mcp", "there is no program tur-mcp"),
    ],
)
def test_a_wrong_command_is_noticed(text: str, why: str | None) -> None:
    assert why_not_a_command(text) == why


@pytest.mark.parametrize("path", PROSE, ids=lambda path: path.name)
def test_prose_names_only_commands_that_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    wrong = {one: why for one in [*NAMED.findall(text), *console_lines(text)] if (why := why_not_a_command(one))}
    assert not wrong


@pytest.mark.parametrize("path", PROSE, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if not target.startswith(("http:", "https:")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
