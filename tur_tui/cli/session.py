"""`tur-adm session`: which sessions there are, and deciding which stay."""

from typing import Annotated

import typer

from tur.clock import format_time
from tur.errors import Conflict, Refused
from tur.policy.display import counted, one_line, visible
from tur.policy.retention import Plan, RetentionPolicy, SessionRecord, Verdict
from tur_tui import diagnostics, output
from tur_tui.cli.app import Json, group
from tur_tui.cli.memory import command_line
from tur_tui.cli.terminal import ask, at_terminal, refuse_harness
from tur_tui.compose import SessionKeeping, open_keeping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur.stewardship.prune import PruneReport, VacuumResult

session_app = group("session", "The agents' sessions: list, end, archive, restore and prune them.")

Id = Annotated[
    str,
    typer.Argument(metavar="ID", help="A session: `@`, `@~1`, its id or a unique beginning of 4 or more characters."),
]
Include = Annotated[
    bool,
    typer.Option(
        "--include-unconsolidated", help="Also sessions with notes that no dream has seen; they are ended first."
    ),
]


@session_app.command("list")
def list_all(
    archived: Annotated[bool, typer.Option("--archived", help="Those in the archive instead.")] = False,
    as_json: Json = False,
) -> None:
    """List the sessions outside of the archive, oldest first."""
    from tur.codec.plan_json import record_fields

    desk = open_keeping()
    found = desk.sessions(archived=archived)
    pruned = desk.pruned() if archived else ()
    if as_json:
        deleted = [{"id": one.session_id, "pruned_at": format_time(one.pruned_at), "why": one.why} for one in pruned]
        sessions = [record_fields(one) for one in found]
        output.emit_json("tur.sessions/1", {"archived": archived, "sessions": sessions, "deleted": deleted})
        return
    if pruned:
        newest = max(one.pruned_at for one in pruned)
        output.emit_text(f"{counted(len(pruned), 'session')} deleted, last on {newest:%Y-%m-%d}; tombstones are left.")
    if not found:
        output.emit_text("There is no archived session." if archived else "There is no session yet.")
        return
    rows = [[one.id, _day(one), _standing(one), _notes(one), _bytes(_size(one)), _agents(one)] for one in found]
    _table(["session", "ended", "standing", "notes", "size", "agents"], rows)
    output.emit_text(f"{counted(len(found), 'session')}, {_bytes(sum(map(_size, found)))}")


@session_app.command("show")
def show(session: Id, as_json: Json = False) -> None:
    """Show a session with its notes, wherever it lies, and what it takes on disk."""
    from tur.codec.fields import session_fields
    from tur.codec.plan_json import record_fields

    desk = open_keeping()
    record = desk.session(session)
    if record.damaged:
        raise Conflict(f"session {record.id} cannot be read: {record.damaged}", hint="`tur-adm doctor` says more.")
    timeline = desk.store.sessions.load(record.id)
    if as_json:
        document = {"session": session_fields(timeline, notes=True), "retention": record_fields(record)}
        output.emit_json("tur.session/1", document)
        return
    place = desk.store.sessions.timeline_path(record.id) or "not written yet"
    output.emit_text(
        "\n".join(
            [
                f"Session {record.id} ({_standing(record)})",
                f"began {format_time(record.started_at)}, ended {format_time(record.ended_at)}",
                f"by {_agents(record)}",
                f"database {_bytes(record.db_bytes)}, timeline {_bytes(record.yaml_bytes)}: {place}",
                f"{counted(record.notes, 'note')}, {record.unconsolidated_notes} not consolidated",
                *(f"#{note.idx} [{format_time(note.at)}] ({note.author}) {note.text}" for note in timeline.notes),
            ]
        )
    )


@session_app.command("end")
def end(
    session: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The session to end; default: the active one.")
    ] = None,
    as_json: Json = False,
) -> None:
    """End a session without a dream: it takes no more notes, and the next note begins another."""
    from tur.codec.fields import session_fields

    ended, was_open = open_keeping(command_line()).end(session)
    if as_json:
        output.emit_json("tur.session/1", {"session": session_fields(ended), "was_open": was_open})
        return
    output.emit_text(f"Session {ended.session_id} {'has ended' if was_open else 'had ended before'}.")
    if ended.unconsolidated_notes:
        notes = counted(ended.unconsolidated_notes, "note")
        output.emit_text(f"It keeps {notes} that no dream has seen: `tur sleep --session {ended.session_id}`.")


@session_app.command("archive")
def archive(session: Id, include_unconsolidated: Include = False, as_json: Json = False) -> None:
    """Move one session's timeline into the archive and remove its database."""
    refuse_harness("archiving")
    desk = open_keeping(command_line())
    plan = desk.preview_archive(session, include_unconsolidated=include_unconsolidated)
    report = desk.apply(plan)
    if report.left:
        raise Conflict(f"session {report.left[0].session_id} stays: {report.left[0].reason}", hint="Nothing is lost.")
    if as_json:
        output.emit_json("tur.prune/1", _answer(plan, report, []))
    else:
        one = report.done[0]
        output.emit_text(f"Archived session {one.session_id}; {_bytes(one.freed)} freed.")


@session_app.command("restore")
def restore(session: Id, as_json: Json = False) -> None:
    """Move a session's timeline back from the archive; a later sleep may rotate it there again."""
    from tur.codec.fields import session_fields

    refuse_harness("restoring")
    restored = open_keeping(command_line()).restore(session)
    if as_json:
        output.emit_json("tur.session/1", {"session": session_fields(restored)})
    else:
        output.emit_text(f"Restored session {restored.session_id} with {counted(len(restored.notes), 'note')}.")


@session_app.command("prune")
def prune(
    keep: Annotated[
        int | None, typer.Option("--keep", metavar="N", help="Keep the newest N sessions that have notes.")
    ] = None,
    max_age_days: Annotated[
        int | None, typer.Option("--max-age-days", metavar="D", help="Keep sessions that ended in the last D days.")
    ] = None,
    delete: Annotated[
        bool, typer.Option("--delete", help="Remove timelines too, archived ones included, and leave tombstones.")
    ] = False,
    vacuum: Annotated[
        bool, typer.Option("--vacuum", help="Then reclaim free pages of the databases that remain and of the index.")
    ] = False,
    include_unconsolidated: Include = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    count: Annotated[
        int | None,
        typer.Option("--count", metavar="N", help="How many sessions you expect to go; `--delete --yes` needs it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Archive the sessions that no rule keeps, or delete them; a session stays when any rule keeps it."""
    if not dry_run:
        refuse_harness("pruning")
    policy = RetentionPolicy(keep, max_age_days, delete=delete, include_unconsolidated=include_unconsolidated)
    desk = open_keeping(command_line())
    if not dry_run:
        _finish_pending(desk)
    elif pending := desk.pending():
        diagnostics.note(f"Warning: {counted(len(pending), 'prune')} died half way; the next one finishes it.")
    plan = desk.preview(policy)
    if not as_json:
        _show_plan(plan)
    report = None
    results: list[VacuumResult] = []
    if not dry_run:
        if plan.goes:
            _consent(plan, yes=yes, count=count, as_json=as_json)
            report = desk.apply(plan)
        results = desk.vacuum() if vacuum else []
    if as_json:
        output.emit_json("tur.prune/1", _answer(plan, report, results))
        return
    _show_report(plan, report, results)


def _finish_pending(desk: SessionKeeping) -> None:
    for one in desk.finish_pending():
        became = "done" if one.done else f"left: {one.reason}"
        diagnostics.note(f"Finished a prune that died half way: session {one.session_id} {became}")


def _consent(plan: Plan, *, yes: bool, count: int | None, as_json: bool) -> None:
    """Return when the human wants it; raise Refused or Conflict otherwise."""
    going = len(plan.goes)
    if count is not None and count != going:
        raise Conflict(
            f"{counted(going, 'session')} would go, not {count}",
            hint="Nothing was changed. Look at the plan with --dry-run.",
        )
    asking = at_terminal() and not as_json
    if plan.act == "delete" and count is None:
        if not asking:
            raise Refused(
                f"deleting {counted(going, 'session')} without being asked needs their number",
                hint=f"Nothing was changed. If that is right: --delete --yes --count {going}.",
            )
        if ask(f"Type {going} to delete {counted(going, 'session')} for good, anything else to keep them: ") != str(
            going
        ):
            raise Refused("the number was not typed", hint="Nothing was changed.")
        return
    if yes:
        return
    if not asking:
        raise Refused(
            f"{counted(going, 'session')} would go, and there is no terminal to ask at",
            hint="Nothing was changed. Add --yes to do it, or --dry-run to look.",
        )
    if ask(f"{plan.act.capitalize()} {counted(going, 'session')}? [y/N] ").lower() not in ("y", "yes"):
        raise Refused("it was not confirmed", hint="Nothing was changed.")


def _show_plan(plan: Plan) -> None:
    output.emit_text(plan.sentence)
    for warning in plan.warnings:
        diagnostics.note(f"Warning: {warning}")
    if not plan.verdicts:
        output.emit_text("There is no session to look at.")
        return
    _table(
        ["", "session", "ended", "notes", "frees", "agents", "why"],
        [_row(plan, one) for one in plan.verdicts],
    )
    verb = "archived" if plan.act == "archive" else "deleted"
    going = counted(len(plan.goes), "session")
    output.emit_text(f"{going} to be {verb}, {len(plan.keeps)} to stay; {_bytes(plan.freed)} to be freed.")


def _row(plan: Plan, one: Verdict) -> list[str]:
    freed = _bytes(one.freed) if one.goes else ""
    record = one.session
    return [
        plan.act if one.goes else "keep",
        record.id,
        _day(record),
        _notes(record),
        freed,
        _agents(record),
        one.reason,
    ]


def _show_report(plan: Plan, report: "PruneReport | None", results: "list[VacuumResult]") -> None:
    if report is not None:
        verb = "Archived" if plan.act == "archive" else "Deleted"
        output.emit_text(f"{verb} {counted(len(report.done), 'session')}; {_bytes(report.freed)} freed.")
        for one in report.left:
            diagnostics.note(f"Warning: session {one.session_id} stays for now: {one.reason}")
    for result in results:
        change = f"{result.before:,} -> {result.after:,} bytes"
        output.emit_text(f"vacuum {result.name}: " + (f"skipped, {result.skipped}" if result.skipped else change))
    done = [one for one in results if not one.skipped]
    if results:
        before, after = sum(one.before for one in done), sum(one.after for one in done)
        output.emit_text(f"Vacuumed {counted(len(done), 'database')}: {before:,} -> {after:,} bytes on disk.")


def _answer(plan: Plan, report: "PruneReport | None", results: "list[VacuumResult]") -> dict[str, object]:
    from tur.codec.plan_json import plan_fields

    return {
        "plan": plan_fields(plan),
        "applied": report is not None,
        "done": [one.session_id for one in report.done] if report else [],
        "left": [{"session": one.session_id, "reason": one.reason} for one in report.left] if report else [],
        "freed_bytes": report.freed if report else 0,
        "vacuum": [
            {"database": one.name, "before_bytes": one.before, "after_bytes": one.after, "skipped": one.skipped}
            for one in results
        ],
    }


def _table(head: list[str], rows: list[list[str]]) -> None:
    """Columns as wide as their widest cell; the last one is as long as it is."""
    shown = [head, *([visible(cell, multiline=False) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in shown) for column in range(len(head) - 1)]
    for row in shown:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        output.emit_text("  ".join([*cells, row[-1]]).rstrip())


def _standing(one: SessionRecord) -> str:
    if one.damaged:
        return "damaged"
    if one.active:
        return "active"
    if one.dreaming:
        return "dreaming"
    consolidated = "consolidated" if one.consolidated and not one.unconsolidated_notes else "unconsolidated"
    return f"{consolidated}, open" if one.state == "open" else consolidated


def _size(one: SessionRecord) -> int:
    return one.yaml_bytes + one.db_bytes


def _day(one: SessionRecord) -> str:
    return one.ended_at.strftime("%Y-%m-%d %H:%M")


def _notes(one: SessionRecord) -> str:
    return str(one.notes)


def _agents(one: SessionRecord) -> str:
    return one_line(", ".join(one.agents), 30) or "-"


def _bytes(size: int) -> str:
    if size < 1_000:
        return f"{size} B"
    return f"{size / 1_000:.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"
