"""The help of every command, in standard words."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from monitor.cli.lazy import ENTRIES, without_flag_types
from monitor.cli.main import app
from tests.docs.dialect import DIALECT, dialect_in


def commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield a command and, of a group, every command inside it, each with its full name."""
    yield name, command
    if isinstance(command, TyperGroup):
        for word, inner in command.commands.items():
            yield from commands(f"{name} {word}", inner)


def every_command() -> Iterator[tuple[str, Any]]:
    yield "driftd", without_flag_types(typer.main.get_command(app))
    for entry in ENTRIES:
        yield from commands(f"driftd {entry.name}", entry.load())


COMMANDS = dict(every_command())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_standard_words(name: str) -> None:
    command = COMMANDS[name]
    texts = [command.help or "", *(getattr(param, "help", None) or "" for param in command.params)]
    assert [found for text in texts for found in dialect_in(text)] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_list_of_commands_has_standard_words(entry: Any) -> None:
    assert list(dialect_in(entry.help)) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_flag_has_no_type_in_its_help(name: str) -> None:
    context = typer.Context(COMMANDS[name], info_name=name)
    flags = [param for param in COMMANDS[name].get_params(context) if getattr(param, "is_bool_flag", False)]
    assert [flag.opts for flag in flags if flag.metavar != ""] == []


def test_a_standard_word_is_none_of_the_dialect() -> None:
    assert [(word, standard) for word, standard in DIALECT.items() if list(dialect_in(standard))] == []


def test_words_in_code_and_in_names_are_left_out() -> None:
    assert list(dialect_in("`told` and told_at and untold and tell/cases")) == []
    assert list(dialect_in("What is Told")) == ["Told: reported, notified"]
