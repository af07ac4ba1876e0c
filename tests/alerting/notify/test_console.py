import io
import re
from dataclasses import replace
from typing import Any

import pytest

from monitor.alerting.notify.base import ReceiverUnavailable
from monitor.alerting.notify.console import Console
from monitor.alerting.render import text
from tests.alerting.build import a_notification


def test_the_page_stands_between_empty_lines() -> None:
    stream = io.StringIO()
    Console("console", stream).send(a_notification())
    assert stream.getvalue() == f"\n{text(a_notification().payload)}\n\n"


def test_a_terminal_without_arrows_shows_question_marks() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    Console("console", stream).send(a_notification())
    assert b"Pass rate 84.0 % ? 50.2 %: ?33.8 points" in raw.getvalue()


def test_the_stream_stays_open_when_the_receiver_closes() -> None:
    stream = io.StringIO()
    Console("console", stream).close()
    assert not stream.closed


def test_a_stream_that_is_closed_cannot_be_reached() -> None:
    stream = io.StringIO()
    stream.close()
    with pytest.raises(ReceiverUnavailable, match="receiver 'console': cannot write to its stream"):
        Console("console", stream).reach()


def test_names_from_outside_cannot_write_to_the_terminal() -> None:
    """A reply names its model, so anybody who answers can choose what the person on call reads."""
    hostile = "gpt\x1b[2J\nRESOLVED · support\x9b0m\u202e"

    def poisoned(value: Any) -> Any:
        if isinstance(value, str) and " " in value:
            return value + hostile
        if isinstance(value, dict):
            return {key: poisoned(item) for key, item in value.items()}
        return [poisoned(item) for item in value] if isinstance(value, list | tuple) else value

    notification = a_notification()
    stream = io.StringIO()
    Console("console", stream).send(replace(notification, payload=poisoned(dict(notification.payload))))
    page = stream.getvalue()
    assert "gpt\\x1b[2J\\nRESOLVED" in page
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", page)
    assert not [line for line in page.splitlines() if line.startswith("RESOLVED")]
