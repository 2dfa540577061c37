"""`tur wake`."""

from typing import Annotated

import typer

from tur.policy.display import counted
from tur_agent import diagnostics, output
from tur_agent.cli.app import As, Json, verb
from tur_agent.compose import open_workplace


@verb("wake")
def wake(
    budget: Annotated[
        int | None, typer.Option("--budget", help="Tokens of memories in the prompt; default 1,500.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say on stderr why each part and memory is in or out.")
    ] = False,
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """Begin or join the session and print the prompt that brings the agent up to date."""
    from tur.codec.fields import session_fields
    from tur.ids import short_id
    from tur.service.wake import wake as wake_service

    workplace = open_workplace(as_name)
    report = wake_service(workplace.store, author=workplace.author, budget=budget)
    warnings = [*report.warnings, *(bad.error.message for bad in report.unreadable)]
    for warning in warnings:
        diagnostics.note(f"Warning: {warning}")
    if as_json:
        choices = [
            {"memory": one.subject, "included": one.included, "tokens": one.tokens, "why": one.why}
            for one in report.choices
        ]
        document: dict[str, object] = {
            "session": session_fields(report.session) if report.session else None,
            "begun": report.begun,
            "prompt": report.prompt,
            "left_out": report.left_out,
            "pending_core": report.pending_core,
            "warnings": warnings,
        }
        parts = [{"name": one.name, "included": bool(one.text), "why": one.why} for one in report.sections]
        output.emit_json("tur.wake/1", {**document, "sections": parts, "choices": choices} if explain else document)
        return
    output.emit_text(report.prompt.removesuffix("\n"), styled=True)
    if explain:
        for part in report.sections:
            diagnostics.note(
                f"{'in ' if part.text else 'out'} {part.name}: {part.why if part.text else 'nothing to say'}"
            )
        for one in report.choices:
            where = "in " if one.included else "out"
            diagnostics.note(f"{where} {short_id(one.subject)} ({counted(one.tokens, 'token')}): {one.why}")
        beyond = report.left_out - sum(not one.included for one in report.choices)
        if beyond:
            diagnostics.note(f"out {beyond} more: not looked at, the budget was used up before")
