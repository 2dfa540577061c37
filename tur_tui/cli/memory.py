"""`tur-adm memory`: look at memories, and decide on those that would become part of the agent's identity."""

import sys
from datetime import datetime
from typing import Annotated

import typer

from tur.clock import format_time
from tur.codec.memory_file import is_edited
from tur.errors import Conflict, Refused, UsageError
from tur.ids import short_id
from tur.model.audit import Act
from tur.model.memory import Core, Memory, MemoryType, Scope, Status
from tur.policy.display import one_line
from tur_tui import output
from tur_tui.cli.app import Json, group
from tur_tui.cli.terminal import confirm_id, require_human, unlock
from tur_tui.compose import Stewardship, open_stewardship

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tur.stewardship.decide import Decision
    from tur.stewardship.keys import StewardKey
    from tur.stewardship.restage import Restaged
    from tur.stewardship.review import Review

memory_app = group("memory", "What the agent knows, and what would become part of it.")

Id = Annotated[str, typer.Argument(metavar="ID", help="The memory's id, or a unique beginning of 4 or more digits.")]


def command_line() -> tuple[str, ...]:
    """The command as it was typed, for the audit log, without secrets."""
    from tur.policy.secrets import redact

    return ("tur-adm", *(redact(word)[0].encode("utf-8", "replace").decode() for word in sys.argv[1:]))


@memory_app.command("list")
def list_all(
    pending: Annotated[bool, typer.Option("--pending", help="Only core memories that await a decision.")] = False,
    status: Annotated[list[Status] | None, typer.Option("--status", help="Only this status; may be repeated.")] = None,
    kind: Annotated[list[MemoryType] | None, typer.Option("--type", help="Only this type; may be repeated.")] = None,
    scope: Annotated[list[Scope] | None, typer.Option("--scope", help="Only this scope; may be repeated.")] = None,
    as_json: Json = False,
) -> None:
    """List memories, newest first; core memories with the words that would take effect."""
    desk = open_stewardship()
    if pending:
        status, kind = [Status.PENDING_APPROVAL], [MemoryType.CORE]
    found = _selected(desk, status or [], kind or [], scope or [])
    standing = desk.standing([memory for memory in found if memory.type is MemoryType.CORE])
    now = desk.store.clock.now()
    if as_json:
        rows = []
        for memory in found:
            left = standing.get(memory.id)
            rows.append({**_fields(memory), "left_out": left.reason if left and left.alarm else None})
        output.emit_json("tur.memories/1", {"memories": rows})
        return
    from tur_tui.cli.review_text import core_line

    for memory in found:
        if memory.type is MemoryType.CORE:
            left = standing.get(memory.id)
            wrong = f"NOT TRUSTED: {left.reason}" if left and left.alarm else None
            output.emit_text(core_line(memory, _age(memory, now), wrong))
        else:
            output.emit_text(
                f"{short_id(memory.id)}  {memory.status}{', edited' if is_edited(memory) else ''}, {memory.type}, "
                f"{memory.scope}  {one_line(memory.headline, 90)}"
            )
    if pending:
        tell_pending(found, now)
    elif not found:
        output.emit_text("There is no such memory.")


@memory_app.command("show")
def show(given: Id, as_json: Json = False) -> None:
    """Show a memory with its lineage and history; a core memory as the agent's prompt would get it."""
    desk = open_stewardship()
    shown = desk.review(given)
    if as_json:
        output.emit_json("tur.memory/1", {"memory": _review_fields(shown)})
        return
    from tur_tui.cli.review_text import review_text

    output.emit_text(review_text(shown))
    if shown.memory.type is MemoryType.CORE:
        _tell_standing(desk, shown)


@memory_app.command("approve")
def approve(given: Id, as_json: Json = False) -> None:
    """Make a staged core memory part of the agent, after it was shown and its id was typed."""
    desk, shown = _ask("approving", given, "approve it", lambda shown: shown.check(Act.APPROVE))
    decision = desk.approve(shown, _key(desk))
    name, line = short_id(decision.memory.id), decision.entry.seq
    told = f"Approved {name} (line {line} of the audit log). `tur wake` tells it from now on."
    _tell(decision, told + _retired(decision), as_json=as_json, retired=[one.id for one in decision.retired])


@memory_app.command("reject")
def reject(
    given: Id,
    reason: Annotated[str, typer.Option("--reason", help="Why; the agent is told when it asks again.")],
    as_json: Json = False,
) -> None:
    """Turn a staged core memory down."""
    desk, shown = _ask("rejecting", given, "reject it", lambda shown: shown.check(Act.REJECT, reason))
    decision = desk.reject(shown, reason)
    told = f"Rejected {short_id(decision.memory.id)} (line {decision.entry.seq} of the audit log)."
    _tell(decision, told, as_json=as_json)


@memory_app.command("reword")
def reword(
    given: Id,
    principle: Annotated[str | None, typer.Option("--principle", help="The new principle; else it stays.")] = None,
    covenant: Annotated[str | None, typer.Option("--covenant", help="The new covenant; else it stays.")] = None,
    as_json: Json = False,
) -> None:
    """Stage a pending core memory in other words, and reject the one that was. The new one awaits approval."""
    if principle is None and covenant is None:
        raise UsageError("nothing to say in other words", hint="Give --principle, --covenant, or both.")

    def told(shown: "Review") -> str:
        core = _new_core(shown, principle, covenant)
        if core == shown.memory.core:
            raise Conflict(f"{short_id(shown.memory.id)} says exactly that already", hint="Nothing was changed.")
        return _told_words(shown, core)

    desk, shown = _ask("rewording", given, "put it in these words", told)
    restaged = desk.reword(shown, *_words(shown, principle, covenant))
    _tell_restaged(restaged, "reworded as", as_json=as_json)


@memory_app.command("merge")
def merge(
    given: Id,
    into: Annotated[str, typer.Option("--into", metavar="ID", help="The approved core memory to merge it with.")],
    principle: Annotated[str, typer.Option("--principle", help="The principle of the two as one.")],
    covenant: Annotated[str, typer.Option("--covenant", help="The covenant of the two as one.")],
    as_json: Json = False,
) -> None:
    """Stage one core memory in place of a pending and an approved one, and reject the pending one.

    The approved one stays in force until the new one is approved.
    """
    from tur_tui.cli.review_text import review_text

    def told(shown: "Review") -> str:
        return _told_words(approved, _new_core(shown, principle, covenant))

    require_human("merging")
    approved = open_stewardship().review(into)
    if not approved.trusted:
        raise Conflict(
            f"{short_id(approved.memory.id)} is not approved, so nothing can be merged into it",
            hint="Nothing was changed. `tur-adm memory show` tells which approved ones are near.",
            id=approved.memory.id,
        )
    output.emit_text(review_text(approved))
    desk, shown = _ask("merging", given, "merge the two", told)
    restaged = desk.merge(shown, approved.memory.id, principle, covenant)
    _tell_restaged(restaged, "merged into", as_json=as_json, into=approved.memory.id)


@memory_app.command("forget")
def forget(
    given: Id,
    reason: Annotated[str | None, typer.Option("--reason", help="Why; kept in its history.")] = None,
    as_json: Json = False,
) -> None:
    """Put a memory out of force and into the archive; nothing is deleted."""
    desk, shown = _ask("forgetting", given, "forget it", lambda shown: shown.check(Act.FORGET, reason))
    decision = desk.forget(shown.memory.id, reason)
    _tell(decision, _now("Forgot", decision), as_json=as_json)


@memory_app.command("restore")
def restore(given: Id, as_json: Json = False) -> None:
    """Bring a forgotten memory back, or a core memory that was merged; for a core memory that is an approval."""
    desk, shown = _ask("restoring", given, "bring it back", lambda shown: shown.check(Act.RESTORE))
    key = _key(desk) if shown.memory.type is MemoryType.CORE else None
    decision = desk.restore(shown, key)
    told = _now("Restored", decision) + _retired(decision)
    _tell(decision, told, as_json=as_json, retired=[one.id for one in decision.retired])


@memory_app.command("undo")
def undo(as_json: Json = False) -> None:
    """Take back the last decision: an approved core memory is pending again, a forgotten memory is back."""
    from tur.policy.undoing import check_undo

    require_human("undoing")
    desk = open_stewardship(command_line())
    decided, last = desk.last_decision()
    check_undo(last, desk.review(decided).memory)
    _lay_out(desk, decided)
    output.emit_text(
        f"The last act: {last.act.value} of {short_id(decided)} by {last.actor}, {format_time(last.at)} "
        f"(line {last.seq} of the audit log)."
    )
    confirm_id(decided, "take it back")
    decision = desk.undo(last.seq)
    _tell(decision, _now("Taken back:", decision), as_json=as_json)


@memory_app.command("accept-edit")
def accept_edit(given: Id, as_json: Json = False) -> None:
    """Make a change by hand a memory of its own, which takes the place of the one it was made in."""
    desk, shown = _ask("accepting an edit", given, "accept the edit", lambda shown: shown.check(Act.ACCEPT_EDIT))
    successor, decision = desk.accept_edit(shown.memory.id)
    waits = "; it awaits approval" if successor.status is Status.PENDING_APPROVAL else ""
    told = f"The edit of {short_id(decision.memory.id)} is now {short_id(successor.id)}{waits}."
    _tell(decision, told, as_json=as_json, memory=successor, replaced=decision.memory.id)


def tell_pending(memories: list[Memory], now: datetime) -> None:
    """Say how many core memories await a decision, and for how long the oldest has."""
    waiting = [_since(memory) for memory in memories if memory.status is Status.PENDING_APPROVAL]
    if not waiting:
        output.emit_text("No core memory awaits approval.")
        return
    noun = "memory awaits" if len(waiting) == 1 else "memories await"
    output.emit_text(f"{len(waiting)} core {noun} approval, the oldest for {_span(min(waiting), now)}.")


def _selected(desk: Stewardship, status: list[Status], kinds: list[MemoryType], scopes: list[Scope]) -> list[Memory]:
    from tur.store.index import open_index

    store = desk.store
    with open_index(store.terrain.index, store.memories) as index:
        entries = index.entries(types=kinds, scopes=scopes, all_statuses=True, now=format_time(store.clock.now()))
        wanted = {one.value for one in status}
        return [index.load(entry) for entry in entries if not wanted or entry.status in wanted]


def _ask(doing: str, given: str, what: str, check: "Callable[[Review], str | None]") -> "tuple[Stewardship, Review]":
    """Show a memory to a human at a terminal, who types the beginning of its id to go on.

    `check` raises what the act would raise, and gives what else the human must have seen. Raises
    StewardRequired where no human can be asked.
    """
    require_human(doing)
    desk = open_stewardship(command_line())
    shown = _lay_out(desk, given, check)
    confirm_id(shown.memory.id, what)
    return desk, shown


def _lay_out(desk: Stewardship, given: str, check: "Callable[[Review], str | None] | None" = None) -> "Review":
    """Show a memory for a decision, and then what `check` gives.

    One that the act does not fit is refused before anything is shown; one that is blocked is shown
    first, since what blocks it (hidden characters, changed evidence) is there to be seen.
    """
    from tur_tui.cli.review_text import review_text

    shown = desk.review(given)
    try:
        more = check(shown) if check is not None else None
    except Refused:
        output.emit_text(review_text(shown))
        raise
    output.emit_text(review_text(shown))
    if more is not None:
        output.emit_text(more)
    return shown


def _words(shown: "Review", principle: str | None, covenant: str | None) -> tuple[str, str]:
    """Both fields, as they are where nothing new was given."""
    core = shown.memory.core
    was = (core.derived_principle, core.ethical_covenant) if core else ("", "")
    return principle if principle is not None else was[0], covenant if covenant is not None else was[1]


def _new_core(shown: "Review", principle: str | None, covenant: str | None) -> Core:
    """The words as they would be staged. Raises at once what staging them would raise."""
    from tur.service.evolve import take_words

    return take_words(shown.check_restaging().core_type, *_words(shown, principle, covenant))[0]


def _told_words(shown: "Review", core: Core) -> str:
    from tur_tui.cli.review_text import words_text

    return words_text(shown.memory.core or core, core)


def _key(desk: Stewardship) -> "StewardKey | None":
    return unlock(desk) if desk.key_state().fingerprint is not None else None


def _answer(memory: Memory, decision: "Decision", **more: object) -> None:
    """What was decided, as one JSON object after all that was shown."""
    output.emit_json("tur.decision/1", {"memory": _fields(memory), "audit_line": decision.entry.seq, **more})


def _tell(decision: "Decision", told: str, *, as_json: bool, memory: Memory | None = None, **more: object) -> None:
    """What was decided, in a sentence or as one JSON object."""
    if as_json:
        _answer(memory or decision.memory, decision, **more)
    else:
        output.emit_text(told)


def _now(what: str, decision: "Decision") -> str:
    memory = decision.memory
    return f"{what} {short_id(memory.id)}: it is {memory.status} (line {decision.entry.seq} of the audit log)."


def _retired(decision: "Decision") -> str:
    names = ", ".join(short_id(one.id) for one in decision.retired)
    return f" It took {names} out of force, which it merges." if names else ""


def _tell_restaged(restaged: "Restaged", how: str, *, as_json: bool, **more: object) -> None:
    decision, name = restaged.decision, short_id(restaged.memory.id)
    told = f"{short_id(decision.memory.id)} is {how} {name} (line {decision.entry.seq} of the audit log)."
    if restaged.redacted:
        told += f" Taken out of it: {', '.join(restaged.redacted)}."
    told += f" `tur-adm memory approve {restaged.memory.id[:8]}` decides on that."
    _tell(decision, told, as_json=as_json, memory=restaged.memory, replaced=decision.memory.id, **more)


def _tell_standing(desk: Stewardship, shown: "Review") -> None:
    if shown.trusted:
        output.emit_text("It is approved, and `tur wake` tells it.")
        return
    left = desk.standing([shown.memory]).get(shown.memory.id)
    if left is not None:
        output.emit_text(f"It is not in the prompt: {left.reason}.")
    for one in shown.blocked:
        output.emit_text(f"It cannot be approved: {one}.")


def _fields(memory: Memory) -> dict[str, object]:
    from tur.codec.delta_json import memory_fields

    pending = memory.status is Status.PENDING_APPROVAL
    since = format_time(_since(memory)) if pending else None
    return {**memory_fields(memory), "pending_since": since, "edited": is_edited(memory)}


def _review_fields(shown: "Review") -> dict[str, object]:
    steps = [*shown.lineage, *shown.source_lineage]
    return {
        **_fields(shown.memory),
        "seal": shown.memory.seal,
        "injected": shown.injected,
        "trusted": shown.trusted,
        "blocked": shown.blocked,
        "hidden": shown.hidden,
        "written": shown.edit.written.content if shown.edit and shown.edit.written else None,
        "remarks": shown.remarks,
        "similar": [memory.id for memory in shown.similar],
        "nearest": [
            {"id": one.memory.id, "score": round(one.score, 4), "verdict": one.verdict.value, "why": one.why or None}
            for one in shown.nearest
        ],
        "section": None
        if shown.effect is None
        else {
            "bytes_before": shown.effect.bytes_before,
            "bytes_after": shown.effect.bytes_after,
            "retires": [one.id for one in shown.retires],
        },
        "lineage": [
            {"uri": one.link.uri, "relation": one.link.relation, "sound": one.sound, "elsewhere": one.elsewhere}
            for one in steps
        ],
        "lifecycle": [
            {"at": format_time(one.at), "status": one.status.value, "by": one.by, "reason": one.reason}
            for one in shown.memory.lifecycle
        ],
    }


def _since(memory: Memory) -> datetime:
    return memory.lifecycle[-1].at if memory.lifecycle else memory.timestamp


def _age(memory: Memory, now: datetime) -> str:
    return f"for {_span(_since(memory), now)}"


def _span(since: datetime, now: datetime) -> str:
    minutes = max(0, int((now - since).total_seconds())) // 60
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // 60 // 24} days"
