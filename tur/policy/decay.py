"""When knowledge goes stale. Owns the half-lives and the arithmetic of age; staleness is computed, never stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from tur.errors import ConfigError
from tur.model.memory import Memory, MemoryType, Status

DECAYING = frozenset({MemoryType.FACT, MemoryType.INSIGHT})
"""Types that may be given a half-life; axioms, events, preferences and core never decay."""

LONGEST_HALF_LIFE = 36_500
"""A hundred years, in days: beyond it, date arithmetic has nothing useful to say."""

_DEFAULT_DAYS: Mapping[MemoryType, int] = MappingProxyType({MemoryType.FACT: 30})


def as_utc(moment: datetime) -> datetime:
    """The same moment, aware and in UTC; one without a zone counts as UTC, as it does in every file."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


@dataclass(frozen=True, slots=True)
class HalfLives:
    """Days after which a memory of a type is stale unless verified; a type that is absent never decays."""

    days: Mapping[MemoryType, int] = field(default_factory=lambda: _DEFAULT_DAYS)

    @classmethod
    def of(cls, settings: Mapping[str, object]) -> "HalfLives":
        """The defaults with what `persona.yaml` says instead, such as `{"fact": 14, "insight": 90}`.

        `None` switches decay off for a type. Raises ConfigError for an unknown type, for one
        that never decays, and for anything but a whole number of days from 1 on.
        """
        days = dict(_DEFAULT_DAYS)
        for name, value in settings.items():
            kind = _type_named(name)
            if value is None:
                days.pop(kind, None)
            elif isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= LONGEST_HALF_LIFE:
                days[kind] = value
            else:
                raise ConfigError(
                    f"not a half-life for {name}: {value!r}",
                    hint=f"Give whole days from 1 to {LONGEST_HALF_LIFE}, or null for no decay.",
                )
        return cls(MappingProxyType(days))

    def of_type(self, kind: MemoryType) -> timedelta | None:
        """How long a memory of this type stays fresh, or None when it does not decay."""
        days = self.days.get(kind) if kind in DECAYING else None
        return None if days is None else timedelta(days=days)


DEFAULT_HALF_LIVES = HalfLives()


def last_verified(memory: Memory) -> datetime:
    """When it was last said to be so: the last `active` entry in order of writing, else its birth.

    The order of writing wins over the clock, so one entry from a clock that ran ahead does not
    keep a memory fresh for ever once it is verified again.
    """
    confirmed = (entry.at for entry in reversed(memory.lifecycle) if entry.status is Status.ACTIVE)
    return as_utc(next(confirmed, memory.timestamp))


def age(memory: Memory, now: datetime) -> timedelta:
    """Time since it was last verified; a time in the future counts as age zero."""
    return max(as_utc(now) - last_verified(memory), timedelta(0))


def stale_since(memory: Memory, half_lives: HalfLives = DEFAULT_HALF_LIVES) -> datetime | None:
    """When it goes or went stale if nobody verifies it, or None for what does not decay."""
    half_life = half_lives.of_type(memory.type)
    if half_life is None or memory.status is not Status.ACTIVE:
        return None
    verified = last_verified(memory)
    # A time at the end of the calendar has no day after it: such a memory never goes stale.
    return verified + half_life if verified < datetime.max.replace(tzinfo=UTC) - half_life else None


def is_stale(memory: Memory, now: datetime, half_lives: HalfLives = DEFAULT_HALF_LIVES) -> bool:
    """Whether an active memory has gone its whole half-life without being verified."""
    since = stale_since(memory, half_lives)
    return since is not None and since <= as_utc(now)


def _type_named(name: str) -> MemoryType:
    try:
        kind = MemoryType(name.lower())
    except ValueError:
        raise ConfigError(f"no memory type {name!r}", hint="Half-lives are set for: fact, insight.") from None
    if kind not in DECAYING:
        raise ConfigError(f"{kind} memories never decay", hint="Half-lives are set for: fact, insight.")
    return kind
