"""A memory laid out for a human's decision, as plain text with everything hidden made visible."""

from collections.abc import Iterator

from tur.clock import format_time
from tur.ids import short_id
from tur.model.memory import Memory
from tur.policy.display import one_line, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur.service.show import LineageStep
    from tur.stewardship.review import Review


def review_text(shown: "Review") -> str:
    """The whole page, ready to be printed."""
    return "\n".join(visible(line) for line in _lines(shown))


def core_line(memory: Memory, age: str, wrong: str | None) -> str:
    """A core memory in a list, with the words that would take effect, and what is wrong with it."""
    core = memory.core
    kind = f", {core.core_type.value}" if core else ""
    lines = [visible(f"{short_id(memory.id)}  {memory.status} {age}, by {memory.author}{kind}")]
    if core is not None:
        lines.append(f"    principle: {visible(core.derived_principle, multiline=False)}")
        lines.append(f"    covenant:  {visible(core.ethical_covenant, multiline=False)}")
    if wrong is not None:
        lines.append(f"    {visible(wrong)}")
    return "\n".join(lines)


def _lines(shown: "Review") -> Iterator[str]:
    memory = shown.memory
    yield f"{short_id(memory.id)}  {memory.type}, {memory.scope}, {memory.status}"
    yield f"id    {memory.id}"
    yield f"seal  {memory.seal or '(none)'}"
    yield f"by {memory.author}, {format_time(memory.timestamp)}, {len(shown.data):,} bytes"
    if shown.injected:
        # To the letter, and safe without a mark of its own: its stored lines are indented or have a label.
        yield from _framed("What the agent's prompt would get, to the letter", shown.injected, lead="")
    else:
        yield from _framed("Content", memory.content, lead="| ")
    yield "Rests on:" if shown.lineage else "Rests on nothing that is linked."
    yield from _steps(shown.lineage, "  ")
    if shown.source_lineage:
        yield "  which rests on:"
        yield from _steps(shown.source_lineage, "    ")
    yield "History:"
    for entry in memory.lifecycle:
        reason = f": {one_line(entry.reason, 200)}" if entry.reason else ""
        yield f"  {format_time(entry.at)}  {entry.status} by {entry.by}{reason}"
    for other in shown.similar:
        principle = other.core.derived_principle if other.core else other.title
        yield f"Near-identical: {short_id(other.id)} ({other.status}): {one_line(principle, 200)}"
    yield from (f"Hidden: {one}" for one in shown.hidden[:50])
    if len(shown.hidden) > 50:
        yield f"Hidden: and {len(shown.hidden) - 50} more"
    yield from (f"Mind: it {one}" for one in shown.remarks)


def _framed(title: str, text: str, *, lead: str) -> Iterator[str]:
    yield f"--- {title} ---"
    for line in text.split("\n"):
        yield f"{lead}{line}"
    yield f"--- end of it: {len(text):,} characters, {text.count(chr(10)) + 1} lines ---"


def _steps(steps: "list[LineageStep]", indent: str) -> Iterator[str]:
    for step in steps:
        sound = "" if step.sound else "  (CHANGED since it was linked)" if step.note or step.memory else "  (not found)"
        yield f"{indent}{step.link.relation} {step.link.uri}{sound}"
        if step.note is not None:
            yield f"{indent}  {step.note.author}, {format_time(step.note.at)}: {one_line(step.note.text, 400)}"
        elif step.memory is not None:
            found = step.memory
            yield f"{indent}  {found.type}, {found.status}, by {found.author}: {one_line(found.content, 400)}"
        elif step.missing:
            yield f"{indent}  {step.missing}"
