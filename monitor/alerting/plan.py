"""The outbox: which notifications are due, and what becomes of one after an attempt to deliver it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from monitor.alerting.needs_update import needs_update
from monitor.domain.alert import Alert, DeliveryState, Notification, NotifyReason
from monitor.domain.policy import AlertPolicy

LONGEST_WAIT_S = 3600.0  # neither doubling nor a receiver's Retry-After may put an alert off for longer


def plan(
    alert: Alert,
    sent: Sequence[Notification],
    policy: AlertPolicy,
    now: datetime,
    *,
    payload: Callable[[NotifyReason], Mapping[str, Any]],
    new_id: Callable[[], str],
) -> list[Notification]:
    """One queued notification for each receiver that must hear of `alert` now, due at once.

    `sent` are all notifications of this alert so far, in whatever state. `payload` is asked only when something is due.
    """
    own = {name: [one for one in sent if one.receiver == name] for name in policy.receivers}
    reasons = {name: needs_update(alert, rows, policy, now) for name, rows in own.items()}
    return [
        Notification(
            id=new_id(),
            alert_id=alert.id,
            receiver=name,
            reason=reason,
            payload=payload(reason),
            state=DeliveryState.QUEUED,
            planned_at=now,
            next_attempt_at=now,
        )
        for name, reason in reasons.items()
        if reason is not NotifyReason.NOTHING_NEW
    ]


def after_success(notification: Notification, now: datetime) -> Notification:
    return replace(
        notification,
        state=DeliveryState.SENT,
        attempt=notification.attempt + 1,
        next_attempt_at=None,
        sent_at=now,
        error=None,
    )


def after_failure(
    notification: Notification,
    policy: AlertPolicy,
    now: datetime,
    error: str,
    *,
    retryable: bool,
    retry_after_s: float = 0.0,
) -> Notification:
    """The notification after an attempt that failed: due again later, or given up.

    The pause is `backoff_s`, doubled at each attempt, or what the receiver asked for when that is longer. It is given
    up when another attempt cannot help, or after `max_attempts`.
    """
    attempt = notification.attempt + 1
    if not retryable or attempt >= policy.max_attempts:
        return replace(notification, state=DeliveryState.FAILED, attempt=attempt, next_attempt_at=None, error=error)
    doubled = policy.backoff_s * 2.0 ** min(attempt - 1, 32)
    pause_s = min(max(doubled, retry_after_s), LONGEST_WAIT_S)
    return replace(notification, attempt=attempt, next_attempt_at=now + timedelta(seconds=pause_s), error=error)
