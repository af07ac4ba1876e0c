"""The help of every command, the pages, the errors and the first docstring lines have standard words."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from monitor.cli.lazy import ENTRIES, without_flag_types
from monitor.cli.main import app
from tests.docs.dialect import DIALECT, dialect_in

ROOT = Path(__file__).parents[2]


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


CODE = [path for room in ("monitor", "replay", "dashboards") for path in sorted((ROOT / room).rglob("*.py"))]
DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
QUOTED = re.compile(r'"ideal": "Says no')  # the description of a good answer in an example


def messages_of(tree: ast.Module) -> Iterator[str]:
    """Yield the text of every exception and every log line."""
    for node in ast.walk(tree):
        raised = node.exc if isinstance(node, ast.Raise) else None
        logged = node if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("log.") else None
        for part in ast.walk(raised or logged or ast.Constant(value=None)):
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value:
                yield part.value


def docstrings_of(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, DEFINITIONS):
            yield (ast.get_docstring(node) or "").split("\n")[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_standard_words(page: Path) -> None:
    text = QUOTED.sub("", page.read_text(encoding="utf-8"))
    assert [f"{n}: {hit}" for n, line in enumerate(text.split("\n"), 1) for hit in dialect_in(line)] == []


@pytest.mark.parametrize("texts", [messages_of, docstrings_of], ids=["errors and log lines", "first docstring lines"])
def test_the_code_has_standard_words(texts: Callable[[ast.Module], Iterator[str]]) -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in CODE}
    found = [
        f"{path.relative_to(ROOT)}: {hit}: {text}"
        for path, tree in trees.items()
        for text in texts(tree)
        for hit in dialect_in(text)
    ]
    assert found == []


def test_an_error_a_log_line_and_a_docstring_of_the_dialect_are_found() -> None:
    tree = ast.parse('"""Tells.\n\nSays."""\nlog.info("it was told %s", x)\nraise ValueError(f"nobody {x} here")')
    assert [list(dialect_in(text)) for text in docstrings_of(tree)] == [["Tells: reports, shows"]]
    hits = [hit for text in messages_of(tree) for hit in dialect_in(text)]
    assert sorted(hits) == ["nobody: no one, or name the actor", "told: reported, notified"]
