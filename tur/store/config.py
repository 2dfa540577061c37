"""What this user's own configuration remembers of audit logs and steward keys: `trust.json`.

It lies outside of every home and terrain, so that neither a copied home nor a cloned terrain can
bring its own trust along. Read leniently by agents, written only under its own lock.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tur.errors import StoreCorrupt, TurError
from tur.model.audit import LogPin, Pins
from tur.paths import TerrainPaths
from tur.store.files import read_file, remove_file, write_file
from tur.store.locks import locked

LIMIT = 4 * 1024 * 1024
VERSION = 1


@dataclass(frozen=True, slots=True)
class TrustFile:
    """The record of one user about one persona in one terrain."""

    config: Path
    persona_id: str
    terrain: TerrainPaths

    @property
    def path(self) -> Path:
        return self.config / "trust.json"

    @property
    def record(self) -> Path:
        """The terrain's own record of the key seen first there. It can only take trust away."""
        return self.terrain.memories(self.persona_id).parent.parent / "steward.json"

    def pins(self) -> Pins:
        """All that is remembered. Never raises: what cannot be read is told in `problem`."""
        problem: str | None = None
        facts: dict[str, object] = {}
        try:
            facts = self._load()
        except TurError as error:
            problem = error.message
        try:
            record = _hex(_mapping(_read_json(self.record)).get("fingerprint"))
        except TurError as error:
            record, problem = None, problem or error.message
        mine = _mapping(_mapping(facts.get("personas")).get(self.persona_id))
        there = _mapping(_mapping(facts.get("terrains")).get(str(self.terrain.root.resolve())))
        log = None
        if mine.get("head") is not None:
            length, head = mine.get("length"), _hex(mine.get("head"))
            if not isinstance(length, int) or length < 0 or head is None:
                problem = problem or f"{self.path}: the record of the audit log makes no sense"
            else:
                log = LogPin(length, head, _hex(mine.get("coming")))
        return Pins(log, _hex(mine.get("key")), _hex(there.get(self.persona_id)), record, problem)

    def announce(self, length: int, head: str, line_hash: str) -> None:
        """Remember the log as it is, and the line about to be written: a crash just after it loses no trust."""
        self._change(lambda mine, _: mine.update({"length": length, "head": head, "coming": line_hash}))

    def advance(self, length: int, head: str) -> None:
        """Remember the log as it is now."""
        self._change(lambda mine, _: mine.update({"length": length, "head": head, "coming": None}))

    def pin_key(self, key: str | None) -> None:
        """Remember the steward key, for this user and for this terrain."""

        def change(mine: dict[str, object], there: dict[str, object]) -> None:
            if key is None:
                mine.pop("key", None)
                there.pop(self.persona_id, None)
            else:
                mine["key"] = there[self.persona_id] = key

        self._change(change)
        if key is None:
            remove_file(self.record)
        else:
            self._write_record(key)

    def pin_terrain(self, key: str) -> None:
        """Remember the key at its first use in this terrain; what is remembered already stays."""
        self._change(lambda _, there: there.update({self.persona_id: there.get(self.persona_id) or key}))
        if not self.record.exists():
            self._write_record(key)

    def _write_record(self, key: str) -> None:
        write_file(self.record, _dump({"version": VERSION, "fingerprint": key}))

    def _load(self) -> dict[str, object]:
        return _mapping(_read_json(self.path))

    def _change(self, change: Callable[[dict[str, object], dict[str, object]], object]) -> None:
        with locked(self.config / "trust.lock"):
            facts = self._load()
            personas, terrains = _mapping(facts.get("personas")), _mapping(facts.get("terrains"))
            place = str(self.terrain.root.resolve())
            mine, there = _mapping(personas.get(self.persona_id)), _mapping(terrains.get(place))
            change(mine, there)
            personas[self.persona_id] = mine
            terrains[place] = there
            if not there:
                del terrains[place]
            write_file(self.path, _dump({**facts, "version": VERSION, "personas": personas, "terrains": terrains}))


def _read_json(path: Path) -> object:
    try:
        return json.loads(read_file(path, limit=LIMIT))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise StoreCorrupt(f"{path} is no JSON", hint="Restore it, or move it away.", path=str(path)) from error


def _dump(facts: dict[str, object]) -> bytes:
    return (json.dumps(facts, indent=1, sort_keys=True) + "\n").encode()


def _mapping(value: object) -> dict[str, object]:
    return dict(value) if isinstance(value, dict) else {}


def _hex(value: object) -> str | None:
    good = isinstance(value, str) and len(value) == 64 and all(char in "0123456789abcdef" for char in value)
    return str(value) if good else None
