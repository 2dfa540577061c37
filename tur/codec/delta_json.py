"""A diff as one JSON document, `tur.diff/1`. Owns its field names; `docs/diff-schema.json` describes them.

Fields may be added within version 1; one that changes its meaning or goes makes version 2.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from tur.clock import format_time
from tur.ids import memory_uri
from tur.model.memory import LifecycleEntry, Memory, MemoryType, Scope
from tur.policy.decay import as_utc
from tur.policy.diff import DiffEnd, MemoryDelta, counts, ledger_counts

SCHEMA = "tur.diff/1"


def delta_document(
    deltas: Sequence[MemoryDelta],
    *,
    base: DiffEnd,
    target: DiffEnd,
    types: Iterable[MemoryType] = (),
    scopes: Iterable[Scope] = (),
    warnings: Iterable[str] = (),
) -> dict[str, object]:
    """The document, made of what `json` takes: times are ISO 8601 with `Z`, ids are full.

    `types` and `scopes` are the filters that were applied; `warnings` what could not be read.
    """
    return {
        "schema": SCHEMA,
        "base": _end(base),
        "target": _end(target),
        "filters": {"types": [one.value for one in types], "scopes": [one.value for one in scopes]},
        "counts": dict(counts(deltas)),
        "ledger": ledger_counts(deltas),
        "deltas": [delta_fields(delta) for delta in deltas],
        "warnings": list(warnings),
    }


def delta_fields(delta: MemoryDelta) -> dict[str, object]:
    """One delta, as an element of `deltas`."""
    after = delta.changes[0].after if delta.changes else None
    return {
        "status": delta.status,
        "memory": memory_fields(delta.record),
        "previous": None if delta.previous_record is None else memory_fields(delta.previous_record),
        "successor": None if delta.successor is None else memory_fields(delta.successor),
        "successor_id": delta.successor_id,
        "reason": delta.reason,
        "actor": delta.actor,
        "session": delta.session,
        "at": _time(delta.at),
        "old_text": delta.old_text,
        "new_text": delta.new_text,
        "pending": delta.pending,
        "stale": after is not None and after.stale,
        "edited": after is not None and after.edit is not None,
        "present": after is not None,
        "dated_by": delta.dated_by,
        "estimated": delta.estimated,
        "sources": list(delta.sources),
        "steps": [_step(entry) for entry in delta.steps],
        "covers": list(delta.covers),
    }


def memory_fields(memory: Memory) -> dict[str, object]:
    """A memory with its present standing, without its lifecycle: `steps` tells what is new of that."""
    observed = memory.extra.get("observed_at")
    return {
        "id": memory.id,
        "uri": memory_uri(memory.id),
        "type": memory.type.value,
        "scope": memory.scope.value,
        "status": memory.status.value,
        "title": memory.title,
        "content": memory.content,
        "timestamp": _time(memory.timestamp),
        "author": memory.author,
        "session": memory.session,
        "tags": list(memory.tags),
        "links": [{"uri": link.uri, "relation": link.relation, "hash": link.hash} for link in memory.links],
        "observed_at": observed if isinstance(observed, str) else None,
        "core": None
        if memory.core is None
        else {
            "core_type": memory.core.core_type.value,
            "derived_principle": memory.core.derived_principle,
            "ethical_covenant": memory.core.ethical_covenant,
        },
    }


def _end(end: DiffEnd) -> dict[str, object]:
    return {"label": end.label, "at": _time(end.at), "session": end.session, "revision": end.revision}


def _step(entry: LifecycleEntry) -> dict[str, object]:
    return {
        "at": _time(entry.at),
        "status": entry.status.value,
        "by": entry.by,
        "session": entry.session,
        "reason": entry.reason,
        "successor": entry.successor,
        "verified": entry.verified,
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else format_time(as_utc(moment))
