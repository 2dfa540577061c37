"""A memory laid out for a human's decision, as plain text with everything hidden made visible."""

from collections.abc import Iterator

from tur.clock import format_time
from tur.codec.memory_file import is_edited
from tur.ids import short_id
from tur.model.memory import Core, Memory
from tur.policy.display import counted, one_line, visible
from tur.policy.nearness import Verdict
from tur.policy.words import word_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur.service.show import LineageStep
    from tur.stewardship.edits import Edit
    from tur.stewardship.review import Review


def review_text(shown: "Review") -> str:
    """The whole page, ready to be printed."""
    return "\n".join(visible(line) for line in _lines(shown))


def words_text(before: Core, after: Core) -> str:
    """The words that would take the place of others, to the letter."""
    pairs = [
        ("principle", before.derived_principle, after.derived_principle),
        ("covenant", before.ethical_covenant, after.ethical_covenant),
    ]
    told = [f"{name}: {new}" + ("" if old == new else f"\n      was: {old}") for name, old, new in pairs]
    framed = _framed("The words in its place, to the letter", "\n".join(told), lead="")
    return "\n".join(visible(line) for line in framed)


def core_line(memory: Memory, age: str, wrong: str | None) -> str:
    """A core memory in a list, with the words that would take effect, and what is wrong with it."""
    core = memory.core
    edited = ", edited," if is_edited(memory) else ""
    kind = f", {core.core_type.value}" if core else ""
    lines = [visible(f"{short_id(memory.id)}  {memory.status}{edited} {age}, by {memory.author}{kind}")]
    if core is not None:
        lines.append(f"    principle: {visible(core.derived_principle, multiline=False)}")
        lines.append(f"    covenant:  {visible(core.ethical_covenant, multiline=False)}")
    if wrong is not None:
        lines.append(f"    {visible(wrong)}")
    return "\n".join(lines)


def _lines(shown: "Review") -> Iterator[str]:
    memory = shown.memory
    edited = ", edited" if shown.edit is not None else ""
    yield f"{short_id(memory.id)}  {memory.type}, {memory.scope}, {memory.status}{edited}"
    yield f"id    {memory.id}"
    yield f"seal  {memory.seal or '(none)'}"
    yield f"by {memory.author}, {format_time(memory.timestamp)}, {len(shown.data):,} bytes"
    if shown.injected:
        # To the letter, and safe without a mark of its own: its stored lines are indented or have a label.
        yield from _framed("What the agent's prompt would get, to the letter", shown.injected, lead="")
    else:
        yield from _framed("Content", memory.content, lead="| ")
    if shown.edit is not None:
        yield from _edit(memory, shown.edit)
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
        yield f"Near-identical: {short_id(other.id)} ({other.status}): {one_line(other.headline, 200)}"
    yield from _nearest(shown)
    yield from _effect(shown)
    yield from (f"Hidden: {one}" for one in shown.hidden[:50])
    if len(shown.hidden) > 50:
        yield f"Hidden: and {len(shown.hidden) - 50} more"
    yield from (f"Mind: it {one}" for one in shown.remarks)
    yield from (f"Mind: {short_id(one.id)}, which it was made of, is {one.status}" for one in shown.outlived)


def _nearest(shown: "Review") -> Iterator[str]:
    for near in shown.nearest:
        core = near.memory.core
        principle = f": {one_line(core.derived_principle, 200)}" if core else ""
        yield f"Nearest approved: {short_id(near.memory.id)}, likeness {near.score:.2f}{principle}"
        if near.told:
            yield f"  it {near.told}{_ADVICE[near.verdict]}"


_ADVICE = {
    Verdict.SAME: ": reject it with `tur-adm memory reject`",
    Verdict.CONTRADICTS: "; only one of the two can hold",
    Verdict.OVERLAPS: ": `tur-adm memory merge` makes one of the two instead of adding a second",
    Verdict.APART: "",
}


def _effect(shown: "Review") -> Iterator[str]:
    """What approving it does to the core section: how large, where, and what leaves."""
    effect = shown.effect
    if effect is None or effect.before == effect.after:
        return
    new = [one.number for one in effect.lines() if one.op == "new" and one.number is not None]
    yield f"If approved: {effect.told}; lines {new[0]} to {new[-1]} are new"
    yield from (f"Approving it retires {short_id(one.id)}, which it merges" for one in effect.retired)


def _edit(memory: Memory, edit: "Edit") -> Iterator[str]:
    """What the change by hand did, or plainly that this is not known."""
    if edit.becomes == memory.id:
        yield "Edited by hand: its text is as it was written, but its time or its links are not."
        return
    yield "Edited by hand: what stands above is not the text that its id stands for."
    old = edit.written
    if old is None:
        yield "The text as it was written is NOT KNOWN: git has none here that answers to its id."
        yield "It cannot be compared; and once the edit is accepted, it is lost for good."
        return
    yield from _framed("Content as it was written", old.content, lead="| ")
    for name, before, after in _pairs(old, memory):
        if before != after:
            yield from _framed(f"What was changed in its {name}: [-taken out-] {{+put in+}}", _marked(before, after))


def _pairs(old: Memory, new: Memory) -> Iterator[tuple[str, str, str]]:
    """Everything an id stands for, as it was and as it is."""
    yield "content", old.content, new.content
    yield "type", old.type.value, new.type.value
    yield "scope", old.scope.value, new.scope.value
    before, after = old.core, new.core
    yield "core type", before.core_type.value if before else "", after.core_type.value if after else ""
    yield "principle", before.derived_principle if before else "", after.derived_principle if after else ""
    yield "covenant", before.ethical_covenant if before else "", after.ethical_covenant if after else ""


def _marked(before: str, after: str) -> str:
    marks = {"same": "{}", "old": "[-{}-]", "new": "{{+{}+}}"}
    return "".join(marks[op].format(text) for op, text in word_diff(before, after))


def _framed(title: str, text: str, *, lead: str = "| ") -> Iterator[str]:
    yield f"--- {title} ---"
    for line in text.split("\n"):
        yield f"{lead}{line}"
    yield f"--- end of it: {counted(len(text), 'character')}, {counted(text.count(chr(10)) + 1, 'line')} ---"


def _steps(steps: "list[LineageStep]", indent: str) -> Iterator[str]:
    for step in steps:
        yield f"{indent}{step.link.relation} {step.link.uri}{f'  ({step.doubt})' if step.doubt else ''}"
        if step.note is not None:
            yield f"{indent}  {step.note.author}, {format_time(step.note.at)}: {one_line(step.note.text, 400)}"
        elif step.memory is not None:
            found = step.memory
            yield f"{indent}  {found.type}, {found.status}, by {found.author}: {one_line(found.content, 400)}"
        elif step.missing:
            yield f"{indent}  {step.missing}"
