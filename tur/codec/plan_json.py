"""Retention plans and what became of them as JSON documents: the stable, documented form for machines."""

from tur.clock import format_time
from tur.policy.retention import Plan, SessionRecord, Verdict


def record_fields(one: SessionRecord) -> dict[str, object]:
    """One session as retention sees it. Times are ISO 8601 UTC, sizes are bytes."""
    return {
        "id": one.id,
        "state": one.state,
        "started_at": format_time(one.started_at),
        "ended_at": format_time(one.ended_at),
        "consolidated": one.consolidated,
        "notes": one.notes,
        "unconsolidated_notes": one.unconsolidated_notes,
        "manifestations": list(one.agents),
        "yaml_bytes": one.yaml_bytes,
        "database_bytes": one.db_bytes,
        "archived": one.archived,
        "active": one.active,
        "dreaming": one.dreaming,
        "damaged": one.damaged,
    }


def plan_fields(plan: Plan) -> dict[str, object]:
    """A whole plan: what goes and what stays, each with rule and reason, oldest session first."""
    return {
        "act": plan.act,
        "policy": plan.sentence,
        "made_at": None if plan.made_at is None else format_time(plan.made_at),
        "fingerprint": plan.fingerprint,
        "freed_bytes": plan.freed,
        "warnings": list(plan.warnings),
        "goes": [_verdict(one) for one in plan.goes],
        "keeps": [_verdict(one) for one in plan.keeps],
    }


def _verdict(one: Verdict) -> dict[str, object]:
    return {"session": record_fields(one.session), "rule": one.rule, "reason": one.reason, "freed_bytes": one.freed}
