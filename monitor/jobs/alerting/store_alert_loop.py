"""Notifies the receivers when the store cannot be written. The outbox is in the store, so this path is in memory."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from monitor.alerting.advance import advance, tick
from monitor.alerting.checks.condition import DAEMON, minutes, when
from monitor.alerting.group import group_parts
from monitor.alerting.history import events_of
from monitor.alerting.message import payload
from monitor.alerting.needs_update import Group
from monitor.alerting.notify.base import Receiver, ReceiverRefused, ReceiverUnavailable
from monitor.alerting.plan import after_failure, after_success, plan
from monitor.alerting.suppress import suppressed
from monitor.clock import Clock
from monitor.domain.alert import Alert, DeliveryState, Notification
from monitor.domain.finding import Finding, ReadSource, Verdict
from monitor.domain.policy import Policy
from monitor.domain.run import new_id
from monitor.domain.silence import Silence
from monitor.errors import StoreUnavailable
from monitor.store.engine.database import Store
from monitor.store.findings import alerts, findings, silences

log = logging.getLogger(__name__)
RULE = "StoreReadOnly"
SUBJECT = "store"
CONFIRM = timedelta(seconds=10)  # a refused write that succeeds at its first repetition needs no person


class StoreAlertLoop:
    """Opens an alert in memory while writes fail, and delivers it with receivers of its own.

    When the store accepts writes again, the loop stores the alert and its notifications. Then the check and the alert
    loop resolve it as any other alert. A kill in between loses the alert: the store could not keep it.
    """

    name = "store-alert"
    poll_s = 2.0

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        receivers: Mapping[str, Receiver],
        states: Callable[[], Mapping[str, str]],
    ) -> None:
        """`states` returns the state of the writer and of each loop, as the API reports them. `receivers` are used by
        this loop only.
        """
        self._store, self._policy, self._clock = store, policy, clock
        self._receivers, self._states = receivers, states
        self._since: datetime | None = None
        self._finding: Finding | None = None
        self._alert: Alert | None = None
        self._sent: list[Notification] = []
        self._known_silences: list[Silence] = []

    def step(self) -> int:
        now, trouble = self._clock.now(), refused_write(self._states())
        if trouble is None:
            self._since = None
            return 0 if self._alert is None else self._hand_over(now)
        self._since = self._since or now
        if now - self._since < CONFIRM or not self._policy.alerts.rule(RULE).enabled:
            return 0
        return self._advance(trouble, self._since, now) + self._deliver(now)

    def refused_s(self) -> float:
        """Return for how many seconds the store has refused writes; 0 while it accepts them."""
        since = self._since
        return 0.0 if since is None else max(0.0, (self._clock.now() - since).total_seconds())

    def delivered(self, receiver: str) -> list[Notification]:
        """Return the notifications that the receiver got and that are not stored yet."""
        return [one for one in list(self._sent) if one.receiver == receiver and one.state is DeliveryState.SENT]

    def _advance(self, trouble: str, since: datetime, now: datetime) -> int:
        policy = self._policy.alerts
        if self._finding is None or self._alert is None:
            self._finding = _finding(trouble, since, now)
            self._alert = advance(None, self._finding, policy, now, new_id("alert", now))
            log.error("finding %s: %s", self._finding.id, self._finding.reason)
        if self._alert is None:
            return 0
        alert, finding = tick(self._alert, policy, now), self._finding
        self._alert = alert
        hidden = suppressed([alert], self._silences(now), now, policy.maintenance)
        group = Group(id=alert.group_id, alerts=[alert], suppressed=hidden)
        planned = plan(
            group,
            self._sent,
            policy,
            now,
            payload=lambda reason: (
                payload(alert, finding, reason=reason, policy=policy, from_label=None, to_label=None)
                | group_parts([alert], policy, hidden)
            ),
            new_id=lambda: new_id("notification", now),
        )
        replaced = {one.id: one for one in planned.replaced}
        self._sent = [replaced.get(one.id, one) for one in self._sent] + planned.new
        return len(planned.new)

    def _silences(self, now: datetime) -> list[Silence]:
        """Return the silences in force; those of the last reading while the store cannot be read either."""
        try:
            with self._store.read() as tx:
                self._known_silences = silences.current(tx, now)
        except StoreUnavailable as error:
            log.debug("the silences cannot be read: %s", error)
        return self._known_silences

    def _deliver(self, now: datetime) -> int:
        """Make one attempt for each notification that is due."""
        due = [n for n, one in enumerate(self._sent) if one.state is DeliveryState.QUEUED and _is_due(one, now)]
        for number in due:
            self._sent[number] = self._attempt(self._sent[number], now)
        return len(due)

    def _attempt(self, notification: Notification, now: datetime) -> Notification:
        receiver = self._receivers.get(notification.receiver)
        if receiver is None:
            return replace(notification, state=DeliveryState.FAILED, error="its receiver is not configured")
        try:
            receiver.send(notification)
        except (ReceiverUnavailable, ReceiverRefused, StoreUnavailable) as error:
            log.warning("notification %s: %s", notification.id, error)
            pause_s = min(self._policy.alerts.backoff_s * 2.0 ** min(notification.attempt, 16), 300.0)
            return after_failure(notification, now, str(error), pause_s)
        return after_success(notification, now)

    def _hand_over(self, now: datetime) -> int:
        """Store the alert, its finding and its notifications. From then on the other loops process them."""
        alert, finding = self._alert, self._finding
        assert alert is not None, "the caller has checked it"
        assert finding is not None, "an alert has a finding"
        with self._store.write() as tx:
            findings.insert(tx, finding)
            findings.mark_alerted(tx, [finding.id])
            alerts.change(tx, alert, events_of(None, alert, now))
            alerts.insert_notifications(tx, self._sent)
        log.info("the store accepts writes again; alert %s is stored", alert.id)
        self._alert, self._finding, self._sent = None, None, []
        return 1


def refused_write(states: Mapping[str, str]) -> str | None:
    """Return the error of a writer or loop that repeats a write which the store refused; None without one.

    >>> refused_write({"writer": "writing", "alerts": "retrying: d.duckdb cannot be written now: disk full"})
    'd.duckdb cannot be written now: disk full'
    """
    for state in states.values():
        if state.startswith("retrying: ") and "cannot be written now" in state:
            return state.removeprefix("retrying: ")
    return None


def _is_due(notification: Notification, now: datetime) -> bool:
    return notification.next_attempt_at is None or notification.next_attempt_at <= now


def _finding(trouble: str, since: datetime, now: datetime) -> Finding:
    reason = (
        f"driftd cannot store anything for {minutes((now - since).total_seconds())}, since {when(since)}: {trouble}; "
        "no replay, no verdict and no other alert is possible. Free space or remount the disk; driftd continues by "
        "itself, and `driftd db info` shows it"
    )
    return Finding(
        id=new_id("finding", now),
        deployment=DAEMON,
        at=now,
        signal="source",
        segment="overall",
        subject=ReadSource(source=SUBJECT),
        verdict=Verdict.REGRESSION,
        severity="critical",
        reason=reason,
        alpha=0.0,
        rule=RULE,
    )
