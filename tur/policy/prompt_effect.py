"""What a change of memories does to the wake prompt: which lines come and go, and whether the rest stays. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tur.policy.neighbours import near
from tur.policy.wake import Choice

Sign = Literal[" ", "-", "+"]


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A piece of the prompt: the memory it tells of, "" for none, and its text to the byte."""

    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class PromptEnd:
    """The sections of the prompt that hold memories, at one moment.

    `parts` are the pieces of `core` and `memories` in order; `choices` tell why each line of `memories` is
    in or out.
    """

    label: str
    core: str
    memories: str
    parts: tuple[PromptPart, ...]
    choices: tuple[Choice, ...]

    @property
    def tokens(self) -> int:
        """How much of the budget is used."""
        return sum(choice.tokens for choice in self.choices if choice.included)


@dataclass(frozen=True, slots=True)
class PromptEffect:
    """The prompt at both ends of a diff. `before` is None where that would take too much to find out.

    `steps` lead from one to the other. `caveats` say what is not certain.
    """

    before: PromptEnd | None
    after: PromptEnd
    budget: int
    steps: tuple["Step", ...] = ()
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A part that stays (" "), goes ("-") or comes ("+")."""

    sign: Sign
    part: PromptPart


def merged(before: Sequence[PromptPart], after: Sequence[PromptPart]) -> Iterator[Step]:
    """Both in one sequence: what stays and goes is `before`, what stays and comes is `after`, each in its order."""
    staying = set(before) & set(after)
    old, new = list(reversed(before)), list(reversed(after))
    while old or new:
        if old and old[-1] not in staying:
            yield Step("-", old.pop())
        elif new and new[-1] not in staying:
            yield Step("+", new.pop())
        elif old and new and old[-1] == new[-1]:
            new.pop()
            yield Step(" ", old.pop())
        else:
            # It stays, but in another place: there it goes, and here it comes.
            staying.discard(old[-1])


def order_kept(before: Sequence[PromptPart], after: Sequence[PromptPart]) -> bool:
    """Whether what is in both, be it with another text, stands in the same order in both."""
    there, here = {one.subject for one in before}, {one.subject for one in after}
    return [one.subject for one in before if one.subject in here] == [
        one.subject for one in after if one.subject in there
    ]


def around(steps: Sequence[Step], subjects: Collection[str], neighbours: int = 1) -> list[Step | None]:
    """The steps that bring or take parts about `subjects`, with their neighbours; None stands for a gap."""
    changed = [at for at, step in enumerate(steps) if step.sign != " " and step.part.subject in subjects]
    shown: list[Step | None] = []
    last: int | None = None
    for at in near(changed, len(steps), neighbours):
        if last is not None and at != last + 1:
            shown.append(None)
        shown.append(steps[at])
        last = at
    return shown


def left_out(end: PromptEnd, subjects: Iterable[str]) -> list[tuple[str, str | None]]:
    """Those of `subjects` that have no part in the prompt: id, and why when their line was considered at all."""
    there = {part.subject for part in end.parts}
    considered = {choice.subject: choice for choice in end.choices}
    return [
        (one, considered[one].why if one in considered else None) for one in dict.fromkeys(subjects) if one not in there
    ]
