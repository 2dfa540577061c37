"""`tur diff`."""

import os
import shutil
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tur_agent import diagnostics, output
from tur_agent.cli.app import As, Json, Scopes, Types, verb
from tur_agent.compose import open_workplace

if TYPE_CHECKING:
    from tur.service.diff import DiffReport


@verb("diff")
def diff(
    sessions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SESSION [SESSION]]",
            help="One session: against its predecessor. Two: from the end of the first to the end of the second. "
            "`@` is the active one, `@~1` the one before it; an id or its beginning does too.",
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="From a time on: `30m`, `2h`, `3d`, or an ISO time (UTC)."),
    ] = None,
    git: Annotated[
        str | None,
        typer.Option("--git", metavar="REV[..REV]", help="From a git revision to what is there now, or to another."),
    ] = None,
    types: Types = None,
    scopes: Scopes = None,
    stat: Annotated[bool, typer.Option("--stat", help="Only counts, by kind and type.")] = False,
    details: Annotated[
        bool, typer.Option("--details", help="Also who, when, from which notes, and each step.")
    ] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 1 when there is a difference, as git does.")
    ] = False,
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """Show what was learned, unlearned and went stale; without arguments, since the active session began."""
    from tur.service.diff import DiffSelection
    from tur.service.diff import diff as diff_service

    selection = DiffSelection(tuple(sessions or ()), since, git, tuple(types or ()), tuple(scopes or ()))
    report = diff_service(open_workplace(as_name).store, selection)
    if as_json:
        output.emit_json("tur.diff/1", report.document())
    else:
        for warning in report.warnings:
            diagnostics.note(f"Warning: {warning}")
        if report.backwards:
            diagnostics.note(
                f"Note: {report.base.label} is later than {report.target.label}, so this reads backwards: "
                "what came in between shows as going away."
            )
        _emit(report, stat=stat, details=details)
    if exit_code and report.deltas:
        raise typer.Exit(1)


def _emit(report: "DiffReport", *, stat: bool, details: bool) -> None:
    from tur_agent.cli.diff_text import Style, render_diff, render_stat

    on_terminal = sys.stdout.isatty()
    style = Style(colour=on_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")
    width = shutil.get_terminal_size().columns if on_terminal else None
    lines = (
        render_stat(report.deltas, heading=report.heading, style=style)
        if stat
        else render_diff(
            report.deltas,
            heading=report.heading,
            style=style,
            width=width,
            details=details,
            note_texts=report.note_texts,
        )
    )
    output.emit_text("\n".join(lines), styled=True)
