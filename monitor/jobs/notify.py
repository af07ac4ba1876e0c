"""Delivers what the outbox holds, with patience."""

import logging
from collections.abc import Mapping

from monitor.alerting.notify.base import Receiver, ReceiverRefused, ReceiverUnavailable
from monitor.alerting.plan import after_failure, after_success
from monitor.clock import Clock
from monitor.domain.alert import Notification
from monitor.domain.policy import Policy
from monitor.store import alerts
from monitor.store.database import Store

log = logging.getLogger(__name__)


class NotifyLoop:
    """Queued notifications are sent; a kill between delivery and record sends one twice, never none."""

    name = "notify"
    poll_s = 1.0

    def __init__(self, *, store: Store, policy: Policy, clock: Clock, receivers: Mapping[str, Receiver]) -> None:
        self._store, self._policy, self._clock, self._receivers = store, policy, clock, receivers

    def step(self) -> int:
        with self._store.read() as tx:
            due = alerts.due_notifications(tx, self._clock.now())
        for notification in due:
            delivered = self._deliver(notification)
            with self._store.write() as tx:
                alerts.update_notification(tx, delivered)
        return len(due)

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
