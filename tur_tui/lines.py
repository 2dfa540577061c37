"""What a pane shows, as plain records: spans of text with the role they play. Knows nothing of Textual or colour.

Text is kept as it is stored; the widgets that draw a line pass every span through the display rule.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tur.policy.display import visible

ROLES = (
    "text",
    "dim",
    "title",
    "head",
    "good",
    "bad",
    "warn",
    "info",
    "key",
    "added",
    "removed",
    "added-word",
    "removed-word",
    "active-tab",
    "agent-1",
    "agent-2",
    "agent-3",
    "agent-4",
    "agent-5",
    "agent-6",
)
"""Every role a span can play; the stylesheet gives each its look."""

AGENT_ROLES = 6


class Span(NamedTuple):
    """A piece of a line: its role, then its text."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a pane. `indent` is where its continuation begins when it is wrapped."""

    spans: tuple[Span, ...] = ()
    indent: int = 0

    @property
    def plain(self) -> str:
        """The text of all spans, as stored."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of a list."""

    id: str
    line: Line


@dataclass(frozen=True, slots=True)
class Beside:
    """Lines on the left beside those that stand for the same place on the right; equal ones are no change.

    The first span of each line is its gutter, with a sign, so that the meaning never depends on colour.
    """

    left: tuple[Line, ...]
    right: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ChangedText:
    """A change as it is laid out: what stands above, the texts in pairs, what stands below."""

    head: tuple[Line, ...]
    pairs: tuple[Beside, ...]
    tail: tuple[Line, ...]

    @property
    def one_column(self) -> list[Line]:
        """All of it with the old lines above the new ones."""
        body = [one for pair in self.pairs for one in one_above_the_other(pair)]
        return [*self.head, *body, *self.tail]


def one_above_the_other(pair: Beside) -> tuple[Line, ...]:
    """The lines of a pair in one column."""
    return pair.left if pair.left == pair.right else (*pair.left, *pair.right)


def line(*parts: str | tuple[str, str], indent: int = 0) -> Line:
    """A line of parts, each either plain text or a pair of role and text."""
    return Line(tuple(Span("text", part) if isinstance(part, str) else Span(*part) for part in parts), indent)


BLANK = Line()


def heading(text: str, aside: str = "") -> Line:
    """A heading inside a page, with a remark beside it."""
    return line(("head", text), ("dim", f"  {aside}" if aside else ""))


def paragraph(text: str, role: str = "text", indent: int = 2) -> Iterator[Line]:
    """A stored text as lines, each indented so that none can pass for a line of the pane's own."""
    for part in visible(text).split("\n"):
        yield line(("dim", " " * indent), (role, part), indent=indent)


def fields(pairs: Iterable[tuple[str, str]], width: int = 11) -> Iterator[Line]:
    """`name  value` lines under each other; a value of several lines keeps to its column."""
    for name, value in pairs:
        first, *rest = visible(value).split("\n")
        yield line(("dim", f"{name:<{width}}"), first, indent=width)
        for part in rest:
            yield line(("dim", " " * width), part, indent=width)


def agent_role(name: str, known: Sequence[str]) -> str:
    """The colour of a manifestation: by its place among those of the session, so that two differ."""
    at = known.index(name) if name in known else sum(name.encode("utf-8", "replace"))
    return f"agent-{at % AGENT_ROLES + 1}"
