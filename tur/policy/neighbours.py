"""Which items of a sequence are shown when only what changed in it, with its neighbours, is. Pure."""

from collections.abc import Iterable


def near(changed: Iterable[int], length: int, reach: int) -> list[int]:
    """The indexes up to `reach` away from a changed one, in order, of a sequence of that length."""
    return sorted({one for at in changed for one in range(max(0, at - reach), min(length, at + reach + 1))})
