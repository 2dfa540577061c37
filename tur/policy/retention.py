"""Which sessions stay and which go: rotation and prune as pure functions from records to a plan.

A plan names every session it saw, with a reason for each, and carries a hash of what it saw, so
that whoever carries it out can tell that the store has changed since. Rules are unions of
keeps: a session stays when any rule keeps it. Nothing here touches the disk or reads a clock.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from tur.clock import format_time
from tur.errors import Conflict, InvalidInput, Refused

MAX_AGE_DAYS = 36_500
"""The largest age limit that is taken, in days: a hundred years."""

CLOCK_TOLERANCE = timedelta(minutes=5)
"""How far a recorded time may lie in the future before the clock is not trusted with an age limit."""


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """What retention knows of one session. Times are aware UTC, sizes are bytes."""

    id: str
    started_at: datetime
    ended_at: datetime
    """The session's own end; of one that has none recorded, its last note or its start. Never a file time."""
    state: str
    """`open`, `sealed` or `ended`."""
    consolidated: bool
    notes: int
    unconsolidated_notes: int
    """Notes that no dream has seen."""
    head: str = ""
    """The hash of the last note, which covers all notes before it; empty without notes."""
    agents: tuple[str, ...] = ()
    yaml_bytes: int = 0
    db_bytes: int = 0
    """The session's folder: database, write-ahead log and lock files."""
    archived: bool = False
    active: bool = False
    """The terrain's pointer is on it: it takes the notes of now."""
    dreaming: bool = False
    """Someone holds its dream lease, or died while finishing it."""
    damaged: str | None = None
    """Why it cannot be read, or None. A damaged session is never touched."""
    tombstone_bytes: int = 0
    """What its tombstone would take, but for the sentence in it that says why."""

    @property
    def unconsolidated(self) -> bool:
        """Whether it holds notes that no dream has seen, or may still get some."""
        return self.unconsolidated_notes > 0 or (self.state == "open" and not self.archived)

    @property
    def in_primary(self) -> bool:
        """Whether it takes room outside of the archive: a timeline beside the live ones, or a database."""
        return not self.archived or self.db_bytes > 0


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """What a human asks a prune to keep. Raises InvalidInput when a number makes no sense, Refused when empty.

    `keep` is a number of sessions, `max_age_days` a number of days. With `delete` what goes is
    removed and a tombstone stays; without, it is archived. `include_unconsolidated` gives up the
    protection of sessions with notes that no dream has seen.
    """

    keep: int | None = None
    max_age_days: int | None = None
    delete: bool = False
    include_unconsolidated: bool = False

    def __post_init__(self) -> None:
        if self.keep is None and self.max_age_days is None:
            raise Refused(
                "a prune without a rule would take everything",
                hint="Say what is to stay: `--keep N` sessions, or those of the last `--max-age-days D` days.",
            )
        if self.keep is not None and self.keep < 1:
            raise InvalidInput(
                f"keeping {self.keep} sessions: at least 1 must stay",
                hint="Give 1 or more. To archive a single session there is `tur-adm session archive`.",
            )
        if self.max_age_days is not None and not 1 <= self.max_age_days <= MAX_AGE_DAYS:
            raise InvalidInput(
                f"keeping those of {self.max_age_days} days: not from 1 to {MAX_AGE_DAYS:,}",
                hint="The age limit is a whole number of days.",
            )

    def __str__(self) -> str:
        rules = []
        if self.keep is not None:
            rules.append(f"the newest {self.keep} sessions" if self.keep > 1 else "the newest session")
        if self.max_age_days is not None:
            rules.append("those that ended in the last " + _count(self.max_age_days, "day"))
        act = "delete the rest and leave tombstones" if self.delete else "archive the rest"
        which = "unconsolidated ones included" if self.include_unconsolidated else "unconsolidated ones excepted"
        return f"Keep {' and '.join(rules)}; {act}, {which}."


@dataclass(frozen=True, slots=True)
class Verdict:
    """What happens to one session and why. `rule` is a stable word, `reason` is for people."""

    session: SessionRecord
    goes: bool
    rule: str
    reason: str
    freed: int = 0
    """Bytes on disk that its going frees: the database when archived; the timeline too when deleted, less the
    tombstone that stays, which of a session of a few bytes takes more than that."""


RULES = {
    "active": "the active session",
    "age": "ended within the age limit",
    "damaged": "cannot be read",
    "dreaming": "being dreamt",
    "horizon": "among the newest consolidated ones",
    "keep": "among the newest that the rule keeps",
    "open": "still open",
    "unconsolidated": "notes that no dream has seen",
}
"""The rules that keep a session, in words that hold for each session that a rule keeps."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole decision: one verdict for each session seen, oldest session first.

    `act` is `archive` or `delete`; `sentence` is the policy in words; `seen` is the hash of what
    was seen (`state_hash`); `warnings` are things a human should see before saying yes.
    """

    act: str
    sentence: str
    verdicts: tuple[Verdict, ...]
    seen: str
    made_at: datetime | None = None
    warnings: tuple[str, ...] = ()

    @property
    def keeps(self) -> tuple[Verdict, ...]:
        return tuple(one for one in self.verdicts if not one.goes)

    @property
    def goes(self) -> tuple[Verdict, ...]:
        return tuple(one for one in self.verdicts if one.goes)

    @property
    def freed(self) -> int:
        """Bytes on disk that carrying out the plan frees."""
        return sum(one.freed for one in self.verdicts)

    @property
    def fingerprint(self) -> str:
        """64 hex digits that name this plan: its rule, each verdict, and the sessions as it saw them."""
        verdicts = [[one.session.id, one.goes, one.rule] for one in self.verdicts]
        return _hash("tur.plan.v1", [self.act, self.sentence, verdicts, self.seen])


_DECIDES = tuple(one.name for one in fields(SessionRecord) if not one.name.endswith("_bytes"))
"""What the hash of the state covers of a session: each fact but its sizes, which a checkpoint changes."""


def state_hash(sessions: Iterable[SessionRecord]) -> str:
    """64 hex digits over what decides about each session.

    Of a session that takes notes now only its name and role count, since it stays whatever it holds.
    """
    seen: list[object] = []
    for one in sorted(sessions, key=lambda one: one.id):
        if one.active or one.dreaming:
            seen.append([one.id, one.active, one.dreaming])
        else:
            seen.append([*(getattr(one, name) for name in _DECIDES), one.in_primary])
    return _hash("tur.retention.v1", seen)


def _hash(kind: str, facts: list[object]) -> str:
    text = json.dumps(facts, default=datetime.isoformat, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(f"{kind}\n{text}".encode("ascii")).hexdigest()


def plan_rotation(sessions: Sequence[SessionRecord], horizon: int) -> Plan:
    """Which consolidated sessions leave the primary folder so that `horizon` of them remain.

    Only sessions outside of the archive count and go; the newest stay. Raises InvalidInput for a
    horizon under 1.
    """
    if horizon < 1:
        raise InvalidInput(f"a horizon of {horizon} sessions: at least 1", hint="Set `retention.horizon` to 1 or more.")
    primary = [one for one in sessions if one.in_primary]
    verdicts: dict[str, Verdict] = {}
    newest = 0
    for one in _newest_first(primary):
        if held := _held(one, include_unconsolidated=False):
            newest += one.consolidated
            verdicts[one.id] = Verdict(one, False, *held)
        elif not one.consolidated:
            verdicts[one.id] = Verdict(one, False, "unconsolidated", "it was never dreamt")
        elif one.archived:
            verdicts[one.id] = Verdict(
                one, True, "half-moved", "archived, but its database is still there", one.db_bytes
            )
        elif newest < horizon:
            newest += 1
            verdicts[one.id] = Verdict(one, False, "horizon", f"{_ordinal(newest)} of the newest {horizon}")
        else:
            reason = f"consolidated, and beyond the newest {horizon}"
            verdicts[one.id] = Verdict(one, True, "beyond-horizon", reason, one.db_bytes)
    newest_ones = "the newest consolidated session" if horizon == 1 else f"the newest {horizon} consolidated sessions"
    sentence = f"Keep {newest_ones} beside the live one; archive the rest."
    return Plan("archive", sentence, _in_order(verdicts), state_hash(primary))


def plan_prune(sessions: Sequence[SessionRecord], policy: RetentionPolicy, now: datetime) -> Plan:
    """What a prune under `policy` at `now` keeps and takes.

    An archiving prune looks at the sessions outside of the archive, a deleting one at all.
    Raises Conflict when there is an age limit and the recorded times say that the clock is wrong.
    """
    if policy.max_age_days is not None:
        _check_clock(sessions, now)
    act, sentence = "delete" if policy.delete else "archive", str(policy)
    scope = [one for one in sessions if policy.delete or one.in_primary]
    verdicts: dict[str, Verdict] = {}
    newest = 0
    for one in _newest_first(scope):
        if held := _held(one, include_unconsolidated=policy.include_unconsolidated):
            verdicts[one.id] = Verdict(one, False, *held)
            continue
        kept: list[tuple[str, str]] = []
        if policy.keep is not None and one.notes and newest < policy.keep:
            newest += 1
            kept.append(("keep", f"{_ordinal(newest)} of the newest {policy.keep}"))
        age = now - one.ended_at
        if policy.max_age_days is not None and age <= timedelta(days=policy.max_age_days):
            kept.append(("age", f"ended {_age(age)}, within {_count(policy.max_age_days, 'day')}"))
        if kept:
            verdicts[one.id] = Verdict(one, False, kept[0][0], "; ".join(reason for _, reason in kept))
        else:
            verdicts[one.id] = Verdict(one, True, *_why_it_goes(one, policy, age), _freed(one, act, sentence))
    plan = _in_order(verdicts)
    return Plan(act, sentence, plan, state_hash(sessions), now, _warnings(plan))


def plan_single(
    sessions: Sequence[SessionRecord],
    session_id: str,
    act: str,
    now: datetime,
    *,
    include_unconsolidated: bool = False,
) -> Plan:
    """The plan to `archive` or `delete` one session by hand. Raises Refused with the reason when it must stay."""
    one = next(one for one in sessions if one.id == session_id)
    if held := _held(one, include_unconsolidated=include_unconsolidated):
        hint = "Nothing was changed."
        if one.unconsolidated and not (one.active or one.dreaming or one.damaged):
            hint += " `tur sleep` consolidates it; `--include-unconsolidated` gives up that protection."
        raise Refused(f"session {session_id} must stay: {held[1]}", hint=hint, rule=held[0])
    sentence = f"{act.capitalize()} session {session_id}."
    verdict = Verdict(one, True, "named", "named by hand", _freed(one, act, sentence))
    return Plan(act, sentence, (verdict,), state_hash(sessions), now, _warnings((verdict,)))


def _freed(one: SessionRecord, act: str, sentence: str) -> int:
    if act == "archive":
        return one.db_bytes
    return one.db_bytes + one.yaml_bytes - one.tombstone_bytes - len(sentence)


def _held(one: SessionRecord, *, include_unconsolidated: bool) -> tuple[str, str] | None:
    """Rule and reason that hold a session whatever a policy says, or None."""
    if one.damaged:
        return "damaged", f"it cannot be read: {one.damaged}"
    if one.active:
        return "active", "it is the active session"
    if one.dreaming:
        return "dreaming", "it is being dreamt"
    if one.unconsolidated and not include_unconsolidated:
        if not one.notes:
            return "open", "it is still open"
        return "unconsolidated", _count(one.unconsolidated_notes, "note") + " that no dream has seen"
    return None


def _why_it_goes(one: SessionRecord, policy: RetentionPolicy, age: timedelta) -> tuple[str, str]:
    what = "unconsolidated, and included by name" if one.unconsolidated else "consolidated"
    if not one.notes:
        return "empty", "it has no notes"
    reasons = []
    if policy.keep is not None:
        reasons.append(f"beyond the newest {policy.keep}")
    if policy.max_age_days is not None:
        reasons.append(f"ended {_age(age)}")
    return ("unconsolidated" if one.unconsolidated else "beyond"), f"{what}; {', '.join(reasons)}"


def _check_clock(sessions: Iterable[SessionRecord], now: datetime) -> None:
    latest = max(sessions, key=lambda one: max(one.ended_at, one.started_at), default=None)
    if latest is None:
        return
    moment = max(latest.ended_at, latest.started_at)
    if moment > now + CLOCK_TOLERANCE:
        raise Conflict(
            f"the clock says {format_time(now)}, but session {latest.id} has the time {format_time(moment)}: "
            "one of them is wrong, so ages cannot be trusted",
            hint="Nothing was changed. Set the clock right, or prune with `--keep N` alone.",
            session=latest.id,
        )


def _warnings(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    found = []
    going = [one.session for one in verdicts if one.goes]
    if empty := sum(not one.notes for one in going):
        found.append(f"{_count(empty, 'session')} without notes: they do not count among those to keep.")
    if unread := sum(one.unconsolidated_notes for one in going):
        found.append(f"{_count(unread, 'note')} that no dream has seen would go.")
    if damaged := sum(bool(one.session.damaged) for one in verdicts):
        found.append(f"{_count(damaged, 'session')} cannot be read and will not be touched.")
    if burst := _burst([one.session for one in verdicts]):
        count, hour = burst
        found.append(
            f"{count} sessions began within the hour after {format_time(hour)}: newer ones push out older ones."
        )
    return tuple(found)


def _burst(sessions: Sequence[SessionRecord]) -> tuple[int, datetime] | None:
    """The fullest hour when it holds twenty sessions or more: a flood would empty a `--keep N` of what is good."""
    starts = sorted(one.started_at for one in sessions if one.notes)
    best, first = 0, 0
    at = None
    for last, moment in enumerate(starts):
        while moment - starts[first] > timedelta(hours=1):
            first += 1
        if last - first + 1 > best:
            best, at = last - first + 1, starts[first]
    return (best, at) if at is not None and best >= 20 else None


def _newest_first(sessions: Iterable[SessionRecord]) -> list[SessionRecord]:
    # By the session's own end; the id settles sessions of the same second.
    key: Callable[[SessionRecord], tuple[datetime, str]] = lambda one: (one.ended_at, one.id)  # noqa: E731
    return sorted(sessions, key=key, reverse=True)


def _in_order(verdicts: dict[str, Verdict]) -> tuple[Verdict, ...]:
    return tuple(reversed(verdicts.values()))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _age(age: timedelta) -> str:
    if age < timedelta(days=1):
        return "today" if age >= timedelta(0) else "in the future"
    return _count(age.days, "day") + " ago"
