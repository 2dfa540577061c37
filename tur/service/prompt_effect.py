"""The exact effect of a diff on the wake prompt: its core section and its memories, before and after.

Reads only, and only as much as `tur wake` does: what the diff found to differ is put back onto what the
index knows, and the lines are taken in the order of the prompt until the budget is used up.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from tur.clock import format_time
from tur.model.memory import Memory, MemoryType, Status
from tur.policy.decay import HalfLives
from tur.policy.diff import DiffEnd
from tur.policy.lifecycle import MemoryState
from tur.policy.prompt_effect import PromptEffect, PromptEnd, PromptPart, merged
from tur.policy.trust import TrustVerdict
from tur.policy.wake import choose_within, left_out_line, render_memories
from tur.service.core_section import render_core_memory, render_core_section
from tur.service.core_trust import peek_core_trust
from tur.service.diff import DiffReport, DiffSelection, changes_since
from tur.service.prompt_memories import ORDER, memory_lines
from tur.store.index import Index, open_index
from tur.store.store import Store

MOST_SINCE = 2_000
"""When more memories changed since the later end than this, what the prompt was then is not worked out."""

States = Mapping[str, MemoryState | None]


def prompt_effect(store: Store, selection: DiffSelection, report: DiffReport) -> PromptEffect:
    """What lies between the prompts at the two ends of `report`, which `selection` led to."""
    now = store.clock.now()
    since = changes_since(store, selection, most=MOST_SINCE)
    present = {change.id: change.after for change in (*report.changes, *(since or ()))}
    at_target: States = {change.id: change.before for change in since or ()}
    at_base: States = {**at_target, **{change.id: change.before for change in report.changes}}
    with open_index(store.terrain.index, store.memories, write=False) as index:
        cores = [
            index.load(one) for one in index.entries(types=[MemoryType.CORE], all_statuses=True, now=format_time(now))
        ]
        verdict = peek_core_trust(store, cores)

        def end(states: States, told: DiffEnd | None) -> PromptEnd:
            at = now if told is None or told.at is None else min(told.at, now)
            return _end(store, index, verdict, present, states, at, told.label if told else "now")

        budget = store.persona.settings.wake_budget
        if since is None:
            why = (
                f"More than {MOST_SINCE:,} memories changed since the later end, so only the prompt of now is known: "
                "what it was then is not worked out."
            )
            return PromptEffect(None, end({}, None), budget, caveats=(why,))
        before, after = end(at_base, report.base), end(at_target, report.target if since else None)
    return PromptEffect(
        before, after, budget, tuple(merged(before.parts, after.parts)), (_caveat(report, bool(since)),)
    )


def _caveat(report: DiffReport, both: bool) -> str:
    ends = f"{report.base.label} and {report.target.label}" if both else report.base.label
    return (
        f"The prompt at {ends} is worked out backwards from now: with the budget, half-lives and trust in core "
        "memories of now, and without files that are gone since."
    )


def _end(
    store: Store,
    index: Index,
    verdict: TrustVerdict,
    present: States,
    states: States,
    at: datetime,
    label: str,
) -> PromptEnd:
    cores = list(_cores(verdict, present, states))
    half_lives = HalfLives.of(store.persona.settings.half_life_days)
    choices = choose_within(store.persona.settings.wake_budget, memory_lines(index, at, half_lives, states))
    included = [choice for choice in choices if choice.included]
    total = index.count(types=ORDER, status=Status.ACTIVE)
    for one, state in states.items():
        total += _competes(state) - _competes(present.get(one))
    parts = [PromptPart(memory.id, render_core_memory(memory)) for memory in cores]
    parts += [PromptPart(choice.subject, choice.line) for choice in included]
    left_out = total - len(included)
    if left_out:
        parts.append(PromptPart("", left_out_line(left_out)))
    memories = render_memories([choice.line for choice in included], left_out)
    return PromptEnd(label, render_core_section(cores), memories, tuple(parts), tuple(choices))


def _competes(state: MemoryState | None) -> bool:
    return state is not None and state.status is Status.ACTIVE and state.memory.type in ORDER


def _cores(verdict: TrustVerdict, present: States, states: States) -> Iterator[Memory]:
    """Core memories in force: those trusted now, less what was not active then, and with what was and is no more."""
    for memory in verdict.trusted:
        state = states.get(memory.id)
        if memory.id not in states or (state is not None and state.status is Status.ACTIVE):
            yield memory
    for one, state in states.items():
        if state is None or state.status is not Status.ACTIVE or state.memory.core is None:
            continue
        later = present.get(one)
        if later is None or later.status is not Status.ACTIVE:
            yield state.memory
