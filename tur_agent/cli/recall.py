"""`tur recall`."""

from typing import Annotated

import typer

from tur.policy.display import counted
from tur.store.store import Store
from tur_agent import diagnostics, output
from tur_agent.cli.app import As, Json, Scopes, Types, verb
from tur_agent.compose import open_workplace


@verb("recall")
def recall(
    query: Annotated[str, typer.Argument(help="Words to look for; any text will do.")],
    types: Types = None,
    scopes: Scopes = None,
    limit: Annotated[int, typer.Option("--limit", help="At most so many answers (1 to 1,000).")] = 10,
    all_statuses: Annotated[
        bool, typer.Option("--all-statuses", help="Also what was superseded, refuted, merged or archived, marked so.")
    ] = False,
    notes: Annotated[
        bool, typer.Option("--notes", help="Search the notes of all sessions instead, archived ones too.")
    ] = False,
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """Find memories by their words, best match first."""
    from tur.codec.delta_json import memory_fields
    from tur.ids import short_id
    from tur.policy.display import as_prompt_data
    from tur.service.recall import recall as recall_service

    store = open_workplace(as_name).store
    if notes:
        _recall_notes(store, query, limit, as_json)
        return
    hits, unreadable = recall_service(
        store, query, types=types or [], scopes=scopes or [], limit=limit, all_statuses=all_statuses
    )
    for bad in unreadable:
        diagnostics.note(f"Warning: {bad.error.message}")
    if as_json:
        document: dict[str, object] = {
            "query": query,
            "memories": [
                {**memory_fields(hit.memory), "edited": hit.edited, "untrusted": hit.untrusted} for hit in hits
            ],
            "warnings": [bad.error.message for bad in unreadable],
        }
        output.emit_json("tur.recall/1", document)
        return
    if not hits:
        output.emit_text("No memory matches.")
        return
    lines = []
    for hit in hits:
        marks = [hit.memory.type.value, hit.memory.scope.value]
        if hit.memory.status != "active":
            marks.append(hit.memory.status.value)
        if hit.edited:
            marks.append("edited")
        if hit.untrusted:
            marks.append("not approved")
        lines.append(f"- {short_id(hit.memory.id)} [{', '.join(marks)}] {as_prompt_data(hit.memory.content)}")
    output.emit_text("\n".join(["<!-- tur:recall -->", *lines, "<!-- /tur:recall -->"]))
    if len(hits) == limit:
        diagnostics.note(f"Shown are the best {limit}; --limit shows more.")


def _recall_notes(store: Store, query: str, limit: int, as_json: bool) -> None:
    from tur.clock import format_time
    from tur.policy.display import as_prompt_data
    from tur.service.archive import search_notes
    from tur.service.recall import check_query

    check_query(query, limit)
    found = search_notes(store, query, limit)
    warnings = [f"session {session_id}: {problem}" for session_id, problem in found.unreadable]
    for warning in warnings:
        diagnostics.note(f"Warning: {warning}")
    if as_json:
        notes = [
            {
                "session": hit.session_id,
                "idx": hit.idx,
                "uri": hit.uri,
                "at": format_time(hit.at),
                "author": hit.author,
                "text": hit.text,
                "archived": hit.archived,
            }
            for hit in found.hits
        ]
        document: dict[str, object] = {
            "query": query,
            "notes": notes,
            "total": found.total,
            "pruned_sessions": [stone.session_id for stone in found.pruned],
            "warnings": warnings,
        }
        output.emit_json("tur.recall-notes/1", document)
        return
    if not found.hits:
        output.emit_text("No note matches.")
    else:
        lines = [
            f"- {hit.uri} [{format_time(hit.at)}] ({hit.author}{', archived' if hit.archived else ''}) "
            f"{as_prompt_data(hit.text)}"
            for hit in found.hits
        ]
        output.emit_text("\n".join(["<!-- tur:recall -->", *lines, "<!-- /tur:recall -->"]))
    if found.total > len(found.hits):
        diagnostics.note(f"{counted(found.total, 'note matches', 'notes match')}; --limit shows more.")
    if found.pruned:
        diagnostics.note(f"{counted(len(found.pruned), 'session was', 'sessions were')} pruned; the notes are gone.")
