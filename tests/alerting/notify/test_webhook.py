import logging
import socket
from collections.abc import Iterator

import httpx
import pytest

from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable
from monitor.alerting.notify.webhook import Webhook
from monitor.errors import ConfigError, Permanent
from tests.alerting.build import a_notification
from tests.alerting.notify.hook import Hook, listening

SECRETS = ("s3cret", "t0ken")


@pytest.fixture
def hook() -> Iterator[Hook]:
    with listening() as server:
        yield server


@pytest.fixture
def webhook(hook: Hook) -> Iterator[Webhook]:
    receiver = Webhook("pager", hook.url, timeout_s=5.0)
    yield receiver
    receiver.close()


def test_the_payload_is_posted_as_json_with_ids_in_the_headers(hook: Hook, webhook: Webhook) -> None:
    webhook.send(a_notification())
    assert hook.paths == ["/hooks/s3cret?token=t0ken"]
    assert hook.bodies == [dict(a_notification().payload)]
    [headers] = hook.received
    assert headers["content-type"] == "application/json"
    assert headers["x-driftd-alert"] == "a1"
    assert headers["idempotency-key"] == "n1"


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_any_success_is_delivered(hook: Hook, webhook: Webhook, status: int) -> None:
    hook.status = status
    webhook.send(a_notification())
    assert len(hook.bodies) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_busy_receiver_is_worth_another_attempt(hook: Hook, webhook: Webhook, status: int) -> None:
    hook.status = status
    with pytest.raises(ReceiverUnavailable, match=f"receiver 'pager' at 127.0.0.1:{hook.port} responded {status}$"):
        webhook.send(a_notification())


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 422])
def test_a_refusal_is_final(hook: Hook, webhook: Webhook, status: int) -> None:
    hook.status = status
    with pytest.raises(ReceiverRefused, match=f"responded {status}$") as raised:
        webhook.send(a_notification())
    assert isinstance(raised.value, Permanent)


def test_a_redirect_is_not_followed(hook: Hook, webhook: Webhook) -> None:
    hook.status, hook.headers = 307, {"Location": hook.url}
    with pytest.raises(ReceiverRefused, match="responded 307; configure the address that it redirects to"):
        webhook.send(a_notification())
    assert len(hook.bodies) == 1


def test_the_wait_that_the_receiver_asks_for_is_passed_on(hook: Hook, webhook: Webhook) -> None:
    hook.status, hook.headers = 429, {"Retry-After": "17"}
    with pytest.raises(ReceiverUnavailable) as raised:
        webhook.send(a_notification())
    assert raised.value.retry_after_s == 17.0


def test_no_answer_in_time_is_worth_another_attempt(hook: Hook) -> None:
    hook.answer.clear()
    hasty = Webhook("pager", hook.url, timeout_s=0.05)
    with pytest.raises(ReceiverUnavailable, match="no response in time"):
        hasty.send(a_notification())
    hasty.close()


def test_nobody_listening_is_worth_another_attempt() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    receiver = Webhook("pager", f"http://127.0.0.1:{port}/hooks/s3cret", timeout_s=5.0)
    with pytest.raises(ReceiverUnavailable, match=f"receiver 'pager' at 127.0.0.1:{port}: cannot be reached"):
        receiver.send(a_notification())
    receiver.close()


@pytest.mark.parametrize("status", [204, 404, 503])
def test_neither_errors_nor_logs_hold_the_secret_part_of_the_url(
    hook: Hook, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    hook.status = status
    receiver = Webhook("pager", hook.url.replace("127.0.0.1", "user:passw0rd@127.0.0.1"), timeout_s=5.0)
    said = ""
    with caplog.at_level(logging.DEBUG):
        try:
            receiver.send(a_notification())
        except (ReceiverRefused, ReceiverUnavailable) as error:
            said = f"{error!r} {error.__cause__!r} {error.__context__!r}"
    receiver.close()
    assert hook.received[0]["authorization"].startswith("Basic ")
    for secret in (*SECRETS, "passw0rd"):
        assert secret not in caplog.text
        assert secret not in said


def test_a_closed_receiver_leaves_other_requests_their_log_lines(hook: Hook, caplog: pytest.LogCaptureFixture) -> None:
    Webhook("pager", hook.url, timeout_s=5.0).close()
    with caplog.at_level(logging.INFO), httpx.Client(trust_env=False) as other:
        other.post(f"http://127.0.0.1:{hook.port}/elsewhere", json={})
    assert "/elsewhere" in caplog.text


@pytest.mark.parametrize("url", ["ftp://example.org/s3cret", "http:///s3cret", "http://host:s3cret/", "s3cret"])
def test_an_address_that_is_none_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ConfigError, match="receiver 'pager': its url") as raised:
        Webhook("pager", url, timeout_s=5.0)
    assert "s3cret" not in str(raised.value)
