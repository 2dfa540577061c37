"""Fixtures that any test may use."""

import os
from pathlib import Path

import pytest

from tests.scratch import Terrain, make_terrain
from tur.store.store import Store


@pytest.fixture
def terrain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terrain:
    """A scratch terrain with its own home; this process stands in it, with an environment free of any harness."""
    made = make_terrain(tmp_path)
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
