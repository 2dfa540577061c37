"""`tur recall`."""

from typing import Annotated

import typer

from tur_agent import diagnostics, output
from tur_agent.cli.app import As, Json, Scopes, Types, app
from tur_agent.compose import open_workplace


@app.command("recall")
def recall(
    query: Annotated[str, typer.Argument(help="Words to look for; any text will do.")],
    types: Types = None,
    scopes: Scopes = None,
    limit: Annotated[int, typer.Option("--limit", help="At most so many answers (1 to 1,000).")] = 10,
    all_statuses: Annotated[
        bool, typer.Option("--all-statuses", help="Also what was superseded, refuted, merged or archived, marked so.")
    ] = False,
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """Find memories by their words, best match first."""
    from tur.codec.delta_json import memory_fields
    from tur.ids import short_id
    from tur.policy.display import as_prompt_data
    from tur.service.recall import recall as recall_service

    workplace = open_workplace(as_name)
    hits, unreadable = recall_service(
        workplace.store, query, types=types or [], scopes=scopes or [], limit=limit, all_statuses=all_statuses
    )
    for bad in unreadable:
        diagnostics.note(f"Warning: {bad.error.message}")
    if as_json:
        document: dict[str, object] = {
            "query": query,
            "memories": [{**memory_fields(hit.memory), "edited": hit.edited} for hit in hits],
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
        lines.append(f"- {short_id(hit.memory.id)} [{', '.join(marks)}] {as_prompt_data(hit.memory.content)}")
    output.emit_text("\n".join(["<!-- tur:recall -->", *lines, "<!-- /tur:recall -->"]))
    if len(hits) == limit:
        diagnostics.note(f"Shown are the best {limit}; --limit shows more.")
