"""`tur sleep`."""

from typing import TYPE_CHECKING, Annotated

import typer

from tur.errors import InvalidInput, NotFound, SleepInProgress
from tur.policy.display import counted
from tur_agent import diagnostics, output
from tur_agent.cli.app import As, Json, verb
from tur_agent.cli.note import tell_redacted
from tur_agent.compose import INPUT_LIMIT, Workplace, open_workplace, text_or_stdin

if TYPE_CHECKING:
    from tur.dreaming.engine import Dreamer
    from tur.model.memory import Memory
    from tur.service.sleep import SleepReport


@verb("sleep")
def sleep(
    final_note: Annotated[
        str | None, typer.Option("-n", "--note", help="A final note, recorded first; `-` reads stdin.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The session to dream; default: the active one.")
    ] = None,
    from_notes: Annotated[bool, typer.Option("--from-notes", help="Dream from the notes, as is the default.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Dream again what was consolidated before.")] = False,
    engine: Annotated[str | None, typer.Option("--engine", metavar="NAME", help="The dreaming engine.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the dream and write nothing.")] = False,
    prompt: Annotated[
        bool, typer.Option("--prompt", help="Print the dreaming prompt, for an agent that dreams by itself.")
    ] = False,
    commit: Annotated[
        str | None, typer.Option("--commit", metavar="FILE|-", help="Take the Dream (JSON) that answers the prompt.")
    ] = None,
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """Distil the session's notes into memories, once, and end the session."""
    if sum((prompt, commit is not None, engine is not None)) > 1 or (prompt and dry_run):
        raise InvalidInput("--prompt, --commit and --engine exclude one another, and --prompt is dry by itself")
    workplace = open_workplace(as_name)
    note = text_or_stdin(final_note, "a final note") if final_note is not None else None
    if prompt:
        _print_prompt(workplace, note, session, as_json)
        return
    try:
        report = _dream(workplace, note, session, engine, commit, force=force, dry_run=dry_run)
    except SleepInProgress as busy:
        # Somebody else is doing what was asked for, so this is no failure.
        if as_json:
            output.emit_json("tur.sleep/1", {"outcome": "in_progress", "session": {"id": busy.context["session"]}})
        else:
            output.emit_text(f"Already asleep: {busy.message}. Nothing else was done.")
        return
    tell_redacted(report.redacted)
    _answer(report, as_json)


def _print_prompt(workplace: Workplace, note: str | None, session: str | None, as_json: bool) -> None:
    from tur.service.notes import add_note
    from tur.service.sleep import compile_prompt

    if note is not None:
        tell_redacted(add_note(workplace.store, note, author=workplace.author).redacted)
    session_id, text = compile_prompt(workplace.store, session=session)
    if as_json:
        output.emit_json("tur.sleep/1", {"outcome": "prompt", "session": {"id": session_id}, "prompt": text})
    else:
        output.emit_text(text.removesuffix("\n"), styled=True)
        which = f" --session {session_id}" if session is not None else ""
        diagnostics.note(f"Answer it with `tur sleep --commit FILE{which}`.")


def _dream(
    workplace: Workplace,
    note: str | None,
    session: str | None,
    engine: str | None,
    commit: str | None,
    *,
    force: bool,
    dry_run: bool,
) -> "SleepReport":
    from tur.dreaming.delegate import DelegatedDream, parse_reply
    from tur.service.sleep import commit_dream, perform_sleep_dreaming, preview_dream

    store, author = workplace.store, workplace.author
    if commit is not None and dry_run:
        given = DelegatedDream(parse_reply(_dream_text(commit)))
        return preview_dream(store, given, author=author, final_note=note, session=session)
    if commit is not None:
        return commit_dream(store, _dream_text(commit), author=author, final_note=note, session=session, force=force)
    dreamer = _engine(workplace, engine)
    if dry_run:
        return preview_dream(store, dreamer, author=author, final_note=note, session=session)
    return perform_sleep_dreaming(store, dreamer, author=author, final_note=note, session=session, force=force)


def _engine(workplace: Workplace, name: str | None) -> "Dreamer":
    from tur.dreaming.registry import find_dreamer

    if name == "delegate":
        raise InvalidInput(
            "the delegate engine is the calling agent itself",
            hint="`tur sleep --prompt` prints what to dream, `tur sleep --commit` takes the answer.",
        )
    return find_dreamer(name or workplace.store.persona.settings.dream.engine or "offline")


def _dream_text(commit: str) -> str:
    if commit == "-":
        return text_or_stdin("-", "a Dream").removeprefix("\ufeff")
    try:
        with open(commit, "rb") as stream:
            data = stream.read(INPUT_LIMIT)
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise NotFound(f"no file {commit}", hint="Give the file that holds the Dream, or `-` for stdin.") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{commit} is not UTF-8") from None
    except ValueError:
        raise InvalidInput(f"not a file's name: {commit!r}") from None


def _answer(report: "SleepReport", as_json: bool) -> None:
    from tur.codec.delta_json import memory_fields
    from tur.codec.fields import session_fields
    from tur.ids import short_id

    if as_json:
        document: dict[str, object] = {
            "outcome": report.outcome,
            "session": session_fields(report.session),
            "engine": report.model,
            "created": len(report.created),
            "memories": [memory_fields(memory) for memory in report.created],
            "known": [memory.id for memory in report.known],
            "skipped": [memory.id for memory in report.skipped],
            "superseded": report.superseded,
            "refuted": report.refuted,
            "summary": report.summary,
            "redacted": report.redacted,
            "next_session": report.moved_note,
            "archived": report.archived,
            "warnings": report.warnings,
            "usage": {"input_tokens": report.input_tokens, "output_tokens": report.output_tokens},
        }
        output.emit_json("tur.sleep/1", document)
        return
    for warning in report.warnings:
        diagnostics.note(f"Warning: {warning}")
    head = {
        "dry_run": "Would dream",
        "resumed": "Finished the interrupted sleep of",
        "unchanged": "Dreamt again, with nothing new:",
        "dreamt": "Dreamt",
    }[report.outcome]
    lines = [
        f"{head} session {report.session.session_id} with {report.model}: "
        f"{counted(len(report.created), 'new memory', 'new memories')} "
        f"from {counted(len(report.session.notes), 'note')}."
    ]
    for sign, memories in (("+", report.created), ("=", report.known), ("x", report.skipped)):
        for memory in memories:
            sources = ", ".join(f"#{idx}" for idx in cited_notes(memory))
            lines.append(f"  {sign} {short_id(memory.id)} [{memory.type}] {memory.title}")
            if sources:
                lines.append(f"      from {sources}")
    lines += [f"  ~ {short_id(one)} is superseded" for one in report.superseded]
    lines += [f"  - {short_id(one)} is refuted" for one in report.refuted]
    if report.known:
        lines.append("  (= was known and is confirmed)")
    if report.skipped:
        lines.append("  (x was withdrawn before and stays so)")
    if report.session.unconsolidated_notes and report.outcome != "dry_run":
        late = counted(report.session.unconsolidated_notes, "note came too late and is", "notes came too late and are")
        lines.append(f"{late} not consolidated.")
    if report.moved_note:
        lines.append(f"The session was sealed before the final note came; it opened session {report.moved_note}.")
    if report.summary:
        lines += ["", "The whole session, with what was learned and staged beside the dream:", ""]
        lines.append(report.summary.rstrip())
        if report.session.ledger_delta.keys() & {"SUPERSEDED", "REFUTED", "MERGED"}:
            lines += ["", "Each memory counts once, by what became of it; what took its place counts with it."]
    output.emit_text("\n".join(lines))


def cited_notes(memory: "Memory") -> list[int]:
    """The indices of the notes a memory was dreamt from."""
    from tur.ids import note_of_uri

    named = [note_of_uri(link.uri) for link in memory.links if link.relation == "consolidated_from"]
    return [one[1] for one in named if one]
