"""The Typer app that the verbs register with, and the options they share."""

from collections.abc import Callable
from typing import Annotated, TypeVar

import typer

from tur.model.memory import MemoryType, Scope
from tur_agent.cli.plain import PlainCommand, PlainGroup

app = typer.Typer(
    name="tur",
    cls=PlainGroup,
    help="Memory that outlives a session: wake, note, learn, recall, sleep. `tur --version` tells which one this is.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_Verb = TypeVar("_Verb", bound=Callable[..., None])


def verb(name: str) -> Callable[[_Verb], _Verb]:
    """Register a function as a verb of `tur` whose plain parameters are read without pydantic."""
    return app.command(name, cls=PlainCommand)


Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="The manifestation that acts; default: TUR_AGENT or the harness."),
]
Types = Annotated[list[MemoryType] | None, typer.Option("--type", help="Only this type; may be repeated.")]
Scopes = Annotated[list[Scope] | None, typer.Option("--scope", help="Only this scope; may be repeated.")]
