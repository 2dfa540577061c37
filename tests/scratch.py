"""A scratch terrain with a home of its own, and the ways to run Tur in it: as real processes, or in this one."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tur.clock import Clock, FixedClock
from tur.paths import HomePaths, TerrainPaths
from tur.policy.harness import HARNESSES
from tur.service.setup import set_up
from tur.store.store import Store, open_store

NOW = datetime(2026, 9, 18, 12, 0, tzinfo=UTC)
SCRIPTS = Path(sys.executable).parent
TUR_VARIABLES = ("TUR_HOME", "TUR_AGENT", "TUR_DREAM_MODEL", "XDG_CONFIG_HOME", "ANTHROPIC_API_KEY", "NO_COLOR")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said: exit code, stdout and stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on stdout of a command that succeeded."""
        assert self.code == 0, f"exit {self.code}: {self.err}"
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The JSON error on stderr of a command that failed, with stdout empty."""
        assert self.code != 0 and self.out == "", (self.code, self.out)
        return json.loads(self.err.splitlines()[-1])["error"]


@dataclass
class Terrain:
    """A project folder with a store, a home beside it, and a clean environment.

    `clock` holds for what runs in this process.
    """

    folder: Path
    home: Path
    environment: dict[str, str]
    clock: Clock = field(default_factory=lambda: FixedClock(NOW))

    @property
    def root(self) -> Path:
        """The `.tur` folder."""
        return self.folder / ".tur"

    def store(self, clock: Clock | None = None) -> Store:
        """The store as a process that starts now finds it."""
        config = Path(self.environment["XDG_CONFIG_HOME"]) / "tur"
        return open_store(HomePaths(self.home), TerrainPaths(self.root), clock or self.clock, config)

    def run(
        self,
        *argv: str | bytes,
        stdin: str | bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        script: str = "tur",
    ) -> Answer:
        """Run the installed console script as a process of its own; `env` adds to the environment."""
        done = subprocess.run(
            [str(SCRIPTS / script), *argv],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**self.environment, **(env or {})},
            cwd=cwd or self.folder,
            timeout=60,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def tur(self, *argv: str, stdin: str | bytes = b"") -> Answer:
        """Run `tur` in this process at `clock`, which is quicker.

        The `terrain` fixture has set the environment and the folder.
        """
        from tur_agent.cli.main import main

        data = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = io.BytesIO(), io.BytesIO()
        with (
            patch("tur_agent.compose.SystemClock", lambda: self.clock),
            patch("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")),
            patch("sys.stdout", io.TextIOWrapper(out, encoding="utf-8", write_through=True)),
            patch("sys.stderr", io.TextIOWrapper(err, encoding="utf-8", write_through=True)),
        ):
            code = main(argv)
            answer = Answer(code, out.getvalue().decode(), err.getvalue().decode())
        return answer


def make_terrain(place: Path) -> Terrain:
    """A fresh home and terrain below `place`, with a persona called Golem."""
    folder, user = place / "project", place / "user"
    folder.mkdir(parents=True)
    user.mkdir()
    home = user / ".tur"
    unwanted = {*TUR_VARIABLES, *(variable for variable, _ in HARNESSES)}
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    environment |= {"HOME": str(user), "TUR_HOME": str(home), "XDG_CONFIG_HOME": str(user / ".config")}
    set_up(HomePaths(home), FixedClock(NOW), folder, persona_name="Golem")
    return Terrain(folder, home, environment)


def tree(*roots: Path, leave_out: tuple[str, ...] = ("cache",)) -> dict[str, bytes]:
    """Every file below the folders with its bytes, lock files and derived data left out."""
    found = {}
    for root in roots:
        for path in sorted(root.rglob("*")):
            inner = path.relative_to(root)
            if path.is_file() and inner.parts[0] not in leave_out and not path.name.endswith((".lock", "-shm", "-wal")):
                found[f"{root.name}/{inner}"] = path.read_bytes()
    return found
