"""How long the app takes to its first paint and rows, and to fill each pane, on a small store and on a large one.

Run it as `python -m benchmarks.first_paint [COUNT]`: COUNT sessions and COUNT memories, 100,000 unless
given, against 100. Exit code 1 when the large store's first paint takes more than twice the small one's.
"""

import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from textual import events

from tur.clock import FixedClock
from tur.codec.memory_file import render_memory
from tur.codec.seal import memory_id, memory_seal, note_hash
from tur.codec.timeline import render_timeline
from tur.ids import note_uri
from tur.model.memory import LifecycleEntry, Memory, MemoryLink, MemoryType, Scope, Status
from tur.model.note import Note
from tur.model.session import SessionConsolidationInfo, SessionNotes, SessionState
from tur.paths import HomePaths, memory_file_name
from tur.service.setup import set_up
from tur.store.store import Store, open_store
from tur_tui.actions import PANES
from tur_tui.app import TurApp
from tur_tui.compose import SessionKeeping, Stewardship
from tur_tui.screens.pane import Pane

SMALL, LARGE = 100, 100_000
ROUNDS = 5
ALLOWED = 2.0
BEGIN = datetime(2020, 1, 1, tzinfo=UTC)


def build(folder: Path, count: int) -> Store:
    """A store of `count` dreamt sessions and as many memories, each resting on a note."""
    clock = FixedClock(BEGIN + timedelta(minutes=10 * count + 60))
    (folder / "project").mkdir(parents=True)
    done = set_up(HomePaths(folder / "home"), clock, folder / "project", persona_name="Bench")
    store = open_store(HomePaths(folder / "home"), done.terrain, clock, folder / "config")
    timelines, memories = store.terrain.timelines(store.persona_id), store.terrain.memories(store.persona_id)
    timelines.mkdir(parents=True, exist_ok=True)
    memories.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        session, memory = _pair(store.persona_id, number)
        (timelines / f"{session.session_id}.yaml").write_bytes(render_timeline(session))
        (memories / memory_file_name(memory.id)).write_bytes(render_memory(memory))
    return store


def _pair(persona_id: str, number: int) -> tuple[SessionNotes, Memory]:
    at = BEGIN + timedelta(minutes=10 * number)
    session_id = f"{at:%Y%m%d_%H%M%S}_{number:08x}"
    text = f"Step {number}: the port of preview {number} is {8000 + number}."
    note = Note(1, at, "codex", text, note_hash(None, 1, at, "codex", text))
    content = f"The port of preview {number} is {8000 + number}."
    identity = memory_id(Scope.INCARNATION, MemoryType.FACT, content)
    links = (MemoryLink(note_uri(session_id, 1), "consolidated_from", note.hash),)
    memory = Memory(
        id=identity,
        seal=memory_seal(identity, at, links),
        type=MemoryType.FACT,
        scope=Scope.INCARNATION,
        title=content,
        content=content,
        timestamp=at,
        author="codex",
        session=session_id,
        links=links,
        lifecycle=(LifecycleEntry(at, Status.ACTIVE, "codex", session_id),),
    )
    session = SessionNotes(
        session_id=session_id,
        persona_id=persona_id,
        state=SessionState.ENDED,
        started_at=at,
        ended_at=at,
        manifestations=["codex"],
        consolidation=SessionConsolidationInfo(
            consolidated=True,
            consolidated_at=at,
            derived_memory_ids=[identity],
            consolidation_model="bench",
            note_count_at_consolidation=1,
        ),
        notes=[note],
    )
    return session, memory


async def _open(store: Store) -> tuple[float, float]:
    """Seconds to the first paint, and to the first rows of the first pane."""
    begun = time.monotonic()
    app = TurApp(Stewardship(store, "architect"), SessionKeeping(store, "architect"))
    async with app.run_test(size=(120, 40)) as pilot:
        while not isinstance(app.screen, Pane) or not app.screen.size.width:
            await asyncio.sleep(0.001)
        await app.screen.wait_for_refresh()
        painted = time.monotonic() - begun
        pane = app.screen
        while not (pane.listing is not None and pane.detail is not None):
            await asyncio.sleep(0.005)
        rows = time.monotonic() - begun
        await pilot.pause()
    return painted, rows


def measure(store: Store) -> tuple[float, float]:
    """The medians of several openings."""
    times = [asyncio.run(_open(store)) for _ in range(ROUNDS)]
    return statistics.median(one[0] for one in times), statistics.median(one[1] for one in times)


async def _panes(store: Store) -> dict[str, float]:
    """Seconds from the key of each pane until its list and evidence are there; the first visit of each."""
    app = TurApp(Stewardship(store, "architect"), SessionKeeping(store, "architect"))
    taken = {}
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(1)
        for number, name in enumerate(PANES, start=1):
            begun = time.monotonic()
            app.post_message(events.Key(str(number), str(number)))
            while not _is_filled(app, name):
                await asyncio.sleep(0.005)
            taken[name] = time.monotonic() - begun
    return taken


def _is_filled(app: TurApp, name: str) -> bool:
    pane = app.screen
    return (
        isinstance(pane, Pane)
        and pane.name_of_pane == name
        and pane.listing is not None
        and pane.detail_of == pane.entries.current
    )


def main(count: int) -> int:
    """Build, measure, tell; 1 when the large store is too slow."""
    folder = Path(tempfile.mkdtemp(prefix="tur-bench-"))
    try:
        found = {}
        for size in (SMALL, count):
            store = build(folder / str(size), size)
            begun = time.monotonic()
            asyncio.run(_open(store))  # makes the index; not counted below
            first = time.monotonic() - begun
            found[size] = measure(store)
            paint, rows = found[size]
            print(f"{size:>8,} sessions and memories: first paint {paint:.3f} s, rows and evidence {rows:.3f} s")
            print(f"{'':>8} the very first opening, while the index is built: {first:.2f} s in all")
            filled = ", ".join(f"{name} {taken:.2f} s" for name, taken in asyncio.run(_panes(store)).items())
            print(f"{'':>8} each pane, with its list and the first entry's evidence: {filled}")
            filled = ", ".join(f"{name} {taken:.2f} s" for name, taken in asyncio.run(_panes(store)).items())
            print(f"{'':>8} the same by the next process: {filled}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    ratio = found[count][0] / found[SMALL][0]
    print(f"first paint: {ratio:.2f} times that of the small store, at most {ALLOWED} allowed")
    return int(ratio > ALLOWED)


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else LARGE))
