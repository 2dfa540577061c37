"""`tur-adm doctor`: what is not as it should be on disk, and mending it."""

from typing import Annotated

import typer

from tur_tui import diagnostics, output
from tur_tui.cli.app import Json, app
from tur_tui.cli.memory import command_line
from tur_tui.cli.terminal import refuse_harness
from tur_tui.compose import open_keeping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur.stewardship.doctor import Ailment, Examination, Treatment


@app.command("doctor")
def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Do what is said to help, then look again.")] = False,
    as_json: Json = False,
) -> int:
    """Look for what is not as it should be on disk and say what would help; exit 1 while there is something.

    Nothing is deleted that is not proven redundant: what is in the way moves into quarantine, with the reason.
    """
    if fix:
        refuse_harness("mending")
    desk = open_keeping(command_line(), damaged=True)
    found = desk.examine()
    treated: list[Treatment] = []
    if fix:
        treated = desk.treat(found)
        found = desk.examine()
    failed = any(one.failed for one in treated)
    if as_json:
        output.emit_json("tur.doctor/1", _answer(found, treated))
    else:
        _show(found, treated, fix=fix)
    return 1 if found.ailments or failed else 0


def _show(found: "Examination", treated: "list[Treatment]", *, fix: bool) -> None:
    for one in treated:
        became = f"could not: {one.failed}" if one.failed else "done"
        output.emit_text(f"{one.ailment.code}: {one.ailment.subject}\n  {one.ailment.remedy or 'no remedy'}: {became}")
    for ailment in found.ailments:
        output.emit_text(f"{ailment.code}: {ailment.subject}\n  {ailment.message}")
        if ailment.remedy is None:
            output.emit_text("  there is no remedy but a human's decision")
        elif not fix:
            output.emit_text(f"  --fix would: {ailment.remedy}")
    count = len(found.ailments)
    output.emit_text("All is well." if not count else f"{count} finding{'' if count == 1 else 's'}.")
    if found.quarantined:
        output.emit_text(f"In quarantine: {found.quarantined}.")
    output.emit_text(f"SQLite {found.sqlite_version}")
    if not found.sqlite_safe:
        diagnostics.note(
            f"Note: SQLite {found.sqlite_version} can, very rarely, damage a database that two processes use; "
            "3.51.3 and later cannot."
        )


def _answer(found: "Examination", treated: "list[Treatment]") -> dict[str, object]:
    return {
        "clean": not found.ailments,
        "findings": [_fields(one) for one in found.ailments],
        "treated": [{**_fields(one.ailment), "failed": one.failed} for one in treated],
        "quarantined": found.quarantined,
        "sqlite_version": found.sqlite_version,
        "sqlite_safe": found.sqlite_safe,
    }


def _fields(one: "Ailment") -> dict[str, object]:
    return {"code": one.code, "subject": one.subject, "message": one.message, "remedy": one.remedy}
