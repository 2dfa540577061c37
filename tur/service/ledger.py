"""What a session did to the memories, counted (EP-0133, 3)."""

from datetime import datetime

from tur.clock import format_time
from tur.model.session import SessionNotes
from tur.policy.decay import DECAYING, HalfLives
from tur.policy.diff import compare, session_counts
from tur.policy.lifecycle import Checkpoint, state_at
from tur.store.index import open_index
from tur.store.store import Store


def session_ledger(store: Store, session: SessionNotes, until: datetime) -> dict[str, dict[str, int]]:
    """Kind -> type -> number of memories changed by `session`, or gone stale while it ran.

    Each counts once, by what the session left it as; one that took another's place counts with that one.
    """
    half_lives = HalfLives.of(store.persona.settings.half_life_days)
    started = session.started_at or (session.notes[0].at if session.notes else until)
    own = frozenset({session.session_id})
    with open_index(store.terrain.index, store.memories) as index:
        entries = {entry.id: entry for entry in index.touched_by(session.session_id)}
        for kind in DECAYING:
            life = half_lives.of_type(kind)
            if life is not None:
                window = format_time(started - life), format_time(until - life)
                entries.update({entry.id: entry for entry in index.last_verified_between(*window, [kind])})
        memories = [index.load(entry) for entry in entries.values()]
    base = state_at(memories, Checkpoint(started, later=own), half_lives=half_lives)
    target = state_at(memories, Checkpoint(until, sessions=own), half_lives=half_lives)
    return session_counts(compare(base, target))
