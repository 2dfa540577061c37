"""Time and randomness enter here and nowhere else, so that tests can hold both still."""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Where the present comes from. `now()` is aware, in UTC, with whole seconds."""

    def now(self) -> datetime: ...

    def token(self) -> str:
        """Eight hex digits that no other call of any process is likely to give."""
        ...


class SystemClock:
    """The machine's clock and its random source."""

    def now(self) -> datetime:
        return datetime.now(UTC).replace(microsecond=0)

    def token(self) -> str:
        return secrets.token_hex(4)


class FixedClock:
    """A clock for tests: starts at `start` and advances by `step` at each reading."""

    def __init__(self, start: datetime, step: timedelta = timedelta(0)) -> None:
        self._next = start.astimezone(UTC)
        self._step = step
        self._tokens = 0

    def now(self) -> datetime:
        present = self._next
        self._next += self._step
        return present

    def token(self) -> str:
        self._tokens += 1
        return f"{self._tokens:08x}"


def parse_time(text: str) -> datetime:
    """Read an ISO 8601 time or date as aware UTC; one without a zone counts as UTC.

    Raises ValueError when it is neither.
    """
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def format_time(moment: datetime) -> str:
    """ISO 8601 in UTC with `Z` and whole seconds, as every file and every answer writes it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
