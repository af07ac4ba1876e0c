"""A receiver that posts alerts as JSON over HTTP."""

from collections.abc import Mapping
from typing import Any, TextIO

from monitor.alerting.notify.http import Poster
from monitor.domain.alert import Notification


class Webhook:
    """Posts the payload of each notification to one URL. Poster describes responses and errors."""

    def __init__(self, name: str, url: str, timeout_s: float) -> None:
        self._poster = Poster(name, url, timeout_s)

    @property
    def name(self) -> str:
        return self._poster.name

    def reach(self) -> None:
        self._poster.reach()

    def send(self, notification: Notification) -> None:
        headers = {"X-Driftd-Alert": notification.alert_id, "Idempotency-Key": notification.id}
        self._poster.post(notification.payload, headers)

    def close(self) -> None:
        self._poster.close()


def build(name: str, options: Mapping[str, Any], output: TextIO) -> Webhook:  # noqa: ARG001  the signature of a kind
    """Return a webhook receiver. `options` has `url` and `timeout_s`."""
    return Webhook(name, **options)
