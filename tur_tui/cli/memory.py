"""`tur-adm memory`: look at memories, and decide on those that would become part of the agent's identity."""

import sys
from datetime import datetime
from typing import Annotated

import typer

from tur.clock import format_time
from tur.codec.memory_file import is_edited
from tur.errors import Refused
from tur.ids import short_id
from tur.model.audit import Act
from tur.model.memory import Memory, MemoryType, Scope, Status
from tur.policy.display import one_line
from tur_tui import output
from tur_tui.cli.app import Json, group
from tur_tui.cli.terminal import confirm_id, require_human, unlock
from tur_tui.compose import Stewardship, open_stewardship

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur.stewardship.decide import Decision
    from tur.stewardship.keys import StewardKey
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
                f"{memory.scope}  {one_line(memory.title, 90)}"
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
    require_human("approving")
    desk = open_stewardship(command_line())
    shown = _lay_out(desk, given, Act.APPROVE)
    confirm_id(shown.memory.id, "approve it")
    decision = desk.approve(shown, _key(desk))
    if as_json:
        _answer(decision.memory, decision)
        return
    name = short_id(decision.memory.id)
    output.emit_text(f"Approved {name} (line {decision.entry.seq} of the audit log). `tur wake` tells it from now on.")


@memory_app.command("reject")
def reject(
    given: Id,
    reason: Annotated[str, typer.Option("--reason", help="Why; the agent is told when it asks again.")],
    as_json: Json = False,
) -> None:
    """Turn a staged core memory down."""
    require_human("rejecting")
    desk = open_stewardship(command_line())
    shown = _lay_out(desk, given, Act.REJECT, reason)
    confirm_id(shown.memory.id, "reject it")
    decision = desk.reject(shown, reason)
    if as_json:
        _answer(decision.memory, decision)
        return
    output.emit_text(f"Rejected {short_id(decision.memory.id)} (line {decision.entry.seq} of the audit log).")


@memory_app.command("forget")
def forget(
    given: Id,
    reason: Annotated[str | None, typer.Option("--reason", help="Why; kept in its history.")] = None,
    as_json: Json = False,
) -> None:
    """Put a memory out of force and into the archive; nothing is deleted."""
    require_human("forgetting")
    desk = open_stewardship(command_line())
    shown = _lay_out(desk, given, Act.FORGET, reason)
    confirm_id(shown.memory.id, "forget it")
    _tell(desk.forget(shown.memory.id, reason), "Forgot", as_json=as_json)


@memory_app.command("restore")
def restore(given: Id, as_json: Json = False) -> None:
    """Bring a forgotten memory back, as it was before; for a core memory that is an approval."""
    require_human("restoring")
    desk = open_stewardship(command_line())
    shown = _lay_out(desk, given, Act.RESTORE)
    confirm_id(shown.memory.id, "bring it back")
    key = _key(desk) if shown.memory.type is MemoryType.CORE else None
    _tell(desk.restore(shown, key), "Restored", as_json=as_json)


@memory_app.command("undo")
def undo(as_json: Json = False) -> None:
    """Take back the last decision: an approved core memory is pending again, a forgotten memory is back."""
    from tur.policy.undoing import check_undo, to_undo
    from tur.service.core_trust import audit_file

    require_human("undoing")
    desk = open_stewardship(command_line())
    decided, last = to_undo(audit_file(desk.store).read())
    check_undo(last, desk.review(decided).memory)
    _lay_out(desk, decided)
    output.emit_text(
        f"The last act: {last.act.value} of {short_id(decided)} by {last.actor}, {format_time(last.at)} "
        f"(line {last.seq} of the audit log)."
    )
    confirm_id(decided, "take it back")
    _tell(desk.undo(), "Taken back:", as_json=as_json)


@memory_app.command("accept-edit")
def accept_edit(given: Id, as_json: Json = False) -> None:
    """Make a change by hand a memory of its own, which takes the place of the one it was made in."""
    require_human("accepting an edit")
    desk = open_stewardship(command_line())
    shown = _lay_out(desk, given, Act.ACCEPT_EDIT)
    confirm_id(shown.memory.id, "accept the edit")
    successor, decision = desk.accept_edit(shown.memory.id)
    if as_json:
        _answer(successor, decision, replaced=decision.memory.id)
        return
    waits = "; it awaits approval" if successor.status is Status.PENDING_APPROVAL else ""
    output.emit_text(f"The edit of {short_id(decision.memory.id)} is now {short_id(successor.id)}{waits}.")


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


def _lay_out(desk: Stewardship, given: str, act: Act | None = None, reason: str | None = None) -> "Review":
    """Show a memory for a decision.

    One that the act does not fit is refused before anything is shown; one that is blocked is shown
    first, since what blocks it (hidden characters, changed evidence) is there to be seen.
    """
    from tur_tui.cli.review_text import review_text

    shown = desk.review(given)
    try:
        if act is not None:
            shown.check(act, reason)
    except Refused:
        output.emit_text(review_text(shown))
        raise
    output.emit_text(review_text(shown))
    return shown


def _key(desk: Stewardship) -> "StewardKey | None":
    return unlock(desk) if desk.key_state().fingerprint is not None else None


def _answer(memory: Memory, decision: "Decision", **more: object) -> None:
    """What was decided, as one JSON object after all that was shown."""
    output.emit_json("tur.decision/1", {"memory": _fields(memory), "audit_line": decision.entry.seq, **more})


def _tell(decision: "Decision", what: str, *, as_json: bool) -> None:
    memory = decision.memory
    if as_json:
        _answer(memory, decision)
        return
    output.emit_text(
        f"{what} {short_id(memory.id)}: it is {memory.status} (line {decision.entry.seq} of the audit log)."
    )


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
        "lineage": [{"uri": one.link.uri, "relation": one.link.relation, "sound": one.sound} for one in steps],
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
