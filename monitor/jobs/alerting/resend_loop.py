"""Repeats delivered alerts to a receiver that forgets them."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable, RepeatingReceiver
from monitor.clock import Clock
from monitor.domain.alert import Notification
from monitor.store.engine.database import Store
from monitor.store.findings import alerts
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
_RESOLVED_FOR = timedelta(minutes=5)


class ResendLoop:
    """Sends a receiver of Alertmanager every `repeat_s` seconds what NotifyLoop delivered to it.

    It decides nothing: an alert that is silenced, inhibited or acknowledged in driftd stays as it was delivered. A
    delivery is repeated within a second, so that a peer which missed it gets it. That also corrects a repetition which
    began before the delivery was stored. A start reads everything from the store. While the store cannot be read, the
    loop repeats what it knows.
    """

    poll_s = 1.0

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        receiver: RepeatingReceiver,
        unstored: Callable[[str], Sequence[Notification]] = lambda _: (),
        telemetry: Recorder = NO_TELEMETRY,
    ) -> None:
        """`unstored` returns the notifications that a receiver got while the store could not be written."""
        self.name = f"resend-{receiver.name}"
        self._store, self._clock, self._receiver = store, clock, receiver
        self._unstored, self._telemetry = unstored, telemetry
        for state in ("sent", "failed"):  # a rate needs the zero before the first count
            telemetry.count("driftd.notification.repetitions", 0, {"state": state})
        self._known: tuple[object, ...] | None = None  # number and ids of the newest deliveries
        self._sent_at: datetime | None = None
        self._trouble: str | None = None  # the last error in the log, so that it is written once

    def step(self) -> int:
        now = self._clock.now()
        try:
            self._learn(now)
        finally:
            if self._is_due(now):
                self._repeat(now)
        return 0  # a repetition is no progress: `settle` must not wait for the next one

    def _learn(self, now: datetime) -> None:
        receiver = self._receiver.name
        unstored = self._unstored(receiver)
        with self._store.read() as tx:
            newest = (*alerts.newest_delivery(tx, receiver), *(one.id for one in unstored))
            if newest == self._known:
                return
            delivered = alerts.standing(tx, receiver, now - _RESOLVED_FOR)
        stored = {one.id for one in delivered}
        self._receiver.learn([*delivered, *(one for one in unstored if one.id not in stored)])
        self._known, self._sent_at = newest, None

    def _is_due(self, now: datetime) -> bool:
        if self._known is None:
            return False
        return self._sent_at is None or abs(now - self._sent_at) >= timedelta(seconds=self._receiver.repeat_s)

    def _repeat(self, now: datetime) -> None:
        self._sent_at = now
        try:
            count = self._receiver.repeat(now)
        except (ReceiverUnavailable, ReceiverRefused) as error:
            if str(error) != self._trouble:
                log.warning(
                    "alerts are not repeated: %s; the next attempt is in %.0f s", error, self._receiver.repeat_s
                )
                self._trouble = str(error)
            self._telemetry.count("driftd.notification.repetitions", 1, {"state": "failed"})
            return
        if count:
            self._trouble = None
            self._telemetry.count("driftd.notification.repetitions", 1, {"state": "sent"})
