"""`tur evolve`."""

from typing import Annotated

import typer

from tur.model.memory import CoreType, Status
from tur_agent import diagnostics, output
from tur_agent.cli.app import As, Json, verb
from tur_agent.cli.note import tell_redacted
from tur_agent.compose import open_workplace, text_or_stdin


@verb("evolve")
def evolve(
    source: Annotated[
        str, typer.Argument(metavar="ID", help="The lived experience: a memory's id, or tur://session/…#note-3.")
    ],
    kind: Annotated[CoreType, typer.Option("--type", help="What kind of transition it is.")],
    principle: Annotated[
        str, typer.Option("--principle", help="The instruction that follows from it, on one line; `-` reads stdin.")
    ],
    covenant: Annotated[str, typer.Option("--covenant", help="The promise made to the Architect or to self.")],
    again: Annotated[bool, typer.Option("--again", help="Stage again what a human rejected.")] = False,
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """Stage a core memory; it takes no effect until a human approves it."""
    from tur.codec.delta_json import memory_fields
    from tur.ids import short_id
    from tur.service.evolve import evolve as evolve_service

    workplace = open_workplace(as_name)
    staged = evolve_service(
        workplace.store,
        source,
        type=kind,
        principle=text_or_stdin(principle, "a principle"),
        covenant=covenant,
        author=workplace.author,
        again=again,
    )
    tell_redacted(staged.redacted)
    for remark in staged.remarks:
        diagnostics.note(f"Note: {remark}.")
    if as_json:
        output.emit_json(
            "tur.evolve/1",
            {
                "memory": memory_fields(staged.memory),
                "created": staged.created,
                "again": staged.again,
                "rejection": staged.rejection,
                "redacted": staged.redacted,
                "remarks": staged.remarks,
            },
        )
        return
    name = short_id(staged.memory.id)
    if staged.memory.status is Status.ACTIVE:
        output.emit_text(f"Already approved as {name}; nothing was added.")
    elif staged.created:
        output.emit_text(f"Staged {name}: pending approval by the Architect (`tur-adm memory approve {name}`).")
    elif staged.again:
        output.emit_text(f"Staged {name} once more; it was rejected before: {staged.rejection or 'no reason given'}")
    else:
        output.emit_text(f"Already staged as {name}: pending approval; nothing was added.")
