"""A session that was rotated into the archive can still be dreamt again."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tur.clock import FixedClock
from tur.dreaming.registry import find_dreamer
from tur.errors import NotFound
from tur.paths import HomePaths
from tur.service.notes import add_note
from tur.service.rotation import rotate_sessions
from tur.service.setup import set_up
from tur.service.show import show_session
from tur.service.sleep import perform_sleep_dreaming
from tur.service.verify import verify_store
from tur.store.store import Store, open_store
from tur.store.tombstones import tombstone_of, write_tombstone


@pytest.fixture
def rotated(tmp_path: Path) -> tuple[Store, str]:
    """A store of three dreamt sessions of which two are archived, and the oldest one's id."""
    clock = FixedClock(datetime(2026, 1, 1, tzinfo=UTC), timedelta(seconds=5))
    home, project = HomePaths(tmp_path / "home"), tmp_path / "project"
    project.mkdir()
    store = open_store(home, set_up(home, clock, project).terrain, clock, tmp_path / "config")
    oldest = ""
    for number in range(3):
        session_id = add_note(
            store, f"Released v{number}.2.0 of the parser, the old API is gone.", author="pi"
        ).session_id
        perform_sleep_dreaming(store, find_dreamer("offline"), author="pi")
        oldest = oldest or session_id
    assert len(rotate_sessions(store, 1).archived) == 2
    return store, oldest


def test_dreaming_an_archived_session_again_without_anything_new_changes_no_byte(rotated: tuple[Store, str]) -> None:
    store, oldest = rotated
    folder = store.terrain.root / "personas"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    report = perform_sleep_dreaming(store, find_dreamer("offline"), author="pi", session=oldest, force=True)
    assert report.outcome == "unchanged"
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_further_note_brings_an_archived_session_back_with_all_its_notes(rotated: tuple[Store, str]) -> None:
    store, oldest = rotated
    further = "From now on every release note must name the removed functions."
    perform_sleep_dreaming(store, find_dreamer("offline"), author="pi", session=oldest, force=True, final_note=further)
    session = store.sessions.load(oldest)
    assert [note.text for note in session.notes][1:] == [further]
    assert session.consolidation.note_count_at_consolidation == 2
    assert store.sessions.timeline_path(oldest) == store.terrain.timeline(store.persona_id, oldest)
    assert not store.terrain.timeline(store.persona_id, oldest, archived=True).exists()
    assert not verify_store(store)


def test_showing_a_deleted_session_says_when_it_was_deleted(rotated: tuple[Store, str]) -> None:
    store, oldest = rotated
    stone = tombstone_of(store.sessions.load(oldest), datetime(2026, 2, 1, tzinfo=UTC), "older than 10 days")
    write_tombstone(store.terrain, store.persona_id, stone)
    store.terrain.timeline(store.persona_id, oldest, archived=True).unlink()
    with pytest.raises(NotFound, match="was deleted on 2026-02-01"):
        show_session(store, oldest)
