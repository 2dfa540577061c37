"""`tur verify`."""

from typing import Annotated

import typer

from tur_agent import output
from tur_agent.cli.app import As, Json, verb
from tur_agent.compose import open_workplace


@verb("verify")
def verify(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Confirm that this memory still holds; without it, check all.")
    ] = None,
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """Check every hash, seal and chain, or confirm that one memory still holds."""
    from tur.codec.delta_json import memory_fields
    from tur.codec.fields import finding_fields
    from tur.ids import short_id
    from tur.service.verify import verify_memory, verify_store

    workplace = open_workplace(as_name)
    if memory_id is not None:
        memory = verify_memory(workplace.store, memory_id, author=workplace.author)
        if as_json:
            output.emit_json("tur.verify/1", {"memory": memory_fields(memory), "findings": []})
        else:
            output.emit_text(f"{short_id(memory.id)} still holds; it is fresh again.")
        return
    findings = verify_store(workplace.store)
    if as_json:
        output.emit_json("tur.verify/1", {"sound": not findings, "findings": finding_fields(findings)})
    elif not findings:
        output.emit_text("Everything is sound.")
    else:
        lines = [f"{one.code}: {one.subject}: {one.message}" for one in findings]
        output.emit_text("\n".join([*lines, f"{len(findings)} finding{'s' if len(findings) > 1 else ''}."]))
    if findings:
        raise typer.Exit(1)
