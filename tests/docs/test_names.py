"""What the documents name is there: paths, links, make targets, commands with their options, configuration keys."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.core import TyperGroup
from typer.exceptions import Exit, TyperException

from monitor.cli.main import app
from monitor.config.describe import sections
from monitor.config.tree import Config
from monitor.telemetry.spans import BY_NAME as SPANS
from tests.docs.markdown import PAGES, ROOT, Page, read

FOLDERS = {"monitor", "replay", "dashboards", "docs", "examples", "helm", "tests", "bench", "deploy", ".ci"}
IN_THE_ROOT = re.compile(r"[\w.-]+\.(md|toml|lock)|Makefile|LICENSE|NOTICE")
PATH = re.compile(r"[\w.-]+(/[\w.-]+)*/?")
DOTTED = re.compile(r"[a-z_]+(\[\])?(\.[A-Za-z_]+(\[\])?)+")
pages = pytest.mark.parametrize("page", [read(path) for path in PAGES], ids=lambda page: page.name)


def words(page: Page) -> Iterator[str]:
    """Every word in code."""
    for text in [*page.inline, *page.shell]:
        yield from text.replace("=", " ").split()


def paths(page: Page) -> list[str]:
    found = (word for word in words(page) if PATH.fullmatch(word))
    return [word for word in found if word.split("/")[0] in FOLDERS or IN_THE_ROOT.fullmatch(word)]


def config_keys() -> set[str]:
    """Every section and every key in it, by its whole path."""
    found = list(sections(Config, ""))
    keys = {f"{path}.{key}" for path, model in found for key in model.model_fields}
    return {key.removeprefix(".").replace("[]", "") for key in keys | {path for path, _ in found}}


def named_keys(page: Page) -> list[str]:
    """Dotted names that begin with the name of a key, and are neither spans of the daemon's own nor JSON files."""
    first = {part for key in config_keys() for part in key.split(".")}
    dotted = (text.replace("[]", "") for text in page.inline if DOTTED.fullmatch(text))
    dotted = (text for text in dotted if not text.endswith(".json"))
    return [text for text in dotted if text.split(".")[0] in first and text not in SPANS]


def is_key(name: str) -> bool:
    """Written whole, or from any section on: `drift.min_cases` of a deployment."""
    return any(key == name or key.endswith(f".{name}") for key in config_keys())


def parse(arguments: list[str], *, whole: bool) -> None:
    """Read a command line as `driftd` does, and run nothing; a name in running text may leave arguments out."""
    command: Any = typer.main.get_command(app)
    context = typer.Context(command, info_name="driftd")
    while isinstance(command, TyperGroup) and arguments and not arguments[0].startswith("-"):
        name, command, arguments = command.resolve_command(context, arguments)
        context = typer.Context(command, parent=context, info_name=name)
    if not arguments and not whole:
        return
    try:
        command.make_context(command.name, list(arguments))
    except Exit:
        pass  # --help and --version
    except TyperException as error:
        if whole or type(error).__name__ != "MissingParameter":
            raise


@pages
def test_paths_exist(page: Page) -> None:
    missing = [name for name in paths(page) if not (ROOT / name).exists() and not (page.path.parent / name).exists()]
    assert missing == []


@pages
def test_links_lead_somewhere(page: Page) -> None:
    for link in page.links:
        path, _, anchor = link.partition("#")
        target = (page.path.parent / path).resolve() if path else page.path
        assert target.exists(), link
        if anchor:
            assert anchor in read(target).anchors, link


@pages
def test_make_targets_exist(page: Page) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for line in [*page.commands("make"), *(text for text in page.inline if text.startswith("make "))]:
        for word in line.split()[1:]:
            assert "=" in word or re.search(rf"^{re.escape(word)}:", makefile, re.MULTILINE), line


@pages
def test_command_lines_of_the_docs_are_valid(page: Page) -> None:
    for line in page.commands("driftd"):
        parse(shlex.split(line)[1:], whole=True)


@pages
def test_commands_in_running_text_exist_with_their_options(page: Page) -> None:
    for text in page.inline:
        if text.startswith("driftd "):
            parse(shlex.split(text)[1:], whole=False)


@pages
def test_configuration_keys_exist(page: Page) -> None:
    assert [name for name in named_keys(page) if not is_key(name)] == []


@pages
def test_nothing_is_named_by_its_line(page: Page) -> None:
    text = page.path.read_text(encoding="utf-8")
    assert re.findall(r"\.(?:py|sql|md|yaml)(?::\d+|#L\d+)", text) == []


def test_the_search_finds_its_names() -> None:
    """A pattern that matches nothing would pass every page."""
    everything = [read(path) for path in PAGES]
    assert {"monitor/app.py", "pyproject.toml", "examples/support-bot/cases.jsonl"} <= {
        p for e in everything for p in paths(e)
    }
    assert {"store.path", "drift.min_cases", "api.tokens"} <= {key for e in everything for key in named_keys(e)}
    assert sum(len(e.commands("driftd")) for e in everything) >= 10
    assert sum(len(e.commands("make")) for e in everything) >= 3
    assert sum(len(e.links) for e in everything) >= 5


@pytest.mark.parametrize(
    "line", ["sets imprt a b", "replay run support", "check --ak", "nothing", "replay run a b --tempo 3", "--config x"]
)
def test_a_command_that_is_wrong_is_found(line: str) -> None:
    with pytest.raises(TyperException):
        parse(line.split(), whole=True)


def test_a_key_that_is_wrong_is_found() -> None:
    assert is_key("deployments.NAME.drift.min_cases")
    assert is_key("drift.min_cases")
    assert not is_key("drift.min_case")
    assert not is_key("store.min_cases")
