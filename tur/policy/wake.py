"""What goes into the wake prompt within the budget, and why each line is in or out. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from tur.policy.budget import estimate_tokens

MAX_MISSES = 20
"""After so many memories in a row that did not fit, the rest is not looked at."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of the prompt that was considered: whether it is in, its tokens, and why."""

    subject: str
    line: str
    included: bool
    tokens: int
    why: str


def choose_within(budget: int, lines: Iterable[tuple[str, str, str]]) -> list[Choice]:
    """Take lines (subject, text, why it ranks here) in order while they fit into `budget` tokens.

    A line that does not fit is passed over for shorter ones behind it, up to MAX_MISSES in a row.
    """
    choices: list[Choice] = []
    left, misses = budget, 0
    for subject, line, why in lines:
        tokens = estimate_tokens(line)
        fits = tokens <= left
        if fits:
            left -= tokens
            misses = 0
        else:
            misses += 1
            why = f"{tokens} tokens, {left} left of {budget}"
        choices.append(Choice(subject, line, fits, tokens, why))
        if misses >= MAX_MISSES:
            break
    return choices
