"""Sends an alert that always fires, so that a monitoring service outside notices when driftd stops."""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from monitor.alerting.advance import advance
from monitor.alerting.checks.condition import DAEMON
from monitor.alerting.group import group_parts
from monitor.alerting.message import payload
from monitor.alerting.notify.base import Receiver, ReceiverRefused, ReceiverUnavailable
from monitor.clock import Clock
from monitor.domain.alert import Alert, DeliveryState, Notification, NotifyReason
from monitor.domain.finding import Finding, ReadSource, Verdict
from monitor.domain.policy import Policy
from monitor.domain.rules import RULES
from monitor.domain.run import new_id

log = logging.getLogger(__name__)
RULE = "Watchdog"


class WatchdogLoop:
    """Notifies the receivers of the Watchdog every `alerts.watchdog.every_s` seconds while the daemon works.

    It sends nothing while a part of the daemon has crashed or cannot store rows: then the service outside must notice.
    The outbox is not used, because an old signal is worth nothing.
    """

    name = "watchdog"
    poll_s = 1.0

    def __init__(
        self,
        *,
        policy: Policy,
        clock: Clock,
        receivers: Mapping[str, Receiver],
        not_ready: Callable[[], str | None],
    ) -> None:
        """`receivers` are those of the Watchdog. `not_ready` returns why the daemon cannot work, or None."""
        self._policy, self._clock = policy.alerts, clock
        self._receivers, self._not_ready = receivers, not_ready
        self._since = clock.now()
        self._id = new_id("alert", self._since)  # one episode for each start
        self._sent_at: datetime | None = None
        self._problems: dict[str, str] = {}  # the last error of each receiver in the log, so that it is written once

    def step(self) -> int:
        now = self._clock.now()
        if not self._receivers or not self._is_due(now):
            return 0
        self._sent_at = now
        reason = self._not_ready()
        if reason is not None:
            log.warning("the watchdog sends no signal: %s", reason)
            return 0
        for name, receiver in self._receivers.items():
            self._send(name, receiver, now)
        return 0  # a signal is no progress: `settle` must not wait for the next one

    def _is_due(self, now: datetime) -> bool:
        if self._sent_at is None:
            return True
        return abs(now - self._sent_at) >= timedelta(seconds=self._policy.watchdog.every_s)

    def _send(self, name: str, receiver: Receiver, now: datetime) -> None:
        try:
            receiver.send(self._notification(name, now))
        except (ReceiverUnavailable, ReceiverRefused) as error:
            if self._problems.get(name) != str(error):
                log.warning("the watchdog cannot send its signal: %s", error)
            self._problems[name] = str(error)
        else:
            self._problems.pop(name, None)

    def _notification(self, receiver: str, now: datetime) -> Notification:
        finding = Finding(
            id=new_id("finding", now),
            deployment=DAEMON,
            at=now,
            signal="source",
            segment="overall",
            subject=ReadSource(source="watchdog"),
            verdict=Verdict.REGRESSION,
            severity=RULES[RULE].severity or "info",
            reason=f"driftd runs since {self._since:%Y-%m-%d %H:%M} UTC; this alert always fires",
            alpha=0.0,
            rule=RULE,
        )
        alert = advance(None, finding, self._policy, self._since, self._id)
        assert isinstance(alert, Alert), "a regression opens an alert; a rule that is off has no loop"
        message = payload(
            alert, finding, reason=NotifyReason.FIRST, policy=self._policy, from_label=None, to_label=None
        )
        return Notification(
            id=new_id("notification", now),
            alert_id=alert.id,
            group_id=alert.group_id,
            receiver=receiver,
            reason=NotifyReason.FIRST,
            payload=message | group_parts([alert], self._policy, {}),
            state=DeliveryState.QUEUED,
            planned_at=now,
        )
