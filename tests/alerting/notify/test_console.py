import io

import pytest

from monitor.alerting.notify.base import ReceiverUnavailable
from monitor.alerting.notify.console import Console
from monitor.alerting.text import text
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
