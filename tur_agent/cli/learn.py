"""`tur learn`."""

from typing import Annotated

import typer

from tur.model.memory import MemoryType, Relation, Scope
from tur_agent import output
from tur_agent.cli.app import As, Json, verb
from tur_agent.cli.note import tell_redacted
from tur_agent.compose import open_workplace, text_or_stdin


@verb("learn")
def learn(
    content: Annotated[str, typer.Argument(help="What holds beyond this session; `-` reads stdin.")],
    kind: Annotated[MemoryType, typer.Option("--type", help="What kind of knowledge it is.")] = MemoryType.FACT,
    scope: Annotated[Scope, typer.Option("--scope", help="Where it holds.")] = Scope.INCARNATION,
    title: Annotated[str | None, typer.Option("--title", help="One line; default: the first sentence.")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag, or several parted by commas.")] = None,
    supersedes: Annotated[
        list[str] | None, typer.Option("--supersedes", metavar="ID", help="A memory that this one replaces.")
    ] = None,
    merges: Annotated[
        list[str] | None, typer.Option("--merges", metavar="ID", help="A memory that goes into this one.")
    ] = None,
    session_links: Annotated[
        list[str] | None,
        typer.Option("--session-link", metavar="SESSION", help="A session or note (tur://…#note-3) it was seen in."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Hold true again what was withdrawn.")] = False,
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """Store a lasting memory; the same content is stored once."""
    from tur.codec.delta_json import memory_fields
    from tur.ids import short_id
    from tur.service.learn import learn as learn_service

    workplace = open_workplace(as_name)
    receipt = learn_service(
        workplace.store,
        text_or_stdin(content, "a memory"),
        author=workplace.author,
        type=kind,
        scope=scope,
        title=title,
        tags=tags or [],
        supersedes=supersedes or [],
        merges=merges or [],
        session_links=session_links or [],
        again=again,
    )
    tell_redacted(receipt.redacted)
    if as_json:
        output.emit_json(
            "tur.learn/1",
            {
                "memory": memory_fields(receipt.memory),
                "created": receipt.created,
                "again": receipt.again,
                "replaced": receipt.replaced,
                "redacted": receipt.redacted,
            },
        )
        return
    name = short_id(receipt.memory.id)
    if receipt.created:
        output.emit_text(f"Learned {name} ({receipt.memory.type}, {receipt.memory.scope}).")
    elif receipt.again:
        output.emit_text(f"{name} holds again.")
    else:
        output.emit_text(f"Already known as {name}; nothing was added.")
    merged = {link.hash for link in receipt.memory.links if link.relation == Relation.MERGES}
    for old in receipt.replaced:
        output.emit_text(f"It {'takes in' if old in merged else 'replaces'} {short_id(old)}.")
