"""The demo: three sessions by two manifestations, played through the same services that the verbs call.

Clock and ids are fixed, so the demo store is the same each time, for the screenshots too.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tur.clock import FixedClock
from tur.dreaming.registry import find_dreamer
from tur.errors import Conflict
from tur.ids import note_of_uri, note_uri, short_id
from tur.model.memory import CoreType, Memory, MemoryType
from tur.paths import HomePaths
from tur.service.evolve import evolve
from tur.service.learn import learn, refute
from tur.service.notes import add_note
from tur.service.recall import recall
from tur.service.setup import set_up
from tur.service.sleep import SleepReport, perform_sleep_dreaming
from tur.service.wake import wake
from tur.store.store import Store, open_store

CLAUDE, CODEX = "claude-code", "codex"

FIRST = (
    (CLAUDE, "Reproduced: deleting an author leaves rows behind in book_tags although it says ON DELETE CASCADE."),
    (CODEX, "Cause: PRAGMA foreign_keys is off on every connection of open_db(); SQLite keeps it off by default."),
    (CLAUDE, "Moved PRAGMA foreign_keys = ON into the connection factory. Orphaned rows after the delete test: 0."),
    (CODEX, "Running the whole suite once more."),
    (CODEX, "The maintainer wants error messages without abbreviations, and never a traceback for bad input."),
)
SECOND = (
    (CODEX, "The import of a 2 GB catalogue was killed: it holds every row in memory before the first insert."),
    (CODEX, "Reason: csv rows are collected in a list, so memory grows with the file."),
    (CLAUDE, "Import now streams rows in batches of 500 inside one transaction; peak memory stays at 60 MB."),
    (CLAUDE, "coffee"),
)
THIRD = (
    (CLAUDE, "Released v2.0.0: the old JSON store is gone, all data lives in SQLite."),
    (CODEX, "Staging credentials for the check: postgres://report:hunter2-EXAMPLE@db.example.net/books"),
)


def after() -> FixedClock:
    """A clock for looking at the demo: it stands shortly after the story and goes on by a second a reading."""
    return FixedClock(datetime(2026, 9, 14, 12, 0, tzinfo=UTC), timedelta(seconds=1))


def play(folder: Path) -> Iterator[str]:
    """Play the story in `folder` (`home/` and `project/`) and tell it line by line.

    Raises Conflict when the folder is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict(f"{folder} is not empty", hint="Give the demo a new or an empty folder.")
    clock = FixedClock(datetime(2026, 9, 14, 9, 0, tzinfo=UTC), timedelta(seconds=47))
    home, project = HomePaths(folder / "home"), folder / "project"
    project.mkdir(parents=True)
    done = set_up(home, clock, project, persona_name="Ariel")
    store = open_store(home, done.terrain, clock, folder / "config")
    yield f"A persona, {done.persona.name}, wakes on the terrain {project}."
    yield from _session(store, "The first session, two manifestations on one board", FIRST, "Foreign keys hold now.")
    port = learn(store, "The preview server listens on port 8000.", author=CLAUDE, tags=["preview"]).memory
    yield f"\n{CLAUDE} learns {short_id(port.id)}: {port.content}"
    yield from _session(store, "The second session", SECOND, "Catalogue import is bounded.")
    moved = learn(
        store, "The preview server listens on port 8790.", author=CODEX, tags=["preview"], supersedes=[port.id]
    ).memory
    yield f"\n{CODEX} learns {short_id(moved.id)}, which supersedes {short_id(port.id)}: {moved.content}"
    guess = learn(store, "SQLite enforces foreign keys by default.", author=CODEX).memory
    refute(store, guess.id, "Enforcement is off unless each connection switches it on.", author=CLAUDE)
    yield f"{CLAUDE} refutes {short_id(guess.id)}: {guess.content}"
    rule = learn(
        store,
        "Say openly when a test was skipped.",
        author=CLAUDE,
        type=MemoryType.PREFERENCE,
        session_links=[note_uri(store.sessions.resolve("@~2"), 4)],
    ).memory
    yield f"{CLAUDE} learns {short_id(rule.id)}: {rule.content}"
    staged = evolve(
        store,
        rule.id,
        type=CoreType.RELATIONAL_DISCOVERY,
        principle="Say what was not done before saying what was.",
        covenant="The Architect never has to find out by themselves what I left out.",
        author=CLAUDE,
    ).memory
    yield f"{CLAUDE} stages it as core memory {short_id(staged.id)}; only a human can approve it."
    yield from _session(store, "The third session", THIRD, "Version 2 is out.")
    found, _ = recall(store, "foreign keys")
    yield "\nAsked for “foreign keys”, the agent recalls:"
    yield from (f"  {short_id(hit.memory.id)} {hit.memory.content}" for hit in found[:1])
    yield "\nWhat the next agent reads on waking:\n"
    yield from ("  " + line for line in wake(store, author=CLAUDE).prompt.splitlines())


def _session(store: Store, title: str, notes: tuple[tuple[str, str], ...], closing: str) -> Iterator[str]:
    wake(store, author=notes[0][0])
    yield f"\n== {title}"
    for author, text in notes:
        receipt = add_note(store, text, author=author)
        yield f"  #{receipt.note.idx} ({author}) {receipt.note.text}"
    report = perform_sleep_dreaming(store, find_dreamer("offline"), author=notes[0][0], final_note=closing)
    yield f"  #{len(report.session.notes)} ({notes[0][0]}) {closing}"
    yield from _dream(report)


def _dream(report: SleepReport) -> Iterator[str]:
    yield f"\n  Asleep. The {report.model} engine dreams:"
    for memory in report.created:
        yield f"  {short_id(memory.id)} [{memory.type}] {memory.content}"
        yield f"      from {_sources(memory)}"
    yield from ("  " + line for line in report.summary.splitlines())


def _sources(memory: Memory) -> str:
    named = [note_of_uri(link.uri) for link in memory.links]
    cited = [(one[1], link.hash) for one, link in zip(named, memory.links, strict=True) if one and link.hash]
    return ", ".join(f"note #{idx} (hash {note_hash[:8]})" for idx, note_hash in cited)
