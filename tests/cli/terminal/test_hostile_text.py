"""No command lets a text from a model, a user or a sender write control characters to the terminal."""

import io
import json
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.cli.terminal.logs import OneLine
from monitor.cli.terminal.output import note, print_facts, print_line, print_table
from monitor.cli.terminal.progress import progress
from monitor.printable import printable, printable_json, printable_lines
from tests.api.house import open_house
from tests.cli.commands import Command, commands
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.hostile_answers import hostile_answers

HOSTILE = "[red]gpt\x1b[2J\x1b]0;owned\x07\x9b31m\x7f\u202etxt\u2066\r\nFIRING · critical\u2028\u0085[/red]"
RAW = re.compile(
    "[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\ud800-\\udfff]"
)
READING = [
    c for c in commands() if c.words[-1] in ("list", "show", "info", "health", "leaks", "status", "explain", "plan")
]


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], bytes | None]:
    with open_house(tmp_path_factory.mktemp("api"), writing=False) as home:
        return hostile_answers(home.app.openapi(), HOSTILE)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def assert_harmless(shown: str) -> None:
    assert not RAW.search(shown), RAW.findall(shown)
    assert not [line for line in shown.splitlines() if line.startswith("FIRING")], "a line of its own"


@pytest.mark.parametrize("command", READING, ids=[c.name for c in READING])
@pytest.mark.parametrize("form", ["plain", "terminal", "json"])
def test_a_hostile_text_is_shown_escaped(
    command: Command,
    form: str,
    run: Run,
    daemon: Daemon,
    contract: Callable[[str, str], bytes | None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "--url" not in command.options:
        pytest.skip("asks no daemon")
    if form == "json" and "--json" not in command.options:
        pytest.skip("has no --json")
    daemon.otherwise = contract
    arguments = [*command.arguments(tmp_path / "a-file"), "--url", daemon.url, *(["--json"] if form == "json" else [])]
    screen = Terminal()
    if form == "terminal":
        monkeypatch.setattr(sys, "stdout", screen)
    result = run(*arguments)
    shown = screen.getvalue() if form == "terminal" else result.out
    assert_harmless(re.sub(r"\x1b\[[0-9;]*m", "", shown) if form == "terminal" else shown)  # rich draws lines in bold
    assert_harmless(result.err)
    if form == "json" and result.code == 0:
        json.loads(result.out)


def test_some_commands_show_it(run: Run, daemon: Daemon, contract: Callable[[str, str], bytes | None]) -> None:
    """Prove that the test above can fail."""
    daemon.otherwise = contract
    for words in (
        ("replay", "list"),
        ("alerts", "list"),
        ("drift", "list"),
        ("changes", "list"),
        ("candidates", "list"),
    ):
        result = run(*words, "--url", daemon.url)
        assert result.code == 0, result.err
        assert "[red]gpt\\x1b[2J" in result.out, words
        assert HOSTILE in texts_in(json.loads(run(*words, "--url", daemon.url, "--json").out)), "it means the same"


def texts_in(document: Any) -> set[str]:
    if isinstance(document, str):
        return {document}
    inside = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    return {text for item in inside for text in texts_in(item)}


@given(text=st.text(st.characters(exclude_categories=())))
def test_nothing_that_moves_a_cursor_is_left(text: str) -> None:
    assert not RAW.search(printable(text))
    assert "\n" not in printable(text)
    assert not RAW.search(printable_lines(text))
    assert json.loads(printable_json(json.dumps(text, ensure_ascii=False))) == text
    if not RAW.search(text) and "\n" not in text and not re.search("[\ufff9-\ufffb]", text):
        assert printable(text) == text


def test_every_way_to_print_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    print_line(f"model {HOSTILE}")
    note(f"model {HOSTILE}")
    print_table(("name",), [(HOSTILE,)], "")
    print_table(("name",), [], HOSTILE)
    print_facts([("model", HOSTILE)])
    with progress(HOSTILE) as advance:
        advance(1, 1)
    shown = capsys.readouterr()
    assert_harmless(shown.out + shown.err)
    assert shown.out.count("[red]gpt\\x1b[2J") == 4


def test_a_bar_on_a_terminal_shows_the_name_of_a_file_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress(HOSTILE) as advance:
        advance(1, 2)
    assert "\x1b]0;" not in screen.getvalue()
    assert "\u202e" not in screen.getvalue()


def test_an_error_that_quotes_it_is_escaped(run: Run, daemon: Daemon) -> None:
    daemon.refuses("GET /api/v1/runs", 400, f"run {HOSTILE} is unknown")
    result = run("replay", "list", "--url", daemon.url)
    assert result.code == 2
    assert not RAW.search(result.err)


def test_a_line_of_the_log_is_one_line() -> None:
    record = logging.LogRecord("monitor.app", logging.WARNING, "f.py", 1, "model %s", (HOSTILE,), None)
    line = OneLine().format(record)
    assert_harmless(line)
    assert "\n" not in line
