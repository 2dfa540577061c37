"""`tur show`."""

from typing import TYPE_CHECKING, Annotated

import typer

from tur.errors import InvalidInput, NotFound
from tur.policy.display import counted
from tur_agent import output
from tur_agent.cli.app import As, Json, verb
from tur_agent.compose import open_workplace

if TYPE_CHECKING:
    from tur.model.session import SessionNotes
    from tur.service.show import LineageStep, MemoryView


@verb("show")
def show(
    subject: Annotated[
        str,
        typer.Argument(metavar="ID", help="A memory, a note (tur://…#note-3), or a session (its id, `@` or `@~1`)."),
    ],
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """Show a memory with its lineage down to the notes, or a session with its notes."""
    from tur.ids import SESSION_ID, note_of_uri
    from tur.service.show import show_memory, show_session

    store = open_workplace(as_name).store
    # A session id has underscores where a memory id has none, so the two cannot be confused.
    bare = subject.removeprefix("tur://session/").partition("#")[0]
    if subject.startswith(("@", "tur://session/")) or SESSION_ID.fullmatch(bare) or "_" in bare:
        session = show_session(store, bare)
        named = note_of_uri(subject)
        if named is not None:
            _note_answer(session, named[1], as_json)
        else:
            _session_answer(session, as_json)
        return
    try:
        view = show_memory(store, subject)
    except InvalidInput as error:
        raise InvalidInput(
            f"neither a memory nor a session: {subject!r}",
            hint=f"{error.hint} A session is `@`, `@~1`, or an id such as 20260918_004355_d8ca9e13.",
        ) from error
    _memory_answer(view, as_json)


def _note_answer(session: "SessionNotes", idx: int, as_json: bool) -> None:
    from tur.clock import format_time
    from tur.codec.fields import note_fields

    note = next((note for note in session.notes if note.idx == idx), None)
    if note is None:
        raise NotFound(f"session {session.session_id} has no note {idx}", hint=f"It has {len(session.notes)}.")
    if as_json:
        fields = note_fields(session.session_id, note)
        output.emit_json("tur.show/1", {"session": {"id": session.session_id}, "note": fields})
        return
    head = f"#{note.idx} of session {session.session_id}, {format_time(note.at)} by {note.author}"
    output.emit_text(f"{head}\nhash {note.hash}\n\n{note.text}")


def _session_answer(session: "SessionNotes", as_json: bool) -> None:
    from tur.clock import format_time
    from tur.codec.fields import session_fields
    from tur.ids import short_id

    if as_json:
        output.emit_json("tur.show/1", {"session": session_fields(session, notes=True)})
        return
    lines = [f"Session {session.session_id} ({session.state.value})"]
    if session.parent_session_id:
        lines.append(f"parent: {session.parent_session_id}")
    info = session.consolidation
    if info.consolidated and info.consolidated_at:
        lines.append(f"consolidated: {format_time(info.consolidated_at)} by {info.consolidation_model}")
        lines += [f"  -> {short_id(one)}" for one in info.derived_memory_ids]
    if session.unconsolidated_notes:
        lines.append(f"not consolidated: {session.unconsolidated_notes} of {counted(len(session.notes), 'note')}")
    lines.append("")
    lines += [f"#{note.idx} [{format_time(note.at)}] ({note.author}) {note.text}" for note in session.notes]
    output.emit_text("\n".join(lines))


def _memory_answer(view: "MemoryView", as_json: bool) -> None:
    from tur.clock import format_time
    from tur.codec.delta_json import memory_fields
    from tur.ids import short_id

    memory = view.memory
    if as_json:
        lifecycle = [
            {
                "at": format_time(entry.at),
                "status": entry.status.value,
                "by": entry.by,
                "session": entry.session,
                "reason": entry.reason,
                "successor": entry.successor,
                "verified": entry.verified,
            }
            for entry in memory.lifecycle
        ]
        fields = {**memory_fields(memory), "seal": memory.seal, "edited": view.edited, "lifecycle": lifecycle}
        lineage = [_step_fields(step) for step in view.lineage]
        output.emit_json("tur.show/1", {"memory": fields, "lineage": lineage})
        return
    lines = [
        f"{short_id(memory.id)}  {memory.title}",
        f"type: {memory.type.value}   scope: {memory.scope.value}   status: {memory.status.value}"
        + ("   edited by hand" if view.edited else ""),
        f"id: {memory.id}",
        f"born: {format_time(memory.timestamp)} by {memory.author}"
        + (f" in session {memory.session}" if memory.session else ""),
    ]
    if memory.tags:
        lines.append(f"tags: {', '.join(memory.tags)}")
    lines += ["", memory.content]
    if memory.core:
        lines += [
            "",
            f"principle: {memory.core.derived_principle}",
            f"covenant: {memory.core.ethical_covenant}",
        ]
    lines += ["", "Lifecycle"]
    for entry in memory.lifecycle:
        what = "verified" if entry.verified else entry.status.value
        joint = "into" if what == "merged" else "by"
        tail = f" {joint} {short_id(entry.successor)}" if entry.successor else ""
        tail += f" ({entry.reason})" if entry.reason else ""
        lines.append(f"  {format_time(entry.at)} {what}{tail}, said by {entry.by}")
    if view.lineage:
        lines += ["", "Lineage"]
        for step in view.lineage:
            lines.append(f"  {step.link.relation} {step.link.uri}" + ("" if step.sound else "   BROKEN"))
            if step.note:
                lines.append(f"    [{format_time(step.note.at)}] ({step.note.author}) {step.note.text}")
                lines.append(f"    hash {step.note.hash}")
            elif step.memory:
                lines.append(f"    {step.memory.status.value}: {step.memory.title}")
            elif step.missing:
                lines.append(f"    {step.missing}")
    output.emit_text("\n".join(lines))


def _step_fields(step: "LineageStep") -> dict[str, object]:
    from tur.clock import format_time

    note = step.note
    return {
        "uri": step.link.uri,
        "relation": step.link.relation,
        "hash": step.link.hash,
        "sound": step.sound,
        "missing": step.missing,
        "note": {"at": format_time(note.at), "author": note.author, "text": note.text, "hash": note.hash}
        if note
        else None,
        "memory": step.memory.id if step.memory else None,
    }
