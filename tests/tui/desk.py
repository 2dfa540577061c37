"""A home, a terrain and the two programs as real processes, with no harness variable in their environment."""

import atexit
import io
import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pexpect
from pexpect.fdpexpect import fdspawn

import tur_agent.cli.main
import tur_tui.cli.main
from tur.clock import SystemClock
from tur.paths import HomePaths, TerrainPaths
from tur.store.store import Store, open_store

ROOT = Path(__file__).parents[2]
MODULES = {"tur": "tur_agent.cli.main", "tur-adm": "tur_tui.cli.main"}
# Loaded once here, so that no forked command loads them again.
for _name in (
    *("pydantic", "sqlite_utils", "cryptography.hazmat.primitives.kdf.scrypt", "tur.model.persona"),
    *("tur.model.session", "tur.service.wake", "tur.service.verify", "tur.service.learn", "tur.service.evolve"),
    *("tur.service.setup", "tur.stewardship.decide", "tur.stewardship.steward", "tur.codec.delta_json"),
):
    import_module(_name)

MAINS = {"tur": tur_agent.cli.main.main, "tur-adm": tur_tui.cli.main.main}
PASSPHRASE = "correct horse battery staple"


@dataclass
class Desk:
    """`folder` is the project, `home` is TUR_HOME, `config` XDG_CONFIG_HOME."""

    folder: Path
    home: Path
    config: Path
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder.parent),
            "TUR_HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.config),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            **self.extra,
        }

    def command(self, program: str, *arguments: str) -> list[str]:
        start = f"import sys; from {MODULES[program]} import main; sys.exit(main())"
        return [sys.executable, "-c", start, *arguments]

    def run(self, program: str, *arguments: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        """A command without a terminal, in a process of its own."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin.encode())
            given.seek(0)
            pid = os.fork()
            if pid == 0:
                for stream, descriptor in ((given, 0), (out, 1), (err, 2)):
                    os.dup2(stream.fileno(), descriptor)
                self._become(program, arguments)
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read().decode())
        return subprocess.CompletedProcess([program, *arguments], code, *texts)

    def _become(self, program: str, arguments: Sequence[str]) -> NoReturn:
        """Be that program: what a fresh interpreter would be, without the second it takes to load."""
        code = 99
        try:
            environment = self.environment
            os.chdir(self.folder)
            os.environ.clear()
            os.environ.update(environment)
            sys.argv = [program, *arguments]
            sys.stdin, sys.stdout, sys.stderr = (
                io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8"),
                io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding="utf-8"),
                io.TextIOWrapper(io.BufferedWriter(io.FileIO(2, "w", closefd=False)), encoding="utf-8"),
            )
            code = MAINS[program]()
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(code)

    def tur(self, *arguments: str) -> str:
        """The stdout of a `tur` command that succeeds."""
        done = self.run("tur", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def tur_json(self, *arguments: str) -> Any:
        return json.loads(self.tur(*arguments, "--json"))

    def adm(self, *arguments: str) -> str:
        """The stdout of a `tur-adm` command that succeeds without a terminal."""
        done = self.run("tur-adm", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def human(self, *arguments: str) -> "Human":
        """A `tur-adm` command in a pseudo-terminal of its own, where a human types."""
        pid, descriptor = pty.fork()
        if pid == 0:
            self._become("tur-adm", arguments)
        return Human(fdspawn(descriptor, encoding="utf-8", timeout=30), pid)

    def fresh_human(self, *arguments: str) -> "Human":
        """The same in a fresh interpreter."""
        words = self.command("tur-adm", *arguments)
        child = pexpect.spawn(
            words[0], words[1:], cwd=str(self.folder), env=self.environment, encoding="utf-8", timeout=60
        )
        return Human(child, None)

    def stage(self, content: str = "The Architect asked me to admit doubt.", **words: str) -> str:
        """Learn something and stage it; gives the id of the core memory."""
        learned = self.tur_json("learn", content, "--type", "insight")["memory"]["id"]
        staged = self.tur_json(
            "evolve",
            learned,
            "--type",
            words.get("type", "relational_discovery"),
            "--principle",
            words.get("principle", "Say what you do not know."),
            "--covenant",
            words.get("covenant", "I will never feign certainty."),
        )
        return str(staged["memory"]["id"])

    def approve(self, memory_id: str, passphrase: str | None = None) -> str:
        """Approve as a human does; gives all that was on the screen."""
        with self.human("memory", "approve", memory_id[:8]) as human:
            human.answer("Type the first 8 digits", memory_id[:8])
            if passphrase is not None:
                human.answer("Passphrase", passphrase)
        assert human.code == 0, human.screen
        return human.screen

    def make_key(self, passphrase: str = PASSPHRASE) -> None:
        with self.human("steward", "init") as human:
            human.answer("New passphrase", passphrase)
            human.answer("Once more", passphrase)
        assert human.code == 0, human.screen

    def findings(self) -> set[str]:
        """The codes of what `tur verify` finds."""
        done = self.run("tur", "verify", "--json")
        codes = {one["code"] for one in json.loads(done.stdout)["findings"]}
        assert done.returncode == (1 if codes else 0), done.stderr
        return codes

    def wake(self) -> str:
        return self.tur("wake")

    @property
    def persona_id(self) -> str:
        return next(path.name for path in (self.home / "personas").iterdir())

    @property
    def persona(self) -> Path:
        return self.home / "personas" / self.persona_id

    def file(self, memory_id: str) -> Path:
        return self.persona / "memories" / "active" / f"{memory_id}.md"

    @property
    def log(self) -> Path:
        return self.persona / "audit.jsonl"

    @property
    def trust(self) -> Path:
        return self.config / "tur" / "trust.json"

    def store(self) -> Store:
        """The same store, opened in this process."""
        terrain = TerrainPaths(self.folder / ".tur")
        return open_store(HomePaths(self.home), terrain, SystemClock(), self.config / "tur")


class Human:
    """Someone at a pseudo-terminal; `screen` and `code` are complete once the `with` block ends."""

    def __init__(self, child: Any, pid: int | None) -> None:
        # A prompt is only printed once its answer can be read, so there is nothing to wait for.
        child.delaybeforesend = None
        self._child = child
        self._pid = pid
        self.screen = ""
        self.code: int | None = None

    def __enter__(self) -> "Human":
        return self

    def __exit__(self, *_: object) -> None:
        self._child.expect(pexpect.EOF)
        self.screen += self._child.before
        self._child.close()
        if self._pid is None:
            self.code = self._child.exitstatus
        else:
            self.code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        self.screen = self.screen.replace("\r\n", "\n")

    def answer(self, prompt: str, text: str) -> None:
        """Wait for a prompt, then type a line."""
        self.wait(prompt)
        self._child.sendline(text)

    def wait(self, prompt: str) -> None:
        """Wait for a prompt."""
        self._child.expect_exact(prompt)
        self.screen += self._child.before + self._child.after


@cache
def _made_once() -> Path:
    """What `tur-adm init` makes, for every desk to begin with."""
    place = Path(tempfile.mkdtemp(prefix="tur-desk-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    desk = Desk(place / "project", place / "home", place / "config")
    desk.folder.mkdir(parents=True)
    desk.adm("init", "--persona", "Ada")
    return place


def make_desk(place: Path) -> Desk:
    """A terrain and a home as `tur-adm init` makes them."""
    shutil.copytree(_made_once(), place, dirs_exist_ok=True)
    return Desk(place / "project", place / "home", place / "config")
