"""A memory: immutable content under a content address, and an append-only lifecycle."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum


class MemoryType(StrEnum):
    """What kind of knowledge a memory is; files write it in capitals."""

    FACT = "fact"
    INSIGHT = "insight"
    AXIOM = "axiom"
    EVENT = "event"
    PREFERENCE = "preference"
    CORE = "core"


class Scope(StrEnum):
    """Where a memory holds: this terrain, or (the other three) the home."""

    INCARNATION = "incarnation"
    PERSONA = "persona"
    USER = "user"
    UNIVERSAL = "universal"


class Status(StrEnum):
    """Where a memory stands in its life."""

    PENDING_APPROVAL = "pending_approval"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    REFUTED = "refuted"
    MERGED = "merged"
    REJECTED = "rejected"
    ARCHIVED = "archived"


class CoreType(StrEnum):
    """The three kinds of core memory (EP-0113)."""

    EXISTENTIAL_ALIGNMENT = "existential_alignment"
    RELATIONAL_DISCOVERY = "relational_discovery"
    IDENTITY_TRANSITION = "identity_transition"


class Relation:
    """Names of links between memories and what they rest on."""

    CONSOLIDATED_FROM = "consolidated_from"
    REFINES = "refines"
    SUPERSEDES = "supersedes"
    MERGES = "merges"
    OBSERVED_IN = "observed_in"


@dataclass(frozen=True, slots=True)
class MemoryLink:
    """A typed pointer. `hash` is the hash of what `uri` points to, when it has one."""

    uri: str
    relation: str
    hash: str | None = None


@dataclass(frozen=True, slots=True)
class LifecycleEntry:
    """One change of a memory's standing, appended and never edited.

    `successor` is the id of the memory that superseded or merged this one. `verified` marks
    an `active` entry that only confirmed what was already so.
    """

    at: datetime
    status: Status
    by: str
    session: str | None = None
    reason: str | None = None
    successor: str | None = None
    verified: bool = False


@dataclass(frozen=True, slots=True)
class Core:
    """What a core memory has beyond the rest (EP-0113)."""

    core_type: CoreType
    derived_principle: str
    ethical_covenant: str


@dataclass(frozen=True, slots=True)
class Memory:
    """One L1 record.

    `id` is the content address that the file claims; `tur.codec.seal.memory_id` re-computes it.
    `timestamp` is the time of birth; `lifecycle` is in order of writing, which is the order
    that counts, whatever the clocks said.
    """

    id: str
    seal: str
    type: MemoryType
    scope: Scope
    title: str
    content: str
    timestamp: datetime
    author: str
    session: str | None = None
    tags: tuple[str, ...] = ()
    links: tuple[MemoryLink, ...] = ()
    lifecycle: tuple[LifecycleEntry, ...] = ()
    core: Core | None = None
    extra: dict[str, object] = field(default_factory=dict, hash=False, compare=False)

    @property
    def status(self) -> Status:
        """Where it stands now; a historical record without lifecycle counts as active."""
        return self.lifecycle[-1].status if self.lifecycle else Status.ACTIVE

    @property
    def headline(self) -> str:
        """What tells it apart in a list: a core memory's principle, as its title is made of its id; else the title."""
        return self.core.derived_principle if self.core else self.title

    @property
    def texts(self) -> dict[str, str]:
        """All that it says, by what a human calls the part."""
        said = {"lived context": self.content}
        if self.core is not None:
            said |= {"principle": self.core.derived_principle, "covenant": self.core.ethical_covenant}
        return said

    def appended(self, entry: LifecycleEntry) -> "Memory":
        """The same memory with one more lifecycle entry."""
        return replace(self, lifecycle=(*self.lifecycle, entry))
