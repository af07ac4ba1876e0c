"""The outbox: which notifications are due, which they replace, and the state of a notification after an attempt."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from monitor.alerting.group import lead_of
from monitor.alerting.needs_update import Group, needs_update
from monitor.domain.alert import DeliveryState, Notification, NotifyReason
from monitor.domain.policy import AlertPolicy

LONGEST_WAIT_S = 3600.0  # the longest pause before the next attempt, also with doubling or a Retry-After header


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """New notifications and the queued notifications that they replace."""

    new: list[Notification]
    replaced: list[Notification]


def plan(
    group: Group,
    sent: Sequence[Notification],
    policy: AlertPolicy,
    now: datetime,
    *,
    payload: Callable[[NotifyReason], Mapping[str, Any]],
    new_id: Callable[[], str],
) -> Planned:
    """Return one queued notification for each receiver that needs one of the group now. It is due immediately.

    It replaces the queued notification of the group for the receiver, so at most one is queued and they arrive in
    order. `sent` are all notifications of the group so far, in any state, oldest first. `payload` is called only if a
    notification is due.
    """
    own = {name: [one for one in sent if one.receiver == name] for name in policy.all_receivers}
    reasons = {name: needs_update(group, rows, name, policy, now) for name, rows in own.items()}
    due = {name: reason for name, reason in reasons.items() if reason is not NotifyReason.NOTHING_NEW}
    lead = lead_of(group.alerts)
    new = [
        Notification(
            id=new_id(),
            alert_id=lead.id,
            group_id=group.id,
            receiver=name,
            reason=reason,
            payload=payload(reason),
            state=DeliveryState.QUEUED,
            planned_at=now,
            next_attempt_at=now,
        )
        for name, reason in due.items()
    ]
    queued = [one for name in due for one in own[name] if one.state is DeliveryState.QUEUED]
    return Planned(
        new=new, replaced=[replace(one, state=DeliveryState.REPLACED, next_attempt_at=None) for one in queued]
    )


def after_success(notification: Notification, now: datetime) -> Notification:
    return replace(
        notification,
        state=DeliveryState.SENT,
        attempt=notification.attempt + 1,
        next_attempt_at=None,
        sent_at=now,
        error=None,
        refused=False,
    )


def after_failure(
    notification: Notification, now: datetime, error: str, pause_s: float, *, refused: bool = False
) -> Notification:
    """Return the notification after a failed attempt. It is due again after the pause. Attempts are not limited."""
    return replace(
        notification,
        attempt=notification.attempt + 1,
        next_attempt_at=now + timedelta(seconds=pause_s),
        error=error,
        refused=refused,
    )


def unavailable_pause_s(failures: int, policy: AlertPolicy, retry_after_s: float, jitter: float = 1.0) -> float:
    """Return the pause of a receiver that could not be reached `failures` times in a row.

    It is a part, `jitter` in [0, 1], of `backoff_s` doubled each time up to `max_pause_s`: full jitter, so that daemons
    that failed together do not retry together. A longer Retry-After of the receiver applies.
    """
    doubled = policy.backoff_s * 2.0 ** min(failures - 1, 32)
    return min(max(jitter * min(doubled, policy.max_pause_s), retry_after_s), LONGEST_WAIT_S)


def refused_pause_s(refusals: int, policy: AlertPolicy, jitter: float = 1.0) -> float:
    """Return the pause after `refusals` refusals of one notification: `backoff_s`, doubled each time, up to an hour, of
    which `jitter` is a part in [0, 1].
    """
    return jitter * min(policy.backoff_s * 2.0 ** min(refusals - 1, 32), LONGEST_WAIT_S)
