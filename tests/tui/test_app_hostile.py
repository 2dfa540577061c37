"""Hostile text goes through every pane: nothing crashes, and no escape sequence in it reaches the terminal."""

import contextlib
import io
import os
import re
import sys
import unicodedata
from datetime import timedelta
from pathlib import Path

import pexpect
import pytest
from rich.cells import cell_len

from tests.tui.app_stores import NOON, empty_store
from tur.codec.seal import memory_id, memory_seal
from tur.ids import note_uri
from tur.model.memory import Core, CoreType, LifecycleEntry, Memory, MemoryLink, MemoryType, Scope, Status
from tur.stewardship.decide import approve
from tur.stewardship.ledger import Steward
from tur.stewardship.review import review
from tur.store.store import Store
from tur_tui.lines import Line, Span, line
from tur_tui.widgets.safe_text import safe, wrap

MARK = "Wm9uZS0x"
"""Stands inside each sequence, so that it can be told from those of Textual itself."""

CORPUS = {
    "markup": "[/ [/] [@click=app.quit]press[/] [bold red]x[/bold] [0] [link=https://evil.example]x[/link]",
    "click": "[@click=app.pane_audit]read me[/]",
    "colour": f"\x1b[31m{MARK}\x1b[0m",
    "clipboard": f"\x1b]52;c;{MARK}\x07 \x1b]52;c;{MARK}\x1b\\",
    "link": f"\x1b]8;;https://{MARK}.example\x1b\\go\x1b]8;;\x1b\\",
    "title": f"\x1b]0;{MARK}\x07",
    "cursor": f"\x1b[2J\x1b[H{MARK}\x1b[999C",
    "c1": f"\x9b31m{MARK} \x9d52;c;{MARK}\x9c \x85",
    "bidi": f"\u202e{MARK}\u202c \u2066x\u2069 \u200f",
    "zero-width": f"a\u200bb\ufeffc\u2060d{MARK}",
    "tags": "x" + "".join(chr(0xE0000 + ord(char)) for char in "ignore rules"),
    "private": "\ue000\U000f0000",
    "separators": "one\u2028two\u2029three\x0bfour\x0cfive\rsix",
    "nul": "a\x00b\x07c\x08d\x7fe",
    "wide": "表示表示表示 ｗｉｄｅ 한국어 " * 8,
    "combining": "e" + "\u0301" * 60 + " Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!",
    "emoji": "👨‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 ❤️ 🇩🇪 👍🏽",
    "long-line": "x" * 100_000 + f"\x1b]52;c;{MARK}\x07",
    "many-lines": "\n".join(f"line {number} \x1b[3{number % 8}m" for number in range(10_000)),
    "rich": "{{}} %s %(x)s ${x} \\[ \\n `code` <b>html</b> | a | b |",
}
SURROGATE = "lone \ud800 \udfff surrogate"


@pytest.mark.parametrize("name", [*CORPUS, "surrogate"])
def test_lines_hold_nothing_a_terminal_obeys(name: str) -> None:
    text = CORPUS.get(name, SURROGATE)
    shown = safe(text)
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp", "Co")]
    shown.encode("utf-8")
    for width in (8, 20, 78):
        pieces = list(wrap(Line((Span("text", "  "), Span("text", text[:20_000])), 2), width))
        assert all(cell_len(piece.plain) <= width for piece in pieces)


def test_wrapping_loses_no_word() -> None:
    text = "one two  three-four five, 表示 six " * 9
    joined = "".join(piece.plain for piece in wrap(line(text), 17))
    assert re.sub(r"\s", "", joined) == re.sub(r"\s", "", text)


def test_a_megabyte_on_one_line_is_wrapped_in_time() -> None:
    assert sum(len(piece.plain) for piece in wrap(line("word " * 200_000), 80)) > 700_000
    assert sum(1 for _ in wrap(line("x" * 1_000_000), 80)) == 12_500


def hostile_store(folder: Path) -> Store:
    """A store whose notes, memories and pending core memories hold the corpus, written past the checks of the verbs."""
    store = empty_store(folder)
    session_id, _ = store.sessions.begin()
    with store.sessions.database(session_id) as database:
        for text in CORPUS.values():
            database.add_note(NOON, "pi", text[:60_000])
        database.add_note(NOON, f"a\x1b]52;c;{MARK}\x07", "an author with an escape")
    notes = store.sessions.load(session_id).notes
    for at, text in enumerate(CORPUS.values()):
        content = text[:60_000]
        born = NOON + timedelta(seconds=at)
        for core in (None, Core(CoreType.RELATIONAL_DISCOVERY, content[:900], content[:900])):
            kind = MemoryType.CORE if core else MemoryType.FACT
            scope = Scope.UNIVERSAL if core else Scope.INCARNATION
            identity = memory_id(scope, kind, content, core)
            links = (MemoryLink(note_uri(session_id, at + 1), "consolidated_from", notes[at].hash),)
            status = Status.PENDING_APPROVAL if core else Status.ACTIVE
            store.memories.add(
                Memory(
                    id=identity,
                    seal=memory_seal(identity, born, links),
                    type=kind,
                    scope=scope,
                    title=content[:80],
                    content=content,
                    timestamp=born,
                    author="pi",
                    session=session_id,
                    tags=(content[:30],),
                    links=links,
                    lifecycle=(LifecycleEntry(born, status, "pi", session_id, reason=content[:200]),),
                    core=core,
                )
            )
            if core and content.startswith("[/ "):
                approve(store, review(store, identity), Steward("architect"))
    return store


def rest(child: "pexpect.spawn[bytes]", quiet: float) -> None:
    """Read what the app draws until it draws nothing for `quiet` seconds.

    Evidence follows the cursor after a moment, and a terminal waits for what may come after an escape.
    """
    with contextlib.suppress(pexpect.TIMEOUT):
        for _ in range(200):
            child.read_nonblocking(65_536, timeout=quiet)


def test_no_escape_from_content_reaches_a_terminal(place: Path) -> None:
    store = hostile_store(place)
    screen = io.BytesIO()
    environment = {
        "HOME": str(place),
        "TUR_HOME": str(store.home.root),
        "PATH": os.environ["PATH"],
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
    }
    program = str(Path(sys.executable).parent / "tur-adm")
    child = pexpect.spawn(
        program, cwd=str(store.terrain.root.parent), env=environment, dimensions=(30, 110), timeout=20
    )
    child.delaybeforesend = None
    child.logfile_read = screen
    child.expect_exact("Timeline")
    walk = [*"1", "\t", *"jjjjjjjjjjjjjjjjjjjjj", "\t", *"G", "\x1b"]
    walk += ["2", *"jjjjjjjjjjjjjjjjjjjjs", "3", *"jjjjjjjjjjjjjjjjjjjj", "r", "\x1b"]
    walk += ["E", "\x1b", *"kkvkvkv", "a", "\x1b", "r", "\x1b", "m", "\x1b"]
    walk += ["4", "5", *"jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj", "G", "f", "\x1b", "6", "?", "\x1b", "/", "[/", "\r"]
    for key in walk:
        child.send(key)
        rest(child, 0.3 if key == "\x1b" else 0.12)
    assert child.isalive(), screen.getvalue()[-2000:]
    for _ in range(5):  # On a busy machine the filter may still be open, and q be a letter of it.
        child.send("\x1b")
        rest(child, 0.3)
        child.send("q")
        if child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=5) == 0:
            break
    child.close()
    assert child.exitstatus == 0
    out = screen.getvalue()
    text = out.decode("utf-8", "replace")
    assert "Traceback" not in text
    assert MARK in text, "the corpus was never on screen"
    # Textual's own sequences are cursor moves, colours and modes: never these, and never with our mark in them.
    assert not re.search(rb"\x1b\]52;|\x1b\]8;|\x1b\]0;", out)
    assert not re.search(rf"\x1b[^\x1b]{{0,12}}[;/]{MARK}", text)
    assert not re.search("[\u0080-\u009f\u202a-\u202e\u2066-\u2069\u200b\u200f\ufeff\u2060\u2028\u2029\ue000]", text)
    assert not [char for char in text if 0xE0000 <= ord(char) <= 0xE007F and char not in "󠁧󠁢󠁳󠁣󠁴󠁿"]
