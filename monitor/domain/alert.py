"""Alerts and their notifications."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from monitor.domain.baseline import Acceptance


class AlertState(StrEnum):
    PENDING = "pending"
    FIRING = "firing"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """An alert on an eval set, a production series or a source of records. Exactly one of `set_name`, `series` and
    `source` is set. At most one alert of a `dedup_key` is open (pending or firing) at a time.
    """

    id: str
    dedup_key: str
    deployment: str
    set_name: str | None
    state: AlertState
    severity: str
    summary: str
    finding_id: str  # the finding that opened the alert
    last_finding_id: str
    pending_since: datetime
    updated_at: datetime
    fired_at: datetime | None = None
    resolved_at: datetime | None = None
    from_version: str | None = None
    to_version: str | None = None
    baseline_run: str | None = None
    series: str | None = None
    source: str | None = None
    acceptance: Acceptance | None = None  # set when a person or the policy accepted the new level


class NotifyReason(StrEnum):
    """Why a receiver is notified, or why it is not."""

    FIRST = "first"
    WORSE = "worse"
    REPEAT = "repeat"
    RESOLVED = "resolved"
    NOTHING_NEW = "nothing_new"


class DeliveryState(StrEnum):
    QUEUED = "queued"
    SENT = "sent"
    REPLACED = "replaced"  # a newer notification of the same alert replaced it before delivery
    FAILED = "failed"  # the last delivery attempt failed; the receiver gets no more alerts


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """One delivery of an alert to one receiver. The row is the outbox entry: it is committed before the notification is
    sent.
    """

    id: str
    alert_id: str
    receiver: str
    reason: NotifyReason
    payload: Mapping[str, Any]
    state: DeliveryState
    planned_at: datetime
    attempt: int = 0
    next_attempt_at: datetime | None = None
    sent_at: datetime | None = None
    error: str | None = None
