"""The receiver of the optional package apprise, with the package and without it."""

import io
import logging
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from monitor.alerting.notify.apprise import message_of
from monitor.alerting.notify.base import Receiver, ReceiverUnavailable
from monitor.alerting.notify.table import build_receiver
from monitor.alerting.render import render
from monitor.domain.alert import Notification
from monitor.errors import ConfigError
from tests.alerting.build import a_notification
from tests.alerting.notify.hook import Hook, listening


@pytest.fixture
def hook() -> Iterator[Hook]:
    with listening() as server:
        yield server


def receiver(*urls: str, timeout_s: float = 10.0) -> Receiver:
    return build_receiver("apprise", "other", {"service_urls": "\n".join(urls), "timeout_s": timeout_s}, io.StringIO())


def url_of(hook: Hook) -> str:
    return f"json://user:passw0rd@127.0.0.1:{hook.port}/hooks/s3cret"


def about(state: str, severity: str = "critical") -> Notification:
    first = a_notification()
    alert = dict(first.payload["alert"]) | {"state": state, "severity": severity}
    return replace(first, payload=dict(first.payload) | {"alert": alert, "group": {"id": "g1", "state": state}})


def test_a_service_gets_title_text_and_type(hook: Hook) -> None:
    receiver(url_of(hook)).send(about("firing"))
    [body] = hook.bodies
    rendered = render(about("firing").payload)
    assert body["title"] == rendered.title
    assert body["message"].splitlines() == rendered.text.splitlines()
    assert body["type"] == "failure"
    assert hook.paths == ["/hooks/s3cret"]


@pytest.mark.parametrize(
    ("state", "severity", "kind"),
    [
        ("firing", "critical", "failure"),
        ("firing", "warning", "warning"),
        ("firing", "info", "info"),
        ("resolved", "critical", "success"),
    ],
)
def test_the_type_is_that_of_the_severity_or_of_the_resolution(state: str, severity: str, kind: str) -> None:
    payload = about(state, severity).payload
    assert message_of(payload, render(payload))["notify_type"] == kind


def test_every_line_is_a_service_and_a_retry_goes_to_those_that_did_not_accept(hook: Hook) -> None:
    with listening() as second:
        second.status = 503
        both = receiver(url_of(hook), "", url_of(second))
        with pytest.raises(ReceiverUnavailable, match="receiver 'other': 1 of 2 services did not accept the message"):
            both.send(a_notification(id="n1"))
        second.status = 204
        both.send(a_notification(id="n1"))
        assert (len(hook.bodies), len(second.bodies)) == (1, 2)
        both.send(a_notification(id="n2"))
        assert (len(hook.bodies), len(second.bodies)) == (2, 3)


@pytest.mark.parametrize("status", [204, 401, 503])
def test_neither_errors_nor_logs_contain_the_url(hook: Hook, status: int, caplog: pytest.LogCaptureFixture) -> None:
    hook.status = status
    shown = ""
    with caplog.at_level(logging.DEBUG):
        try:
            receiver(url_of(hook)).send(a_notification())
        except ReceiverUnavailable as error:
            shown = repr(error)
    for secret in ("s3cret", "passw0rd"):
        assert secret not in caplog.text
        assert secret not in shown


def test_a_service_that_does_not_respond_is_unavailable(hook: Hook) -> None:
    hook.answer.clear()
    with pytest.raises(ReceiverUnavailable):
        receiver(url_of(hook), timeout_s=0.1).send(a_notification())


@pytest.mark.parametrize("urls", [("s3cret",), ("json://127.0.0.1/", "nothing://s3cret")])
def test_a_line_that_is_not_a_url_of_apprise_is_an_error_that_does_not_quote_it(urls: tuple[str, ...]) -> None:
    with pytest.raises(
        ConfigError, match=f"receiver 'other': line {len(urls)} of its service_urls is not a URL"
    ) as raised:
        receiver(*urls)
    assert "s3cret" not in str(raised.value)


def test_without_the_package_the_error_has_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    modules: dict[str, Any] = sys.modules
    monkeypatch.setitem(modules, "apprise", None)  # an import of it raises ModuleNotFoundError
    with pytest.raises(ConfigError, match=r"receiver 'other': the package apprise is not installed; run: pip install"):
        receiver("json://127.0.0.1/")
