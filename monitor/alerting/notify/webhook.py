"""A receiver that posts alerts as JSON over HTTP."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TextIO

from monitor.alerting.notify.http import Poster, json_bytes
from monitor.alerting.notify.signature import signature_headers
from monitor.domain.alert import Notification


class Webhook:
    """Posts the payload of each notification to one URL. Poster describes responses and errors.

    With `signing_secrets` each request is signed as Standard Webhooks 1.0 describes.
    """

    def __init__(self, name: str, url: str, timeout_s: float, signing_secrets: Sequence[bytes] = ()) -> None:
        self._poster = Poster(name, url, timeout_s)
        self._secrets = tuple(signing_secrets)

    @property
    def name(self) -> str:
        return self._poster.name

    def reach(self) -> None:
        self._poster.reach()

    def send(self, notification: Notification) -> None:
        headers = {"X-Driftd-Alert": notification.alert_id, "Idempotency-Key": notification.id}
        body = json_bytes(notification.payload)
        if self._secrets:
            headers |= signature_headers(self._secrets, notification.id, datetime.now(UTC), body)
        self._poster.post(body, headers)

    def close(self) -> None:
        self._poster.close()


def build(name: str, options: Mapping[str, Any], output: TextIO) -> Webhook:  # noqa: ARG001  the signature of a kind
    """Return a webhook receiver. `options` has `url`, `timeout_s` and `signing_secrets`."""
    return Webhook(name, **options)
