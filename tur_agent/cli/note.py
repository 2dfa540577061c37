"""`tur note`."""

from typing import Annotated

import typer

from tur_agent import diagnostics, output
from tur_agent.cli.app import As, Json, verb
from tur_agent.compose import open_workplace, text_or_stdin


def tell_redacted(kinds: list[str]) -> None:
    """Say on stderr that secrets were taken out, without repeating them."""
    if kinds:
        diagnostics.note(f"Warning: secret-like content was stored redacted: {', '.join(kinds)}.")


@verb("note")
def note(
    text: Annotated[str, typer.Argument(help="The milestone, in a line or a few; `-` reads stdin.")],
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """Record a milestone in the session."""
    from tur.codec.fields import note_fields
    from tur.service.notes import add_note

    workplace = open_workplace(as_name)
    receipt = add_note(workplace.store, text_or_stdin(text, "a note"), author=workplace.author)
    tell_redacted(receipt.redacted)
    if as_json:
        fields: dict[str, object] = {
            "session": {"id": receipt.session_id},
            "note": note_fields(receipt.session_id, receipt.note),
            "redacted": receipt.redacted,
            "sealed_session": receipt.passed,
        }
        output.emit_json("tur.note/1", fields)
        return
    if receipt.passed:
        output.emit_text(f"Session {receipt.passed} is sealed; the note opened the next one.")
    output.emit_text(f"Noted as #{receipt.note.idx} in session {receipt.session_id}.")
