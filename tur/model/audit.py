"""The audit log's records: what a steward decided, and what this user's own machine remembers of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

GENESIS = "0" * 64
"""What the first line of a log has as the hash of the line before."""


class Act(StrEnum):
    """What a steward can do that the log tells."""

    APPROVE = "approve"
    REJECT = "reject"
    FORGET = "forget"
    RESTORE = "restore"
    UNDO = "undo"
    ACCEPT_EDIT = "accept_edit"
    MERGE = "merge"
    KEY = "key"
    ROTATE = "rotate"
    REPLACE_KEY = "replace_key"
    TRUST = "trust"
    TRUST_CHANGED = "trust_changed"
    PRUNE = "prune"
    IMPORT = "import"
    EXPORT = "export"


RAISING = frozenset({Act.APPROVE, Act.RESTORE})
"""Acts that can put a core memory into the prompt: with a steward key, they count only when signed."""

KEY_ACTS = frozenset({Act.KEY, Act.ROTATE, Act.REPLACE_KEY})
"""Acts after which another key signs."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the log.

    `seq` counts from 1; `previous` is the hash of the line before. `id`, `seal` and `digest` bind
    an act to the memory as it was shown: `digest` covers every word that the prompt would get.
    `public_key` (hex) comes with the acts that bring a key; `fingerprint` names the key that made
    `signature` (hex). `hash` is the hash of the line itself, without being part of it.
    """

    seq: int
    at: datetime
    persona: str
    actor: str
    act: Act
    previous: str
    id: str | None = None
    seal: str | None = None
    digest: str | None = None
    argv: tuple[str, ...] = ()
    reason: str | None = None
    public_key: str | None = None
    fingerprint: str | None = None
    signature: str | None = None
    hash: str = ""


@dataclass(frozen=True, slots=True)
class AuditFault:
    """What is wrong with the log, and in which line (from 1)."""

    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class AuditLog:
    """A log as it was read. `torn` says that its last line was never finished."""

    entries: tuple[AuditEntry, ...] = ()
    faults: tuple[AuditFault, ...] = ()
    torn: bool = False

    @property
    def head(self) -> str:
        """The hash of the last line."""
        return self.entries[-1].hash if self.entries else GENESIS


@dataclass(frozen=True, slots=True)
class LogPin:
    """How far this user knows the log: its length and head, and the hash of a line about to be written."""

    length: int = 0
    head: str = GENESIS
    coming: str | None = None


@dataclass(frozen=True, slots=True)
class Pins:
    """What is remembered outside the persona's home, so that changes behind the steward's back show.

    `log` and `key` lie in the user's configuration; `terrain` is the key seen first in this
    terrain, remembered there too; `record` is the same in the terrain's own folder, which only
    ever takes trust away. `problem` says why the user's own record cannot be read.
    """

    log: LogPin | None = None
    key: str | None = None
    terrain: str | None = None
    record: str | None = None
    problem: str | None = None
