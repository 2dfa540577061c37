"""The prompt's section of core memories, and what wake says about those it leaves out (EP-0113, 4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from tur.model.memory import Memory, MemoryType, Status
from tur.policy.display import as_prompt_data
from tur.policy.lifecycle import history_of
from tur.policy.trust import Alarm, LeftOut
from tur.service.core_trust import core_trust, settle
from tur.store.store import Store

HEADING = "## CORE AXIOMS & COVENANTS"
_OPENING = "You have established the following relational anchors and existential axioms with the Architect:"


@dataclass(frozen=True, slots=True)
class CoreSection:
    """`text` is the whole section without a newline at its end, "" when there is nothing to say.

    `included` are the memories in it. `left_out` are those that claim a place and do not get one,
    and why; `alarms` concern audit log or key as a whole. `pending` counts those that await a
    human, the oldest since `oldest_pending`. `warnings` puts all that is wrong in lines for stderr.
    """

    text: str
    included: list[Memory]
    left_out: list[LeftOut]
    alarms: list[Alarm]
    pending: int
    oldest_pending: datetime | None

    @property
    def warnings(self) -> list[str]:
        """One line for each alarm and each memory left out because something is wrong."""
        lines = [f"{alarm.subject}: {alarm.message}" for alarm in self.alarms]
        if any(alarm.closed for alarm in self.alarms):
            lines.insert(0, "no core memory is trusted until a steward has looked: `tur-adm audit --verify`")
        return lines + [f"core memory {one.id[:8]} is left out: {one.reason}" for one in self.left_out if one.alarm]


def core_section(store: Store, memories: Iterable[Memory]) -> CoreSection:
    """The section for the store's persona. `memories` are those of type core, in any state.

    Every trusted one is read anew from its file and checked against log, pins and key.
    """
    settle(store)
    known = [memory for memory in memories if memory.type is MemoryType.CORE]
    verdict = core_trust(store, known)
    since = [history_of(memory)[-1].at for memory in known if memory.status is Status.PENDING_APPROVAL]
    return CoreSection(
        text=render_core_section(verdict.trusted),
        included=list(verdict.trusted),
        left_out=list(verdict.left_out),
        alarms=list(verdict.alarms),
        pending=len(since),
        oldest_pending=min(since, default=None),
    )


def render_core_section(memories: Iterable[Memory]) -> str:
    """The section as EP-0113 words it; what a steward is shown before approving is this very text."""
    return "\n\n".join(core_section_parts(memories))


def core_section_parts(memories: Iterable[Memory]) -> list[str]:
    """The section in parts, with an empty line between them: its heading, its opening, then each memory."""
    blocks = [render_core_memory(memory) for memory in memories]
    return [HEADING, _OPENING, *blocks] if blocks else []


def render_core_memory(memory: Memory) -> str:
    """One memory's part of the section. Stored text is data: it opens no heading, list or fence."""
    core = memory.core
    if core is None:
        raise ValueError(f"not a core memory: {memory.id}")
    return (
        f"### Core Principle: {_line(core.derived_principle)}\n\n"
        f"* **Type:** {core.core_type.value}\n"
        f"* **Lived Context:** {as_prompt_data(memory.content)}\n"
        f"* **Ethical Covenant:** {_line(core.ethical_covenant)}"
    )


def _line(text: str) -> str:
    # A line break inside a heading would end it.
    return as_prompt_data(" ".join(text.split()))
