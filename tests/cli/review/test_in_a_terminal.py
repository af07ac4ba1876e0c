"""`driftd review` as a process in a real pseudo-terminal, on a database file."""

import codecs
import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Run
from tests.cli.house import running_model, write_house
from tests.ports import free_port

QUIET_S = 0.3  # without output: the page is complete
WAIT_S = 60.0  # a cold start on a busy machine
COMMAND = [sys.executable, "-c", "from monitor.cli.main import main; main()", "review"]
HOSTILE = "\x1b]0;owned\x07\x1b[2Jhostile \u202eabc\x9b31m"
CLEAR = "\x1b[2J\x1b[H"
OURS = ("\x1b[?1049h", "\x1b[?1049l", "\x1b[?25l", "\x1b[?25h", "\x1b[2J", "\x1b[H", "\x1b[0m", "\x1b[1m", "\x1b[2m",
        "\x1b[33m", "\x1b[9;31m", "\x1b[4;32m", "\x1b[2K")  # fmt: skip


class Terminal:
    """A process in a pseudo-terminal."""

    def __init__(self, process: int, side: int) -> None:
        self.process, self._side = process, side
        self.seen = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()  # a read may end inside a character

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._side, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def press(self, keys: str) -> None:
        os.write(self._side, keys.encode())

    def page(self) -> str:
        return self.seen.rpartition(CLEAR)[2]

    def until(self, text: str) -> str:
        """Read until the current page has the text and is drawn to its end."""
        self._read(lambda: text in self.page(), f"{text!r} is not in:\n{self.page()}")
        return self._complete()

    def _complete(self) -> str:
        return self._read(lambda: not select.select([self._side], [], [], QUIET_S)[0], "the page is drawn forever")

    def drawn_after(self, pages: int) -> str:
        self._read(lambda: self.seen.count(CLEAR) > pages, "no page was drawn")
        return self._complete()

    def end(self) -> tuple[int, str]:
        """Return the exit code and what was printed after the page."""
        self._read(lambda: False, "")
        _, status = os.waitpid(self.process, 0)
        return os.waitstatus_to_exitcode(status), self.seen.rpartition("\x1b[?1049l")[2]

    def _read(self, done: Callable[[], bool], failure: str) -> str:
        limit = time.monotonic() + WAIT_S
        while not done():
            assert time.monotonic() < limit, failure
            if not select.select([self._side], [], [], 1.0)[0]:
                continue
            try:
                data = os.read(self._side, 65536)
            except OSError:  # the process has ended
                return self.seen
            self.seen += self._decoder.decode(data)
        return self.page()


@contextmanager
def terminal(
    config: Path, *options: str, columns: int = 100, lines: int = 40, **environment: str
) -> Iterator[Terminal]:
    process, side = pty.fork()
    if process == 0:
        os.environ.update({"TERM": "xterm", "EDITOR": "", "VISUAL": "", **environment})
        os.execvp(COMMAND[0], [*COMMAND, *options, "--config", str(config)])
    opened = Terminal(process, side)
    opened.resize(columns, lines)
    try:
        yield opened
    finally:
        with suppress(ProcessLookupError, ChildProcessError):  # it has ended
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        os.close(side)


@pytest.fixture
def house(run: Run, tmp_path: Path) -> Iterator[Path]:
    """A database with three candidates; one has hostile texts."""
    with running_model() as model:
        config = write_house(tmp_path, model_url=model.url, api_port=free_port())
        settings = yaml.safe_load(config.read_text())
        settings["sets"]["corrections"] = {"kind": "dynamic", "scorers": [{"kind": "contains"}]}
        settings["deployments"]["support"]["sets"].append("corrections")
        config.write_text(yaml.safe_dump(settings))
        lines: list[dict[str, Any]] = []
        for number, (question, right) in enumerate([("lamp", "[Yes]"), ("kettle", "[No]"), (HOSTILE, HOSTILE)]):
            at = f"2026-11-21T02:0{number}:00Z"
            call = {"type": "interaction", "id": f"i{number}", "deployment": "support", "started_at": at}
            asked = {"model": "gpt-4", "messages": [{"role": "user", "content": f"Question {number}: {question}"}]}
            answered = {"model": "gpt-secret", "messages": [{"role": "assistant", "content": "wrong answer"}]}
            lines.append({**call, "request": asked, "response": answered})
            about = {"deployment": "support", "interaction_id": f"i{number}", "at": at}
            lines.append({"type": "feedback", "id": f"f{number}", "kind": "report", "expected": right, **about})
        log = tmp_path / "log.jsonl"
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert run("ingest", log, "--config", config).code == 0
        assert len(ids(run, config)) == len(lines) / 2
        yield config


def states(run: Run, config: Path) -> dict[str, str]:
    items = run("candidates", "list", "--state", "all", "--json", "--config", config).document["items"]
    return {item["interaction_id"]: item["state"] for item in items}


def first_page(opened: Terminal) -> str:
    return opened.until("Review 1/")


def test_candidates_are_accepted_rejected_and_undone_with_single_keys(house: Path, run: Run) -> None:
    with terminal(house, "--as", "ana") as opened:
        assert "gpt-secret" not in first_page(opened)
        opened.press("a")
        assert "gpt-secret" in opened.until("Review 2/3")
        opened.press("x")
        opened.until("reason to reject")
        opened.press("a jöke\x7f\x7fke\r")
        opened.until("Review 3/3")
        opened.press("u")
        opened.until("Review 2/3")
        opened.press("a")
        opened.until("Review 3/3")
        opened.press("s")
        opened.until("The queue is empty")
        opened.press("q")
        code, printed = opened.end()
    assert (code, printed.strip()) == (0, "2 accepted, 0 rejected, 1 skipped, 1 undone, 0 left")
    found = states(run, house)
    assert sorted(found.values()) == ["accepted", "accepted", "proposed"]
    logs = [
        run("candidates", "show", id_, "--json", "--config", house).document["decisions"]
        for id_ in ids(run, house).values()
    ]
    assert [(entry["action"], entry["who"], entry["reason"]) for entry in max(logs, key=len)] == [
        ("accept", "ana at the file", None),
        ("undo", "ana at the file", None),
        ("reject", "ana at the file", "a jöke"),
    ]


def ids(run: Run, config: Path) -> dict[str, str]:
    items = run("candidates", "list", "--state", "all", "--json", "--config", config).document["items"]
    return {item["interaction_id"]: item["id"] for item in items}


def test_control_characters_of_data_never_reach_the_terminal(house: Path) -> None:
    with terminal(house) as opened:
        first_page(opened)
        opened.press("aaa")
        opened.until("The queue is empty")
        opened.press("q")
        opened.end()
    assert "\\x1b[2Jhostile" in opened.seen
    rest = opened.seen
    for ours in OURS:
        rest = rest.replace(ours, "")
    assert not [character for character in rest if character in "\x1b\x07\x9b\u202e\x00"]


def test_a_narrow_terminal_wraps_and_a_resize_draws_again(house: Path) -> None:
    with terminal(house, columns=30, lines=12) as opened:
        narrow = first_page(opened)
        pages = opened.seen.count(CLEAR)
        opened.resize(120, 40)
        wide = opened.drawn_after(pages)
        opened.press("q")
        opened.end()
    longest = [max(len(plain(line)) for line in page.split("\r\n")) for page in (narrow, wide)]
    assert longest[0] <= 30 < longest[1] <= 120
    assert "corrected answer" in wide


def plain(line: str) -> str:
    for ours in OURS:
        line = line.replace(ours, "")
    return line.rstrip("\r")  # the terminal adds one


@pytest.mark.parametrize(("ending", "code"), [("interrupt", 130), ("terminate", 143), ("end of input", 0)])
def test_an_interrupted_review_keeps_its_decisions_and_restores_the_terminal(
    house: Path, run: Run, ending: str, code: int
) -> None:
    with terminal(house) as opened:
        first_page(opened)
        opened.press("a")
        opened.until("Review 2/3")
        if ending == "terminate":
            os.kill(opened.process, signal.SIGTERM)
        else:
            opened.press({"interrupt": "\x03", "end of input": "\x04"}[ending])
        found, printed = opened.end()
    assert found == code
    assert opened.seen.count("\x1b[?1049h") == opened.seen.count("\x1b[?1049l") == 1
    assert ("1 accepted" in printed) == (ending != "terminate")
    assert sorted(states(run, house).values()) == ["accepted", "proposed", "proposed"]


def test_a_second_person_reviews_what_the_first_decided_and_the_agreement_is_shown(house: Path, run: Run) -> None:
    for id_ in ids(run, house).values():
        run("candidates", "accept", id_, "--config", house, "--as", "ana")
    with terminal(house, "--second", "--as", "ben", "--set", "corrections", "--limit", "2") as opened:
        page = opened.until("Second review 1/2")
        assert "ana" not in page
        opened.press("a")
        assert "in agreement with another reviewer" in opened.until("Second review 2/2")
        opened.press("x")
        opened.until("reason")
        opened.press("\r")
        assert "ana at" in opened.until("in conflict")
        opened.press("q")
        _, printed = opened.end()
    assert "1 in conflict, 0 left" in printed
    found = run("review", "agreement", "--config", house)
    assert "2 of 3 reviewed candidates have two reviewers" in found.out
    assert "2 pairs: 1 both accept, 0 both reject, 1 differ" in found.out
    document = run("review", "agreement", "--config", house, "--json").document
    assert document["table"] == [[1, 1], [0, 0]]
    assert "ben at the file: reject" in run("review", "conflicts", "--config", house).out


def test_no_color_marks_differences_with_brackets(house: Path) -> None:
    with terminal(house, NO_COLOR="1") as opened:
        opened.press("s")
        opened.until("Review 2/3")
        assert "[-wrong answer-]" in opened.page()
        assert "\x1b[1m" not in opened.seen
        opened.press("q")
        opened.end()


def test_without_a_terminal_the_command_names_the_way_with_a_file(house: Path, run: Run) -> None:
    found = run("review", "--config", house)
    assert found.code == 2
    assert "needs a terminal" in found.err
    assert "driftd candidates decide" in found.err
