"""`tur refute`."""

from typing import Annotated

import typer

from tur_agent import output
from tur_agent.cli.app import As, Json, verb
from tur_agent.cli.note import tell_redacted
from tur_agent.compose import open_workplace, text_or_stdin


@verb("refute")
def refute(
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="The memory that is wrong.")],
    reason: Annotated[str, typer.Option("--reason", help="Why it is wrong; `-` reads stdin.")],
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """Withdraw a memory that turned out wrong; it stays readable with its reason."""
    from tur.codec.delta_json import memory_fields
    from tur.ids import short_id
    from tur.service.learn import refute as refute_service

    workplace = open_workplace(as_name)
    memory, news, redacted = refute_service(
        workplace.store, memory_id, text_or_stdin(reason, "a reason"), author=workplace.author
    )
    tell_redacted(redacted)
    if as_json:
        output.emit_json("tur.refute/1", {"memory": memory_fields(memory), "changed": news, "redacted": redacted})
        return
    last = memory.lifecycle[-1]
    said = "Refuted" if news else "Already refuted:"
    output.emit_text(f"{said} {short_id(memory.id)}: {last.reason or ''}")
