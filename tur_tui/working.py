"""Long work in workers, and how the app tells how far it is: a bar in the status line."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tur.errors import TurError
from tur.progress import Progress
from tur.report import as_tur_error
from tur_tui.lines import Line, line

SHOWN_AFTER = 0.4
"""Seconds that work goes on before its bar is shown; shorter work would only flicker."""

BAR = 20
"""Cells of the bar."""


class Stopped(Exception):
    """The work is not wanted any more: the app closes, or a newer reading took its place."""


def attempt(do: Callable[[], object], fail: Callable[[TurError], object]) -> None:
    """Do it in a worker, and give what went wrong to `fail`, in the words of the error tree; a stop is no fault."""
    try:
        do()
    except Stopped:
        return
    except TurError as error:
        fail(error)
    except (OSError, sqlite3.Error) as error:
        fail(as_tur_error(error))


@dataclass
class _Job:
    what: str
    since: float
    done: int = 0
    total: int = 0


class Working:
    """What is at work. Workers write to it; the UI thread looks at it from time to time."""

    def __init__(self) -> None:
        self._jobs: list[_Job] = []

    @contextmanager
    def job(self, what: str, *, stop: Callable[[], bool]) -> Iterator[Progress]:
        """Count a piece of work; `stop` says, at each step, whether to raise Stopped in it."""
        job = _Job(what, time.monotonic())
        self._jobs.append(job)

        def tell(done: int, total: int) -> None:
            if stop():
                raise Stopped
            job.done, job.total = done, total

        try:
            yield tell
        finally:
            self._jobs.remove(job)

    def line(self) -> Line | None:
        """The bar of the work that has gone on longest, or None when nothing takes long."""
        shown = [job for job in self._jobs if job.total and time.monotonic() - job.since >= SHOWN_AFTER]
        return progress_line(shown[0].what, shown[0].done, shown[0].total) if shown else None


def progress_line(what: str, done: int, total: int) -> Line:
    """A bar with its numbers, as one line."""
    filled = BAR * done // max(total, 1)
    return line(
        ("info", f" {'█' * filled}{'░' * (BAR - filled)}"),
        ("text", f" {what}"),
        ("dim", f"  {done:,} of {total:,}, {100 * done // max(total, 1)}%"),
    )
