"""Named points between the steps of multi-step acts, so that tests can stop a process at each.

`reached` does nothing until a test sets `hook`; what it sees is the name of the point just passed.
"""

from collections.abc import Callable

hook: Callable[[str], None] | None = None


def reached(point: str) -> None:
    """Tell the hook, if there is one, that `point` was passed."""
    if hook is not None:
        hook(point)
