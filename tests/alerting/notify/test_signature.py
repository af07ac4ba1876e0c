"""Signatures of Standard Webhooks 1.0: the published vector, the receiver over HTTP, and the function of the docs."""

import base64
import io
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from monitor.alerting.notify.base import ReceiverUnavailable
from monitor.alerting.notify.http import json_bytes
from monitor.alerting.notify.signature import signature_headers
from monitor.alerting.notify.table import build_receiver
from monitor.config.receivers.webhook import WebhookReceiver
from tests.alerting.build import a_notification
from tests.alerting.notify.hook import Hook, listening
from tests.docs.markdown import ROOT, read

OLD, NEW = (f"whsec_{base64.b64encode(bytes([number]) * 32).decode()}" for number in (1, 2))
Check = Callable[[str, dict[str, str], bytes], bool]


@pytest.fixture
def hook() -> Iterator[Hook]:
    with listening() as server:
        yield server


@pytest.fixture(scope="module")
def is_from_driftd() -> Check:
    """The function of docs/receivers.md."""
    [source] = read(ROOT / "docs/receivers.md").fences_of("python")
    names: dict[str, Any] = {}
    exec(source, names)
    found: Check = names["is_from_driftd"]
    return found


def send(hook: Hook, secret: str, **fields: Any) -> None:
    section = WebhookReceiver.model_validate({"kind": "webhook", "url": hook.url, "signing_secret": secret})
    receiver = build_receiver("webhook", "pager", section.options(), io.StringIO())
    try:
        receiver.send(a_notification(**fields))
    finally:
        receiver.close()


def test_the_published_vector() -> None:
    secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    at = datetime.fromtimestamp(1614265330, UTC)
    headers = signature_headers([secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}')
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_a_receiver_can_check_what_arrives(hook: Hook, is_from_driftd: Check) -> None:
    send(hook, OLD)
    [headers], [body] = hook.received, hook.raw
    assert is_from_driftd(OLD, headers, body)
    assert not is_from_driftd(NEW, headers, body)
    assert not is_from_driftd(OLD, headers, body + b" ")
    assert not is_from_driftd(OLD, {**headers, "webhook-id": "n2"}, body)
    late = {**headers, "webhook-timestamp": str(int(time.time()) - 301)}
    assert not is_from_driftd(OLD, late, body)
    assert headers["content-type"] == "application/json"
    assert body == json_bytes(a_notification().payload)


def test_during_a_change_each_secret_is_valid(hook: Hook, is_from_driftd: Check) -> None:
    send(hook, f"{NEW}\n{OLD}\n")
    [headers], [body] = hook.received, hook.raw
    assert len(headers["webhook-signature"].split()) == 2
    assert is_from_driftd(OLD, headers, body)
    assert is_from_driftd(NEW, headers, body)


def test_each_attempt_has_the_same_id_and_its_own_time(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    class Later(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> "Later":
            return cls.fromtimestamp(time.time() + 60 * len(hook.received), tz)

    monkeypatch.setattr("monitor.alerting.notify.webhook.datetime", Later)
    hook.status = 503
    with pytest.raises(ReceiverUnavailable):
        send(hook, OLD)
    hook.status = 204
    send(hook, OLD)
    send(hook, OLD, id="n2")
    first, second, other = hook.received
    assert (first["webhook-id"], second["webhook-id"], other["webhook-id"]) == ("n1", "n1", "n2")
    assert int(second["webhook-timestamp"]) >= int(first["webhook-timestamp"]) + 60
    assert first["webhook-signature"] != second["webhook-signature"]


def test_without_a_secret_nothing_is_signed(hook: Hook) -> None:
    receiver = build_receiver("webhook", "pager", {"url": hook.url, "timeout_s": 5.0}, io.StringIO())
    receiver.send(a_notification())
    receiver.close()
    assert not [name for name in hook.received[0] if name.startswith("webhook-")]


@pytest.mark.parametrize(
    ("secret", "words"),
    [
        ("hunter2-hunter2-hunter2-hunter2", "each secret must be whsec_ and 24 to 64 bytes in base64"),
        ("whsec_aHVudGVyMg==", "each secret must be whsec_ and 24 to 64 bytes in base64"),
        (f"{OLD} whsec_!!!!", "each secret must be whsec_ and 24 to 64 bytes in base64"),
        ("  ", "the secret is empty"),
    ],
)
def test_a_secret_of_another_form_is_refused_and_not_quoted(secret: str, words: str) -> None:
    with pytest.raises(ValidationError) as raised:
        WebhookReceiver.model_validate({"kind": "webhook", "url": "http://127.0.0.1/", "signing_secret": secret})
    [error] = raised.value.errors(include_url=False, include_input=False)
    assert words in error["msg"]
    assert "unter2" not in error["msg"]
