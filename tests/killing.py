"""Stops a process at the fault points of an act, for tests of what a crash leaves behind."""

import os
import signal
from collections.abc import Callable

from tur import faults

Act = Callable[[], object]


def points_of(act: Act) -> list[str]:
    """Run an act undisturbed and name the fault points it passes, in order."""
    seen: list[str] = []
    faults.hook = seen.append
    try:
        act()
    finally:
        faults.hook = None
    return seen


def killed_at(place: int, act: Act) -> bool:
    """Run an act in a process that SIGKILLs itself at fault point number `place`, from 0; whether it got there."""
    child = os.fork()
    if child == 0:
        left = place

        def hook(_: str) -> None:
            nonlocal left
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1

        faults.hook = hook
        try:
            act()
        finally:
            os._exit(7)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])
