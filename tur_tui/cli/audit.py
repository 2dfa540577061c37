"""`tur-adm audit`."""

from typing import Annotated

import typer

from tur.clock import format_time
from tur.ids import short_id
from tur.model.audit import AuditEntry
from tur.policy.display import one_line
from tur_tui import output
from tur_tui.cli.app import Json, app
from tur_tui.compose import open_stewardship


@app.command("audit")
def audit(
    verify: Annotated[
        bool, typer.Option("--verify", help="Check chain, signatures and what this user knows; exit 1 for a finding.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show every act of a steward, oldest first."""
    from tur.codec.fields import finding_fields
    from tur.service.core_check import core_findings
    from tur.service.core_trust import audit_file

    store = open_stewardship().store
    findings = core_findings(store) if verify else []
    log = audit_file(store).read()
    if as_json:
        document: dict[str, object] = {"acts": [_fields(entry) for entry in log.entries]}
        if verify:
            document |= {"sound": not findings, "findings": finding_fields(findings)}
        output.emit_json("tur.audit/1", document)
    else:
        for entry in log.entries:
            output.emit_text(_line(entry))
        if not log.entries:
            output.emit_text("No steward has acted yet.")
        for one in findings:
            output.emit_text(f"{one.code}: {one.subject}: {one.message}" + (f"\n  {one.hint}" if one.hint else ""))
        if verify and not findings:
            output.emit_text(f"The log of {len(log.entries)} act{'' if len(log.entries) == 1 else 's'} is sound.")
    if findings:
        raise typer.Exit(1)


def _line(entry: AuditEntry) -> str:
    about = f" {short_id(entry.id)}" if entry.id else ""
    signed = f", signed {entry.fingerprint[:8]}" if entry.signature and entry.fingerprint else ""
    reason = f": {one_line(entry.reason, 120)}" if entry.reason else ""
    return f"{entry.seq:>4}  {format_time(entry.at)}  {entry.actor}  {entry.act}{about}{signed}{reason}"


def _fields(entry: AuditEntry) -> dict[str, object]:
    return {
        "seq": entry.seq,
        "at": format_time(entry.at),
        "actor": entry.actor,
        "act": entry.act.value,
        "id": entry.id,
        "seal": entry.seal,
        "reason": entry.reason,
        "argv": list(entry.argv),
        "fingerprint": entry.fingerprint,
        "signed": entry.signature is not None,
        "hash": entry.hash,
    }
