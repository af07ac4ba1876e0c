"""Every command of `driftd`, read from the Typer application, with arguments that it can parse."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from monitor.cli.lazy import ENTRIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """`words` follow `driftd` on the command line; `command` is the function that Typer calls."""

    words: tuple[str, ...]
    command: Any

    @property
    def name(self) -> str:
        return " ".join(self.words)

    @property
    def options(self) -> set[str]:
        return {option for parameter in self.command.params for option in parameter.opts}

    def arguments(self, file: Path) -> list[str]:
        """Return the words and a value for each required argument; `file` is used for paths."""
        given = list(self.words)
        for parameter in self.command.params:
            if not parameter.required:
                continue
            kind = parameter.type_descriptor.annotation
            value = str(file) if kind is Path else _value(kind)
            given += [value] if parameter.param_type_name == "argument" else [parameter.opts[0], value]
        return given


def _value(kind: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return str(next(iter(kind)).value)
    return "7" if kind in (int, float) else "x"


def commands() -> Iterator[Command]:
    for entry in ENTRIES:
        yield from _inside((entry.name,), entry.load())


def _inside(words: tuple[str, ...], command: Any) -> Iterator[Command]:
    if not isinstance(command, TyperGroup):
        yield Command(words=words, command=command)
        return
    context = typer.Context(command, info_name=words[-1])
    for name in command.list_commands(context):
        yield from _inside((*words, name), command.get_command(context, name))
