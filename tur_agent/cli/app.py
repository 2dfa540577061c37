"""The Typer app that the verbs register with, and the options they share."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from tur.model.memory import MemoryType, Scope
from tur_agent.cli.plain import PlainCommand, PlainGroup


class _Verbs(typer.Typer):
    """A Typer whose commands read their plain parameters without pydantic."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        return super().command(name, **{"cls": PlainCommand, **options})


app = _Verbs(
    name="tur",
    cls=PlainGroup,
    help="Memory that outlives a session: wake, note, learn, recall, sleep.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="The manifestation that acts; default: TUR_AGENT or the harness."),
]
Types = Annotated[list[MemoryType] | None, typer.Option("--type", help="Only this type; may be repeated.")]
Scopes = Annotated[list[Scope] | None, typer.Option("--scope", help="Only this scope; may be repeated.")]
