"""Queues change events: a new version of a deployment, or an accepted baseline, for receivers that record them."""

from datetime import datetime, timedelta

from monitor.alerting.change_event import of_baseline, of_change
from monitor.alerting.version_diff import Difference, identity_differences
from monitor.clock import Clock
from monitor.domain.alert import DeliveryState, Notification, NotifyReason
from monitor.domain.policy import Policy
from monitor.domain.run import new_id
from monitor.domain.version import Change
from monitor.store.engine.database import Store
from monitor.store.engine.transaction import Tx
from monitor.store.findings import alerts, baselines
from monitor.store.traffic import versions

HORIZON = timedelta(days=7)  # older changes are history, for example when a receiver is configured later


class ChangeEventLoop:
    """Writes one notification into the outbox for each change and each receiver with `change_events`.

    The table of changes and the outbox decide what is missing. So a kill loses no event, and a restart queues none a
    second time. The loop of the receiver sends it, with the retries of every notification.
    """

    name = "change-events"
    poll_s = 2.0

    def __init__(self, *, store: Store, policy: Policy, clock: Clock) -> None:
        self._store, self._policy, self._clock = store, policy.alerts, clock

    def step(self) -> int:
        """Queue the events that are missing. Return their number."""
        receivers = self._policy.change_receivers
        if not receivers:
            return 0
        now = self._clock.now()
        with self._store.read() as tx:
            missing = any(self._missing(tx, name, now) for name in receivers)
        if not missing:
            return 0
        with self._store.write() as tx:
            rows = [row for name in receivers for row in self._missing(tx, name, now)]
            alerts.insert_notifications(tx, rows)
        return len(rows)

    def _missing(self, tx: Tx, receiver: str, now: datetime) -> list[Notification]:
        since = now - HORIZON
        payloads = [
            (each.id, self._of_change(tx, each)) for each in versions.changes_without_event(tx, receiver, since)
        ]
        payloads += [
            (each.id, of_baseline(each, self._policy)) for each in baselines.without_event(tx, receiver, since)
        ]
        return [
            Notification(
                id=new_id("notification", now),
                alert_id=subject,
                receiver=receiver,
                reason=NotifyReason.CHANGE,
                payload=payload,
                state=DeliveryState.QUEUED,
                planned_at=now,
                next_attempt_at=now,
            )
            for subject, payload in payloads
        ]

    def _of_change(self, tx: Tx, change: Change) -> dict[str, object]:
        assert change.from_version is not None, "the query selects changes from a known version"
        before = versions.get(tx, change.deployment, change.from_version)
        after = versions.get(tx, change.deployment, change.to_version)
        diff: list[Difference] = identity_differences(before.identity, after.identity) if before and after else []
        return of_change(
            change,
            from_label=before.label if before else change.from_version,
            to_label=after.label if after else change.to_version,
            diff=diff,
            policy=self._policy,
        )
