"""Delivers the notifications of one receiver from the outbox."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from random import SystemRandom

from monitor.alerting.notify.base import Receiver, ReceiverRefused, ReceiverUnavailable
from monitor.alerting.plan import (
    LONGEST_WAIT_S,
    after_failure,
    after_success,
    refused_pause_s,
    unavailable_pause_s,
)
from monitor.clock import Clock
from monitor.domain.alert import DeliveryState, Notification
from monitor.domain.policy import Policy
from monitor.jobs.alerting.cleared_texts import with_cleared_texts
from monitor.store.engine.database import Store
from monitor.store.findings import alerts
from monitor.telemetry import NO_TELEMETRY, Recorder, root_of

log = logging.getLogger(__name__)
LONGEST_WAIT = timedelta(seconds=LONGEST_WAIT_S)
_MINUTE = timedelta(minutes=1)
_RANDOM = SystemRandom()


class NotifyLoop:
    """Sends the queued notifications of one receiver, the oldest first.

    A kill between a delivery and its record sends a notification twice, never zero times. Each receiver has a loop of
    its own, so a slow receiver delays no other.

    While a receiver is not reachable, driftd makes one attempt after each pause for all queued notifications. A
    notification that the receiver refuses is retried alone. A start tries all of them at once, because the
    configuration may have been corrected.
    """

    poll_s = 1.0

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        receiver: Receiver,
        kind: str = "unknown",
        telemetry: Recorder = NO_TELEMETRY,
        jitter: Callable[[], float] = _RANDOM.random,
    ) -> None:
        """`kind` is the kind of the receiver, for telemetry. `jitter` returns a number in [0, 1) for each pause."""
        self.name = f"notify-{receiver.name}"
        self._store, self._policy, self._clock, self._receiver = store, policy, clock, receiver
        self._kind, self._telemetry = kind, telemetry
        for state in ("sent", "retrying", "refused"):  # a rate needs the zero before the first count
            telemetry.count("driftd.notification.deliveries", 0, {"kind": kind, "state": state})
        self._jitter = jitter
        self._attempted: deque[datetime] = deque(maxlen=policy.alerts.max_per_minute)  # times of the newest attempts
        self._started = False
        self._failures = 0  # in a row; the receiver could not be reached
        self._not_before: datetime | None = None
        self._trouble: str | None = None  # the last error in the log, so that it is written once

    def step(self) -> int:
        """Make at most one attempt, so that a stop waits for at most one attempt."""
        now = self._clock.now()
        self._start(now)
        if self._not_before is not None and now < self._not_before <= now + LONGEST_WAIT:
            return 0
        if self._is_limited(now):
            return 0
        with self._store.read() as tx:
            notification = alerts.next_notification(tx, self._receiver.name, now, LONGEST_WAIT)
        if notification is None:
            return 0
        attempted = self._attempt(notification)
        with self._store.write() as tx:
            alerts.update_notification(tx, attempted)
        return 1

    def _is_limited(self, now: datetime) -> bool:
        """Return whether the receiver got the most notifications of a minute already."""
        if len(self._attempted) < self._policy.alerts.max_per_minute:
            return False
        return timedelta() <= now - self._attempted[0] < _MINUTE

    def _start(self, now: datetime) -> None:
        if not self._started:
            with self._store.write() as tx:
                alerts.make_due(tx, self._receiver.name, now)
            self._started = True

    def _attempt(self, notification: Notification) -> Notification:
        finding = notification.payload.get("finding", {})
        finding_id, run_id = finding.get("id"), finding.get("candidate_run")
        ids = {"driftd.notification_id": notification.id, "driftd.alert_id": notification.alert_id}
        known = {"driftd.finding_id": finding_id, "driftd.run_id": run_id}
        labels = ids | {"driftd.receiver_kind": self._kind} | {name: one for name, one in known.items() if one}
        links = [root_of(run_id)] if run_id else []
        with self._telemetry.span("alert.notify", labels, links=links, in_trace=finding_id) as span:
            self._attempted.append(self._clock.now())
            attempted, result = self._deliver(notification)
            span.set_attributes({"driftd.reason": notification.reason.value, "driftd.state": result})
        self._telemetry.count("driftd.notification.deliveries", 1, {"kind": self._kind, "state": result})
        return attempted

    def _deliver(self, notification: Notification) -> tuple[Notification, str]:
        """Return the notification after the attempt, and its result: sent, retrying or refused."""
        try:
            self._receiver.send(self._with_cleared_texts(notification))
        except ReceiverUnavailable as error:
            self._failures += 1
            pause_s = unavailable_pause_s(self._failures, self._policy.alerts, error.retry_after_s, self._jitter())
            failed = self._failed(notification, error, pause_s)
            self._not_before = failed.next_attempt_at
            return failed, "retrying"
        except ReceiverRefused as error:
            self._failures, self._not_before = 0, None
            pause_s = refused_pause_s(notification.attempt + 1, self._policy.alerts, self._jitter())
            return self._failed(notification, error, pause_s, refused=True), "refused"
        self._recovered()
        return after_success(notification, self._clock.now()), DeliveryState.SENT.value

    def _with_cleared_texts(self, notification: Notification) -> Notification:
        """Return the notification with the texts that the receiver may get. They are not stored."""
        if not self._policy.alerts.cleared_for.get(self._receiver.name):
            return notification
        with self._store.read() as tx:
            payload = with_cleared_texts(tx, notification.payload, self._receiver.name, self._policy)
        return replace(notification, payload=payload)

    def _failed(
        self, notification: Notification, error: Exception, pause_s: float, *, refused: bool = False
    ) -> Notification:
        if str(error) != self._trouble:  # once, not at each attempt
            log.warning("notification %s: %s; it stays due until it is delivered", notification.id, error)
            self._trouble = str(error)
        return after_failure(notification, self._clock.now(), str(error), pause_s, refused=refused)

    def _recovered(self) -> None:
        if self._trouble is not None:
            log.info("receiver %s takes notifications again", self._receiver.name)
        self._failures, self._not_before, self._trouble = 0, None, None
