"""How long work tells how far it is: a callable that takes what is done and what there is in all.

Whoever passes one may raise in it to stop the work at a point where it can be stopped.
"""

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Takes how much is done and how much there is in all, in pieces of the same kind."""


def silent(done: int, total: int) -> None:
    """Tell nobody."""
