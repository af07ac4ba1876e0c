"""Whether a receiver must hear of an alert now, and why."""

from collections.abc import Sequence
from datetime import datetime

from monitor.alerting.severity import rank
from monitor.domain.alert import Alert, AlertState, DeliveryState, Notification, NotifyReason
from monitor.domain.policy import AlertPolicy


def needs_update(alert: Alert, sent: Sequence[Notification], policy: AlertPolicy, now: datetime) -> NotifyReason:
    """The reason to tell one receiver of `alert`, given every notification of it to that receiver so far.

    first: firing, and the receiver knows nothing of it. worse: its severity rose above all before. repeat: it
    still fires `repeat_s` after the last word, and none is on its way. resolved: it is over, and the receiver was
    told, or will be, that it fired. What was given up is as good as never told, but is not tried again before
    `repeat_s` has passed. What is `info` is not repeated. Everything else is nothing new: a pending alert is never
    told, nor that it ended.
    """
    told = [one for one in sent if one.state is not DeliveryState.FAILED]
    match alert.state:
        case AlertState.PENDING:
            return NotifyReason.NOTHING_NEW
        case AlertState.RESOLVED:
            over = any(one.reason is NotifyReason.RESOLVED for one in sent)
            return NotifyReason.RESOLVED if told and not over else NotifyReason.NOTHING_NEW
        case AlertState.FIRING:
            return _while_firing(alert, sent, told, policy, now)


def _while_firing(
    alert: Alert, sent: Sequence[Notification], told: Sequence[Notification], policy: AlertPolicy, now: datetime
) -> NotifyReason:
    if not sent:
        return NotifyReason.FIRST
    if rank(alert.severity) > max(rank(_severity(one)) for one in sent):
        return NotifyReason.WORSE if told else NotifyReason.FIRST
    quiet_s = (now - max(one.planned_at for one in sent)).total_seconds()
    under_way = any(one.state is DeliveryState.QUEUED for one in sent)
    if under_way or quiet_s < policy.repeat_s:
        return NotifyReason.NOTHING_NEW
    if not told:
        return NotifyReason.FIRST
    return NotifyReason.NOTHING_NEW if rank(alert.severity) == 0 else NotifyReason.REPEAT


def _severity(notification: Notification) -> str:
    return str(notification.payload["alert"]["severity"])
