"""The Typer app of `tur-adm` that the verbs register with, and the options they share."""

from typing import Annotated

import typer

from tur_tui import output

app = typer.Typer(
    name="tur-adm",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def root(
    context: typer.Context,
    mouse: Annotated[bool, typer.Option("--mouse/--no-mouse", help="Let the app use the mouse.")] = True,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the app's theme, mouse and keys as a tui.toml, and leave.")
    ] = False,
) -> None:
    """For the human Architect: set up, review, and govern what an agent remembers. Without a verb it opens the app."""
    if print_config:
        from tur_tui.cli.open_app import config_page

        output.emit_text(config_page(mouse=mouse))
        raise typer.Exit
    if context.invoked_subcommand is None:
        from tur_tui.cli.open_app import open_app

        open_app(mouse=mouse)


Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]


def group(name: str, text: str) -> typer.Typer:
    """A group of verbs, such as `tur-adm persona …`, registered with the app."""
    made = typer.Typer(help=text, no_args_is_help=True, rich_markup_mode=None)
    app.add_typer(made, name=name)
    return made
