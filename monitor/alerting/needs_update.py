"""Decides whether a receiver needs a notification of an alert now, and why."""

from collections.abc import Sequence
from datetime import datetime

from monitor.alerting.severity import rank
from monitor.domain.alert import Alert, AlertState, DeliveryState, Notification, NotifyReason
from monitor.domain.policy import AlertPolicy
from monitor.domain.replay_health import is_about_replays


def needs_update(alert: Alert, sent: Sequence[Notification], policy: AlertPolicy, now: datetime) -> NotifyReason:
    """Return the reason to notify one receiver of `alert`. `sent` are all its notifications to that receiver so far.

    - first: the alert fires, and the receiver has received nothing.
    - worse: the severity rose above that of every earlier notification.
    - repeat: the alert still fires `repeat_s` after the last delivery, and no notification is queued. Alerts about
      replays have their own `repeat_s`. Alerts of severity `info` are not repeated.
    - resolved: the alert is resolved, and the receiver has, or may have, a notification that it fired. A queued one
      counts, because an attempt without a response may have arrived.
    - nothing new: everything else. A pending alert sends nothing, and neither does its end.

    A queued notification of an older finding is replaced by one of the newest finding, for the same reason.
    """
    delivered = [one for one in sent if one.state is DeliveryState.SENT]
    queued = [one for one in sent if one.state is DeliveryState.QUEUED]
    match alert.state:
        case AlertState.PENDING:
            return NotifyReason.NOTHING_NEW
        case AlertState.RESOLVED:
            over = any(one.reason is NotifyReason.RESOLVED for one in sent)
            return NotifyReason.RESOLVED if (delivered or queued) and not over else NotifyReason.NOTHING_NEW
        case AlertState.FIRING:
            return _while_firing(alert, delivered, queued, policy, now)


def _while_firing(
    alert: Alert, delivered: Sequence[Notification], queued: Sequence[Notification], policy: AlertPolicy, now: datetime
) -> NotifyReason:
    known = [*delivered, *queued]
    if not known:
        return NotifyReason.FIRST
    if rank(alert.severity) > max(rank(_severity(one)) for one in known):
        return NotifyReason.WORSE if delivered else NotifyReason.FIRST
    if queued:
        return NotifyReason.NOTHING_NEW if _finding(queued[-1]) == alert.last_finding_id else queued[-1].reason
    quiet_s = (now - max(one.sent_at or one.planned_at for one in delivered)).total_seconds()
    repeat_s = policy.replays.repeat_s if is_about_replays(alert.source) else policy.repeat_s
    if rank(alert.severity) == 0 or quiet_s < repeat_s:
        return NotifyReason.NOTHING_NEW
    return NotifyReason.REPEAT


def _severity(notification: Notification) -> str:
    return str(notification.payload["alert"]["severity"])


def _finding(notification: Notification) -> str:
    return str(notification.payload["finding"]["id"])
