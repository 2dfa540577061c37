"""What a survey of the sessions keeps for the next one never changes what it finds."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.core.retention_store import add_session, make_store, reopened
from tur.model.session import SessionNotes
from tur.service.rotation import rotate_sessions
from tur.store import known as known_module
from tur.store.index import open_index
from tur.store.known import KnownRecords
from tur.store.retire import survey
from tur.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = make_store(tmp_path)
    for age in range(1, 7):
        add_session(store, days_ago=age, database=age == 1, label=f"task {age}")
    with open_index(store.terrain.index, store.memories):
        pass
    yield store


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_module, "KEPT_FROM", 1)


def add_one(store: Store) -> None:
    add_session(store, days_ago=0.5, database=False)


def edit_one(store: Store) -> None:
    path = sorted(store.terrain.timelines(store.persona_id).glob("*.yaml"))[0]
    path.write_text(path.read_text(encoding="utf-8").replace("consolidated: true", "consolidated: false"))


def damage_one(store: Store) -> None:
    sorted(store.terrain.timelines(store.persona_id).glob("*.yaml"))[0].write_text("notes: [", encoding="utf-8")


def archive_some(store: Store) -> None:
    rotate_sessions(store, 2)


def remove_one(store: Store) -> None:
    sorted(store.terrain.timelines(store.persona_id).glob("*.yaml"))[1].unlink()


CHANGES: list[Callable[[Store], None]] = [add_one, edit_one, damage_one, archive_some, remove_one]


@pytest.mark.parametrize("archived", [True, False], ids=["all", "primary"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_by_the_same_process_and_by_the_next(
    store: Store, few: None, change: Callable[[Store], None], archived: bool
) -> None:
    known = KnownRecords()
    survey(store, known=known)
    change(store)
    truth = survey(store, archived=archived)
    assert survey(store, archived=archived, known=known) == truth
    assert survey(reopened(store), archived=archived, known=KnownRecords()) == truth


def test_what_is_known_is_not_read_again(store: Store, few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    found = survey(store, known=KnownRecords())
    read: list[str] = []
    load = store.sessions.load

    def loaded(one: str) -> SessionNotes:
        read.append(one)
        return load(one)

    monkeypatch.setattr(store.sessions, "load", loaded)
    assert survey(store, known=KnownRecords()) == found
    with_database = [one.id for one in found if one.db_bytes]
    assert read == with_database and len(with_database) == 1


@pytest.mark.parametrize(
    "record",
    ["not json", json.dumps([1, 2]), json.dumps({"id": "x"}), json.dumps([None] * 14)],
    ids=["no-json", "other-version", "mapping", "nothing"],
)
def test_what_was_kept_wrong_counts_for_nothing(store: Store, few: None, record: str) -> None:
    truth = survey(store, known=KnownRecords())
    with closing(sqlite3.connect(store.terrain.index)) as connection, connection:
        connection.execute("UPDATE timelines SET record = ?", [record])
    assert survey(store, known=KnownRecords()) == truth


def test_a_store_without_an_index_is_surveyed_all_the_same(store: Store, few: None) -> None:
    truth = survey(store)
    store.terrain.index.unlink()
    assert survey(store, known=KnownRecords()) == truth
    assert not store.terrain.index.exists()


def test_sessions_that_are_gone_are_struck_out(store: Store, few: None) -> None:
    survey(store, known=KnownRecords())
    archive_some(store)
    remove_one(store)
    add_one(store)
    there = {one.id for one in survey(store, known=KnownRecords())}
    with closing(sqlite3.connect(store.terrain.index)) as connection:
        kept = {row[0] for row in connection.execute("SELECT session FROM timelines")}
    assert kept <= there


def test_progress_may_stop_a_survey(store: Store) -> None:
    class Enough(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Enough

    for age in range(7, 107):
        add_session(store, days_ago=age, database=False, notes=1)
    with pytest.raises(Enough):
        survey(store, known=KnownRecords(), progress=stop)
    assert len(survey(store)) == 106
