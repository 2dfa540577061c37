"""Plain reading of plain options, without loading pydantic for it.

Typer builds a pydantic adapter for every parameter, which takes longer than a whole `tur note`.
What the agent's verbs take is text, words of an enumeration and whole numbers; those are read here
and everything else is left to Typer.
"""

import enum
import functools
import types
from collections.abc import Callable
from typing import Any, Union, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

Reader = Callable[[str], Any]


class _PlainParameters:
    """Reads the plain parameters of a command, `--help` among them, by `reader_of`."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            reader = reader_of(getattr(getattr(param, "type_descriptor", None), "annotation", None))
            if reader is not None:
                param.get_runtime_param = functools.partial(_Plain, reader)
        return params


class PlainCommand(_PlainParameters, TyperCommand):
    """A verb."""


class PlainGroup(_PlainParameters, TyperGroup):
    """The verbs together."""


class _Plain:
    """Stands where Typer keeps its adapter; `coerce` has the same contract as Typer's own."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        many = param.multiple or param.nargs == -1
        if value is None:
            return () if many else None
        try:
            return [self._reader(one) for one in value] if many else self._reader(value)
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=param) from error


def reader_of(annotation: Any) -> Reader | None:
    """How to read one value of this annotation (`T`, `T | None`, `list[T] | None`), or None to leave it to Typer."""
    if get_origin(annotation) in (Union, types.UnionType):
        inner = [one for one in get_args(annotation) if one is not type(None)]
        return reader_of(inner[0]) if len(inner) == 1 else None
    if get_origin(annotation) is list:
        return reader_of(get_args(annotation)[0])
    if annotation is str:
        return str
    if annotation is bool:
        return bool
    if annotation is int:
        return _whole_number
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return lambda text: _word(annotation, text)
    return None


def _whole_number(text: str | int) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number") from None


def _word(words: type[enum.Enum], text: str | enum.Enum) -> enum.Enum:
    try:
        return words(text)
    except ValueError:
        raise ValueError(f"{text!r} is none of {', '.join(str(word.value) for word in words)}") from None
