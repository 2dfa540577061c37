"""What goes into the wake prompt within the budget, and why each line is in or out. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tur.ids import short_id
from tur.model.memory import Memory
from tur.policy.budget import estimate_tokens
from tur.policy.display import as_prompt_data, counted

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
            why = f"{counted(tokens, 'token')}, {left} left of {budget}"
        choices.append(Choice(subject, line, fits, tokens, why))
        if misses >= MAX_MISSES:
            break
    return choices


def memory_line(memory: Memory, *, edited: bool, stale: bool) -> str:
    """One memory as the prompt lists it. Its text is data: it opens no heading and no list."""
    marks = [memory.type.value]
    if edited:
        marks.append("edited by hand")
    if stale:
        marks.append("stale, verify it")
    return f"- [{', '.join(marks)}] {as_prompt_data(memory.content)} ({short_id(memory.id)})"


def render_memories(lines: Sequence[str], left_out: int) -> str:
    """The prompt's section of memories without a newline at its end, "" when there are none."""
    shown = [*lines, left_out_line(left_out)] if left_out else list(lines)
    return "## Memories\n\n" + "\n".join(shown) if shown else ""


def left_out_line(count: int) -> str:
    """The line that stands for what the budget left out."""
    left_out = counted(count, "more is", "more are")
    return f"- … {left_out} left out by the budget; `tur recall` finds {'it' if count == 1 else 'them'}."
