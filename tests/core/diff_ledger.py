"""Ledgers for the tests of `tur diff`: a builder for hand-made ones and a strategy for generated ones."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from tur.ids import note_uri
from tur.model.memory import (
    LifecycleEntry,
    Memory,
    MemoryLink,
    MemoryType,
    Relation,
    Scope,
    Status,
)
from tur.policy.lifecycle import may_become

BEFORE = "20260825_190758_86152dcb"
SESSION = "20260827_150000_841444cd"
START = datetime(2026, 8, 27, 15, 0, tzinfo=UTC)
END = datetime(2026, 8, 27, 17, 30, tzinfo=UTC)


def full_id(prefix: str) -> str:
    """A memory id that begins as a shown one does."""
    return prefix + "0" * (64 - len(prefix))


def entry(
    at: datetime,
    status: Status = Status.ACTIVE,
    *,
    session: str | None = SESSION,
    by: str = "antigravity",
    reason: str | None = None,
    successor: str | None = None,
    verified: bool = False,
) -> LifecycleEntry:
    """One lifecycle entry, written in SESSION unless told otherwise."""
    return LifecycleEntry(at, status, by, session, reason, successor, verified)


def memory(
    prefix: str,
    content: str = "A thing that is so.",
    *,
    type: MemoryType = MemoryType.FACT,
    scope: Scope = Scope.INCARNATION,
    born: datetime = START - timedelta(days=2),
    session: str | None = BEFORE,
    status: Status = Status.ACTIVE,
    then: Iterable[LifecycleEntry] = (),
    notes: Iterable[int] = (),
    extra: dict[str, object] | None = None,
) -> Memory:
    """A memory born in the session before SESSION, with what befell it after."""
    birth = entry(born, status, session=session)
    return Memory(
        id=full_id(prefix),
        seal="5" * 64,
        type=type,
        scope=scope,
        title=content[:40],
        content=content,
        timestamp=born,
        author="antigravity",
        session=session,
        links=tuple(MemoryLink(note_uri(session or BEFORE, idx), Relation.CONSOLIDATED_FROM) for idx in notes),
        lifecycle=(birth, *then),
        extra=extra or {},
    )


def historical(prefix: str, content: str, at: datetime, *, from_file: bool = False) -> Memory:
    """A record from before lifecycles, dated by its timestamp or only by its file."""
    made = memory(prefix, content, born=at, extra={"timestamp_from": "mtime"} if from_file else None)
    return replace(made, lifecycle=(), session=None)


def seed_ledger() -> list[Memory]:
    """The ledger behind the four samples of EP-0133, section 2."""
    long_ago = END - timedelta(days=32)
    return [
        memory(
            "8f2a1b9c",
            "SQLite signal queue uses WAL mode and busy_timeout=5000ms.",
            born=START + timedelta(minutes=10),
            session=SESSION,
            extra={"observed_at": "9f83ab2c (src/tur/signals.py)"},
        ),
        memory(
            "104e77a1",
            "main.py acts as the monolithic command router.",
            type=MemoryType.INSIGHT,
            then=[entry(START + timedelta(minutes=20), Status.SUPERSEDED, successor=full_id("248c704a"))],
        ),
        memory(
            "248c704a",
            "Monolith decomposed into isolated domain modules under src/tur/.",
            type=MemoryType.INSIGHT,
            born=START + timedelta(minutes=20),
            session=SESSION,
        ),
        memory(
            "a9dc0560",
            "SSE transport is supported on localhost:8000.",
            then=[
                entry(
                    START + timedelta(minutes=30),
                    Status.REFUTED,
                    reason="Refuted by EP-0124 (SSE permanently removed in favor of stdio).",
                )
            ],
        ),
        # 32 days old at the end and 30 days old within the window: it went stale in it.
        memory("40225d13", "Active debug port is 9229.", born=long_ago),
        memory("77777777", "Untouched.", type=MemoryType.AXIOM),
    ]


_SESSIONS = [None, BEFORE, SESSION, "20260901_080000_00000001"]


@st.composite
def ledgers(draw: st.DrawFn) -> list[Memory]:
    """Some memories with lifecycles that keep the rules, though not always the order of the clock."""
    size = draw(st.integers(1, 6))
    ids = [f"{index:064x}" for index in range(1, size + 1)]
    moments = st.integers(-90, 90).map(lambda days: START + timedelta(days=days))
    made: list[Memory] = []
    for one in ids:
        kind = draw(st.sampled_from(list(MemoryType)))
        born = draw(moments)
        session = draw(st.sampled_from(_SESSIONS))
        states = [Status.PENDING_APPROVAL if kind is MemoryType.CORE else Status.ACTIVE]
        lifecycle = [entry(born, states[0], session=session)]
        for _ in range(draw(st.integers(0, 4))):
            allowed = [new for new in Status if may_become(states[-1], new, relearned=True)]
            new = draw(st.sampled_from(allowed))
            verified = new is Status.ACTIVE and states[-1] is Status.ACTIVE
            taken_over = new in (Status.SUPERSEDED, Status.MERGED)
            states.append(new)
            lifecycle.append(
                entry(
                    draw(moments),
                    new,
                    session=draw(st.sampled_from(_SESSIONS)),
                    successor=draw(st.sampled_from([other for other in ids if other != one] or [full_id("feed")]))
                    if taken_over
                    else None,
                    reason="it did not hold" if new is Status.REFUTED else None,
                    verified=verified,
                )
            )
        unsaid = draw(st.booleans()) and kind is not MemoryType.CORE
        made.append(
            replace(
                memory(one, f"What {one[-1]} holds.", type=kind, scope=draw(st.sampled_from(list(Scope)))),
                timestamp=born,
                session=session,
                lifecycle=tuple(lifecycle[1:] if unsaid else lifecycle),
                extra={"timestamp_from": "mtime"} if unsaid and draw(st.booleans()) else {},
            )
        )
    return made
