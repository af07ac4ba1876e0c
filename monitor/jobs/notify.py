"""Delivers what the outbox holds, with patience."""

import logging
from collections.abc import Mapping

from monitor.alerting.notify.base import Receiver, ReceiverRefused, ReceiverUnavailable
from monitor.alerting.plan import after_failure, after_success
from monitor.clock import Clock
from monitor.domain.alert import DeliveryState, Notification
from monitor.domain.policy import Policy
from monitor.store import alerts
from monitor.store.database import Store
from monitor.telemetry import SILENT, Recorder

log = logging.getLogger(__name__)


class NotifyLoop:
    """Queued notifications are sent; a kill between delivery and record sends one twice, never none."""

    name = "notify"
    poll_s = 1.0

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        receivers: Mapping[str, Receiver],
        kinds: Mapping[str, str] | None = None,
        telemetry: Recorder = SILENT,
    ) -> None:
        """`kinds` says what each receiver is, for telemetry."""
        self._store, self._policy, self._clock, self._receivers = store, policy, clock, receivers
        self._kinds, self._telemetry = kinds or {}, telemetry

    def step(self) -> int:
        with self._store.read() as tx:
            due = alerts.due_notifications(tx, self._clock.now())
        for notification in due:
            delivered = self._attempt(notification)
            with self._store.write() as tx:
                alerts.update_notification(tx, delivered)
        return len(due)

    def _attempt(self, notification: Notification) -> Notification:
        kind = self._kinds.get(notification.receiver, "unknown")
        told = {"driftd.alert_id": notification.alert_id, "driftd.receiver_kind": kind}
        finding_id = notification.payload.get("finding", {}).get("id")
        with self._telemetry.span("alert.notify", told, follows=finding_id) as span:
            delivered = self._deliver(notification)
            state = "retrying" if delivered.state is DeliveryState.QUEUED else delivered.state.value
            span.set_attributes({"driftd.reason": notification.reason.value, "driftd.state": state})
        self._telemetry.count("driftd.notification.deliveries", 1, {"kind": kind, "state": state})
        return delivered

    def _deliver(self, notification: Notification) -> Notification:
        receiver = self._receivers.get(notification.receiver)
        try:
            if receiver is None:
                raise ReceiverRefused(f"receiver {notification.receiver!r} is no longer configured")
            receiver.send(notification)
        except ReceiverUnavailable as error:
            return self._failed(notification, error, retryable=True, retry_after_s=error.retry_after_s)
        except ReceiverRefused as error:
            return self._failed(notification, error, retryable=False)
        return after_success(notification, self._clock.now())

    def _failed(
        self, notification: Notification, error: Exception, *, retryable: bool, retry_after_s: float = 0.0
    ) -> Notification:
        log.warning("notification %s to %s: %s", notification.id, notification.receiver, error)
        return after_failure(
            notification,
            self._policy.alerts,
            self._clock.now(),
            str(error),
            retryable=retryable,
            retry_after_s=retry_after_s,
        )
