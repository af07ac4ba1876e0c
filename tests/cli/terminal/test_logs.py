import json
import logging
import re

import pytest

from monitor.cli.terminal.logs import LogLevel, OneLine, log_to_stderr


def record(message: str, *values: object, error: BaseException | None = None) -> logging.LogRecord:
    told = None if error is None else (type(error), error, error.__traceback__)
    return logging.LogRecord("monitor.app", logging.WARNING, __file__, 1, message, values, told)


def test_a_record_is_one_line_of_keys_and_values() -> None:
    line = OneLine().format(record("%d loops: %s", 2, 'still "at\nwork'))
    assert re.fullmatch(r"at=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z level=warning logger=monitor\.app msg=\".*\"", line)
    assert json.loads(line.partition("msg=")[2]) == '2 loops: still "at\nwork'


def test_a_traceback_stays_inside_the_line() -> None:
    try:
        raise ValueError("a\nb")
    except ValueError as error:
        line = OneLine().format(record("failed", error=error))
    assert "\n" not in line
    assert json.loads(line.partition("error=")[2]).endswith("ValueError: a\nb")


@pytest.mark.parametrize(("level", "heard"), [(LogLevel.DEBUG, 3), (LogLevel.INFO, 2), (LogLevel.ERROR, 0)])
def test_the_level_reports_what_is_heard_and_libraries_are_quiet(
    level: LogLevel, heard: int, capsys: pytest.CaptureFixture[str]
) -> None:
    root = logging.getLogger()
    kept, before = root.handlers[:], root.level
    try:
        log_to_stderr(level)
        logging.getLogger("monitor").debug("one")
        logging.getLogger("monitor").info("two")
        logging.getLogger("monitor").warning("three")
        logging.getLogger("httpx").info("what happens often")
    finally:
        root.handlers[:] = kept
        root.setLevel(before)
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", heard)
