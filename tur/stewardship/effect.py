"""What an approval does to the injected core section: the section before and after, line by line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tur.model.memory import Memory
from tur.policy.budget import byte_size, estimate_tokens
from tur.policy.merging import with_approved
from tur.policy.neighbours import near
from tur.service.core_section import core_section_parts, render_core_section

Op = Literal["same", "new", "old", "gap"]

CONTEXT = 3
"""How many unchanged lines are shown on each side of a changed one."""


@dataclass(frozen=True, slots=True)
class SectionLine:
    """One line of the section. `number` counts from 1 in the section after, None for a line that goes.

    A `gap` stands for unchanged lines that are not shown; its text is empty, its number how many they are.
    """

    op: Op
    number: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Effect:
    """The core memories in the prompt before and after, in the order of `tur wake`.

    `retired` are those that leave because what is approved merges them.
    """

    before: tuple[Memory, ...]
    after: tuple[Memory, ...]
    retired: tuple[Memory, ...] = ()

    @property
    def bytes_before(self) -> int:
        """The size of the section as it is."""
        return byte_size(render_core_section(self.before))

    @property
    def bytes_after(self) -> int:
        """The size of the section as it would be."""
        return byte_size(render_core_section(self.after))

    @property
    def tokens_after(self) -> int:
        """About how many tokens the section would take."""
        return estimate_tokens(render_core_section(self.after))

    @property
    def told(self) -> str:
        """Both sizes in words. There is no budget for core memories: each that is approved goes in whole."""
        change = self.bytes_after - self.bytes_before
        return f"core section {self.bytes_before:,} -> {self.bytes_after:,} bytes ({change:+,}), no budget limits it"

    def lines(self) -> list[SectionLine]:
        """Every line of both sections: `same` and `new` joined are the one after, `same` and `old` the one before."""
        there, here = {one.id for one in self.before}, {one.id for one in self.after}
        head: Op = "same" if there and here else "new" if here else "old"
        parts: list[tuple[str, Op]] = [(text, head) for text in core_section_parts(self.after or self.before)[:2]]
        parts += [(_part(one), "same" if one.id in here else "old") for one in self.before]
        parts += [(_part(one), "new") for one in self.after if one.id not in there]
        return list(_numbered(parts))

    def changed_lines(self, context: int = CONTEXT) -> list[SectionLine]:
        """The lines that come and go with their neighbours, and gaps for the rest."""
        return list(_around(self.lines(), context))


def effect_of(trusted: Sequence[Memory], added: Sequence[Memory]) -> Effect:
    """What approving these, one after the other, does to a section of the trusted ones."""
    after, retired = with_approved(trusted, added)
    return Effect(tuple(trusted), tuple(after), tuple(retired))


def _part(memory: Memory) -> str:
    return core_section_parts([memory])[-1]


def _numbered(parts: Sequence[tuple[str, Op]]) -> Iterator[SectionLine]:
    number = 0
    for at, (text, op) in enumerate(parts):
        for line in [*([""] if at else []), *text.split("\n")]:
            number += op != "old"
            yield SectionLine(op, None if op == "old" else number, line)


def _around(lines: Sequence[SectionLine], context: int) -> Iterator[SectionLine]:
    begin = 0
    for at in near((at for at, one in enumerate(lines) if one.op != "same"), len(lines), context):
        if at > begin:
            yield SectionLine("gap", at - begin, "")
        yield lines[at]
        begin = at + 1
    if begin < len(lines):
        yield SectionLine("gap", len(lines) - begin, "")
