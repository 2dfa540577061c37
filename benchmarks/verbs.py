"""What the hot verbs cost: start-up against a bare interpreter, and growth with the number of memories.

usage: python -m benchmarks.verbs [--sizes 100 1000 10000] [--runs 7]

Every figure is the least processor time (user and system) of several real processes, and every
claim is a ratio of two figures of the same run, so the machine's speed drops out.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tur.clock import FixedClock
from tur.codec.memory_file import render_memory
from tur.codec.seal import memory_id, memory_seal
from tur.model.memory import LifecycleEntry, Memory, MemoryType, Scope, Status
from tur.paths import HomePaths, memory_file_name
from tur.service.setup import set_up

SCRIPTS = Path(sys.executable).parent
VERBS: tuple[tuple[str, ...], ...] = (
    ("tur", "--help"),
    ("tur", "note", "measured"),
    ("tur", "learn", "measured"),
    ("tur", "recall", "word7 word3"),
    ("tur", "diff"),
    ("tur", "wake"),
)
START_LIMIT, GROWTH_LIMIT = 15.0, 2.0


def build(folder: Path, count: int) -> tuple[Path, dict[str, str]]:
    """A terrain with `count` memories; the project's folder and the environment to use it with."""
    project = folder / "project"
    project.mkdir(parents=True)
    home = HomePaths(folder / "home")
    born = datetime(2026, 1, 1, tzinfo=UTC)
    done = set_up(home, FixedClock(born), project)
    target = done.terrain.memories(done.persona.id)
    target.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        content = f"Memory {number} of the benchmark holds word{number % 97}, word{number % 31} and word{number % 7}."
        identity = memory_id(Scope.INCARNATION, MemoryType.FACT, content)
        at = born + timedelta(minutes=number)
        entry = LifecycleEntry(at, Status.ACTIVE, "benchmark")
        memory = Memory(
            id=identity,
            seal=memory_seal(identity, at, []),
            type=MemoryType.FACT,
            scope=Scope.INCARNATION,
            title=f"Memory {number}",
            content=content,
            timestamp=at,
            author="benchmark",
            lifecycle=(entry,),
        )
        (target / memory_file_name(identity)).write_bytes(render_memory(memory))
    return project, {**os.environ, "TUR_HOME": str(home.root), "XDG_CONFIG_HOME": str(folder / "config")}


def cost(command: tuple[str, ...], folder: Path, environment: dict[str, str], runs: int) -> float:
    """The least processor time of a command in seconds."""
    program = SCRIPTS / command[0]
    least = float("inf")
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [program, *command[1:]],
            cwd=folder,
            env=environment,
            check=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    figures: dict[tuple[str, ...], list[float]] = {verb: [] for verb in VERBS}
    with tempfile.TemporaryDirectory(prefix="tur-benchmark-") as scratch:
        bare = cost((Path(sys.executable).name, "-c", "pass"), Path(scratch), dict(os.environ), options.runs)
        for size in options.sizes:
            project, environment = build(Path(scratch) / str(size), size)
            for warm_up in (("tur", "wake"), ("tur", "diff")):
                cost(warm_up, project, environment, 1)
            for verb in VERBS:
                figures[verb].append(cost(verb, project, environment, options.runs))
    print(f"bare interpreter: {bare * 1000:.0f} ms; every figure is times that; sizes {options.sizes} memories")
    for verb, costs in figures.items():
        name = " ".join(verb[:2])
        row = "  ".join(f"{one / bare:6.1f}x" for one in costs)
        print(f"{name:12} {row}   growth {costs[-1] / costs[0]:.2f}x (limit {GROWTH_LIMIT:.0f}x)")
    slowest = max(figures[verb][0] / bare for verb in VERBS[:2])
    print(f"start of --help and note: at most {slowest:.1f}x a bare interpreter (limit {START_LIMIT:.0f}x)")


if __name__ == "__main__":
    main()
