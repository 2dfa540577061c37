"""Fixtures that any test may use."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scratch import Terrain, make_terrain
from tur.store.store import Store

MEMORY_DISK = Path("/dev/shm")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """An empty folder, in memory where that is possible: tests write much, and none of them pulls the plug."""
    if not os.access(MEMORY_DISK, os.W_OK) or shutil.disk_usage(MEMORY_DISK).free < 256 * 1024 * 1024:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="tur-test-", dir=MEMORY_DISK) as folder:
        yield Path(folder)


@pytest.fixture
def terrain(place: Path, monkeypatch: pytest.MonkeyPatch) -> Terrain:
    """A scratch terrain with its own home; this process stands in it, with an environment free of any harness."""
    made = make_terrain(place)
    for name in set(os.environ) - set(made.environment):
        monkeypatch.delenv(name)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(made.folder)
    return made


@pytest.fixture
def store(terrain: Terrain) -> Store:
    """The store of a scratch terrain, at a clock that stands still."""
    return terrain.store()
