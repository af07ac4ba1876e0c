"""Changes that a person makes to a group of alerts in the service of a receiver."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from monitor.alerting.history import events_of
from monitor.api.schema import CallbackResult
from monitor.domain.alert import Alert, AlertEvent, AlertEventKind, AlertState, DeliveryState
from monitor.domain.run import new_id
from monitor.store.engine.database import Tx
from monitor.store.findings import alert_events, alerts

Change = Callable[[Alert, datetime], Alert]
_NEWER = {AlertEventKind.ACKNOWLEDGED, AlertEventKind.UNACKNOWLEDGED, AlertEventKind.WORSE, AlertEventKind.FIRING}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOrder:
    """What a person did to a group in the service of a receiver. `at` is the time there, `note` becomes part of the
    history of each alert.
    """

    group_id: str
    receiver: str
    by: str
    at: datetime
    note: str | None = None


def firing_alerts(tx: Tx, group_id: str, receiver: str) -> list[Alert] | None:
    """Return the firing alerts of a group; None if the receiver was never notified of it.

    The secret of one receiver so gives no power over the groups of others.
    """
    sent = alerts.notifications_of_groups(tx, [group_id])
    if not any(one.receiver == receiver and one.state is DeliveryState.SENT for one in sent):
        return None
    return [alert for alert in alerts.of_groups(tx, [group_id]) if alert.state is AlertState.FIRING]


def change_group(tx: Tx, order: GroupOrder, now: datetime, change: Change) -> CallbackResult:
    """Apply a change to the firing alerts of a group, and store it with its events.

    A change is not applied to an alert that fired, became worse or was (un)acknowledged after `order.at`: services
    repeat and reorder callbacks. `change` returns the same object if it does not apply to an alert.
    """
    found = firing_alerts(tx, order.group_id, order.receiver)
    if found is None:
        return ignored("the receiver was not notified of this group")
    changed = 0
    for before in found:
        after = before if _is_late(tx, before, order.at) else change(before, now)
        if after is not before:
            alerts.change(tx, after, events_of(before, after, now, by=order.by, note=order.note))
            changed += 1
    return CallbackResult(alerts=changed, ignored=None if changed else "no firing alert of the group needs the change")


def record(tx: Tx, order: GroupOrder, now: datetime, kind: AlertEventKind) -> CallbackResult:
    """Store an event about each firing alert of a group. The alerts do not change."""
    found = firing_alerts(tx, order.group_id, order.receiver)
    if found is None:
        return ignored("the receiver was not notified of this group")
    alert_events.insert(
        tx,
        [
            AlertEvent(id=new_id("event", now), alert_id=each.id, at=now, kind=kind, who=order.by, note=order.note)
            for each in found
        ],
    )
    return CallbackResult(alerts=len(found), ignored=None)


def ignored(reason: str) -> CallbackResult:
    """Return the result of a callback that changes nothing."""
    return CallbackResult(alerts=0, ignored=reason)


def _is_late(tx: Tx, alert: Alert, at: datetime) -> bool:
    return any(event.kind in _NEWER and event.at > at for event in alert_events.of_alert(tx, alert.id))
