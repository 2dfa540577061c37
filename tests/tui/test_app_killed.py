"""SIGKILL while the app carries out an act: the store is as before it or as after it, and the app opens again.

The app runs as a process of its own in a pseudo-terminal and is driven by keys. It kills itself at each
fault point of an act (`tur.faults`), or is killed at random moments.
"""

import fcntl
import io
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import sys
import termios
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import pytest

import tur_tui.cli.main
from tests.tui.app_stores import demo_store
from tur import faults
from tur.clock import SystemClock
from tur.model.memory import Memory, MemoryType
from tur.paths import HomePaths, find_terrain
from tur.service.core_trust import audit_file, core_trust, settle
from tur.store.index import open_index
from tur.store.store import Store, open_store
from tur_tui.compose import SessionKeeping, Stewardship

import_module("tur_tui.app")  # here once, so that no forked app loads it again

ROWS, COLUMNS = 60, 100
"""So large that a memory is on screen in full, as approving it asks for."""

AT_ONCE = 3
SECONDS = 40
Step = tuple[str, str]
"""What must be on screen, then what is typed."""


@dataclass(frozen=True)
class Act:
    """An act of the steward: what happened before, the keys that lead to it, and what the app says when it is done."""

    before: Callable[[Store], object]
    steps: Callable[[Store], Sequence[Step]]
    done: str


def first(store: Store, wanted: Callable[[Memory], bool]) -> Memory:
    return min(filter(wanted, store.memories.load_all()[0]), key=lambda one: (one.timestamp, one.id))


def pending(store: Store) -> Memory:
    return first(store, lambda one: one.type is MemoryType.CORE and "not done" in str(one.core))


def fact(store: Store) -> Memory:
    return first(store, lambda one: "8790" in one.content)


def desk(store: Store) -> Stewardship:
    return Stewardship(store, "architect", ("test",))


def keeping(store: Store) -> SessionKeeping:
    return SessionKeeping(store, "architect", ("test",))


def oldest(store: Store) -> str:
    return min(store.sessions.ids())


def in_review(store: Store) -> list[Step]:
    return [("Sessions", "3"), (f"concept-{pending(store).id[:8]}", "")]


def in_memories(store: Store) -> list[Step]:
    return [
        ("Sessions", "5"),
        ("concept-", "/"),
        ("words, then enter", "8790\r"),
        (f"concept-{fact(store).id[:8]}", ""),
    ]


def in_prune(keys: str) -> list[Step]:
    return [("Sessions", "4"), ("Preview", keys)]


ACTS = {
    "approve": Act(
        lambda store: None,
        lambda store: [*in_review(store), ("seen 100%", "a"), ("to approve it", f"{pending(store).id[:8]}\r")],
        "Approved",
    ),
    "reject": Act(
        lambda store: None,
        lambda store: [*in_review(store), ("seen", "r"), ("in your own words", "2\r")],
        "Rejected",
    ),
    "undo": Act(
        lambda store: desk(store).reject(desk(store).review(pending(store).id), "wrong"),
        lambda store: [("Sessions", "u"), ("to take it back", "undo\r")],
        "Took back",
    ),
    "forget": Act(
        lambda store: None,
        lambda store: [*in_memories(store), ("History", "f"), ("to forget it", f"{fact(store).id[:8]}\r")],
        "Forgot",
    ),
    "restore": Act(
        lambda store: desk(store).forget(fact(store).id),
        lambda store: [*in_memories(store), ("History", "R"), ("to bring it back", f"{fact(store).id[:8]}\r")],
        "Restored",
    ),
    "prune": Act(
        lambda store: None,
        lambda store: [
            ("Sessions", "4"),
            ("Preview", "n"),
            # Textual handles a key that a binding takes after a letter that comes in the same breath.
            ("Rule", "\x7f\x7f"),
            ("without a rule", "1\r"),
            ("2 of 4 sessions go", "x"),
            ("to archive them", "2\r"),
        ],
        "Archived 2 sessions",
    ),
    "restore-session": Act(
        lambda store: keeping(store).apply(keeping(store).preview_archive(oldest(store))),
        lambda store: [
            ("Sessions", "4"),
            ("Preview", "R"),
            ("Archived session", "R"),
            ("byte for byte", f"{oldest(store)[-8:]}\r"),
        ],
        "Restored",
    ),
}


@dataclass
class App:
    """The app over a store, as a process in a pseudo-terminal; `killed` is set once it died of SIGKILL."""

    store: Store
    steps: Sequence[Step]
    done: str
    die_at: int | None = None
    die_after: float | None = None
    points: list[str] = field(default_factory=list)
    finished: bool = False
    _typed: bytes = b""
    _screen: bytes = b""
    _due: float | None = None

    def start(self) -> None:
        self._log, log = os.pipe()
        self._pid, self.fd = pty.fork()
        if self._pid == 0:
            self._become(log)
        os.close(log)
        self._left = [*self.steps, (self.done, "")]
        self._deadline = time.monotonic() + SECONDS

    def _become(self, log: int) -> None:
        try:
            folder = self.store.home.root.parent
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.chdir(self.store.terrain.root.parent)
            found = {
                "HOME": str(folder),
                "TUR_HOME": str(self.store.home.root),
                "XDG_CONFIG_HOME": str(folder / "config"),
            }
            os.environ.clear()
            os.environ.update({**found, "PATH": os.defpath, "TERM": "xterm-256color", "LANG": "C.UTF-8"})
            sys.argv = ["tur-adm"]
            for at, name in enumerate(("stdin", "stdout", "stderr")):
                stream = io.TextIOWrapper(io.FileIO(at, "w" if at else "r", closefd=False), encoding="utf-8")
                setattr(sys, name, stream)
                setattr(sys, f"__{name}__", stream)
            passed = 0

            def hook(point: str) -> None:
                nonlocal passed
                os.write(log, f"{point}\n".encode())
                if passed == self.die_at:
                    os.kill(os.getpid(), signal.SIGKILL)
                passed += 1

            faults.hook = hook
            tur_tui.cli.main.main([])
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(0)

    def go_on(self, readable: bool) -> bool:
        """Take what is on the screen, and type what comes next; False once the process is gone."""
        now = time.monotonic()
        if self._due is not None and now >= self._due:
            os.kill(self._pid, signal.SIGKILL)
            self._due = None
        if now > self._deadline:
            os.kill(self._pid, signal.SIGKILL)
            raise AssertionError(f"waited for {self._left[:1]} in vain: {self._plain()[-3000:]}")
        if not readable:
            return True
        try:
            got = os.read(self.fd, 65_536)
        except OSError:
            got = b""
        if not got:
            self._end()
            return False
        self._screen += got
        if "Not yet" in self._plain():
            # It was typed before the app knew that all of it is on screen.
            self._screen = b""
            os.write(self.fd, self._typed)
        while self._left and self._left[0][0] in self._plain():
            _, keys = self._left.pop(0)
            if not self._left:
                self.finished = True
                os.kill(self._pid, signal.SIGKILL)
            elif keys:
                self._screen, self._typed = b"", keys.encode()
                os.write(self.fd, self._typed)
                if len(self._left) == 1 and self.die_after is not None:
                    self._due = time.monotonic() + self.die_after
        return True

    def _plain(self) -> str:
        return re.sub(r"\x1b(\[[0-9;:?<>=]*[ -/]*[@-~]|[^\[])", "", self._screen.decode("utf-8", "replace"))

    def _end(self) -> None:
        status = os.waitpid(self._pid, 0)[1]
        os.close(self.fd)
        with os.fdopen(self._log) as log:
            self.points = log.read().split()
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, self._plain()[-3000:]


def run_all(apps: Iterable[App]) -> None:
    """Run the apps to their deaths, a few at once."""
    waiting, running = list(apps)[::-1], dict[int, App]()
    while waiting or running:
        while waiting and len(running) < AT_ONCE:
            app = waiting.pop()
            app.start()
            running[app.fd] = app
        ready, _, _ = select.select(list(running), [], [], 0.01)
        for fd in list(running):
            if not running[fd].go_on(fd in ready):
                del running[fd]


# -- what a store holds ----------------------------------------------------------------------------


def opened(folder: Path) -> Store:
    """The store in a folder, as a process that starts now finds it."""
    home = HomePaths(folder / "home")
    terrain = find_terrain(folder / "project", home)
    assert terrain is not None
    return open_store(home, terrain, SystemClock(), folder / "config" / "tur")


def template(place: Path, act: Act) -> Store:
    """The store before an act."""
    store = opened(demo_store(place).home.root.parent)
    act.before(store)
    with open_index(store.terrain.index, store.memories):
        return store


def copied(store: Store, folder: Path) -> Store:
    shutil.copytree(store.home.root.parent, folder)
    return opened(folder)


def standing(store: Store) -> dict[str, object]:
    """What acts of the steward change: how each memory stands, where each session lies, what the log says."""
    memories = {
        one.id: [(entry.status, entry.by, entry.reason) for entry in one.lifecycle]
        for one in store.memories.load_all()[0]
    }
    live = sorted(path.stem for path in store.terrain.timelines(store.persona_id).glob("*.yaml"))
    entries = audit_file(store).read().entries
    acts = [(one.act, one.id) for one in entries if not (one.reason or "").startswith("doctor: ")]
    return {"memories": memories, "live": live, "acts": acts}


def notes(store: Store) -> dict[str, list[str]]:
    return {one: [note.hash for note in store.sessions.load(one).notes] for one in store.sessions.ids()}


def check(app: App, before: Store, after: Store) -> None:
    """What died left nothing half done behind that the next one does not finish or take back."""
    store = opened(app.store.home.root.parent)
    where = f"killed after {app.points[-1:]}"
    assert notes(store) == notes(before), where
    settle(store)
    examination = keeping(store).examine()
    assert not [one for one in keeping(store).treat(examination) if one.failed], where
    assert keeping(store).examine().ailments == (), where
    assert standing(store) in (standing(before), standing(after)), where
    assert notes(store) == notes(before), where
    assert store.memories.load_all()[1] == [], where
    log = audit_file(store).read()
    assert not log.faults and not log.torn, where
    assert core_trust(store).alarms == core_trust(after).alarms, where


def reopen(apps: Sequence[App]) -> None:
    """The app opens over what died half way, and shows a session."""
    run_all([App(apps[len(apps) // 2].store, [], "touched by this session")])


@pytest.mark.parametrize("name", ACTS)
def test_killed_at_every_fault_point_of_an_act(place: Path, name: str) -> None:
    act = ACTS[name]
    before = template(place, act)
    steps = act.steps(before)
    whole = App(copied(before, place / "whole"), steps, act.done)
    run_all([whole])
    assert whole.finished
    # Points that come again for each session of a prune are passed alike; the last one ends the act.
    places = [at for at, point in enumerate(whole.points) if point not in whole.points[:at]]
    places = sorted({*places, len(whole.points) - 1})
    apps = [App(copied(before, place / f"died-{at}"), steps, act.done, die_at=at) for at in places]
    run_all(apps)
    assert [app.points[-1] for app in apps] == [whole.points[at] for at in places]
    assert not any(app.finished for app in apps)
    after = opened(whole.store.home.root.parent)
    assert standing(before) != standing(after)
    reopen(apps)
    for app in apps:
        check(app, before, after)


@pytest.mark.parametrize("name", ["approve", "prune"])
def test_killed_at_random_moments_of_an_act(place: Path, name: str) -> None:
    act, rng = ACTS[name], random.Random(name)
    before = template(place, act)
    steps = act.steps(before)
    whole = App(copied(before, place / "whole"), steps, act.done)
    run_all([whole])
    apps = [
        App(copied(before, place / f"died-{at}"), steps, act.done, die_after=rng.random() * 0.25) for at in range(4)
    ]
    run_all(apps)
    reopen(apps)
    after = opened(whole.store.home.root.parent)
    for app in apps:
        check(app, before, after)
