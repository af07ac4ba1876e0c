"""Alerts and their notifications."""

from datetime import datetime
from typing import Literal

from monitor.api.schema.decided import AcceptanceItem
from monitor.api.schema.production import SeriesName
from monitor.api.schema.wire import Wire


class AlertItem(Wire):
    id: str
    deployment: str
    set_name: str | None
    series: SeriesName | None = None
    source: str | None = None
    state: Literal["pending", "firing", "resolved"]
    severity: str
    summary: str
    finding_id: str
    last_finding_id: str
    pending_since: datetime
    fired_at: datetime | None
    resolved_at: datetime | None
    updated_at: datetime
    from_version: str | None
    to_version: str | None
    from_version_label: str | None
    to_version_label: str | None
    acceptance: AcceptanceItem | None = None


class NotificationItem(Wire):
    """One delivery to one receiver. It is `queued` until it is `sent`, or `replaced` by a newer notification of the
    alert. `failed`: driftd stopped retrying, and the alert is not delivered to this receiver. `error` is the error
    of the last attempt, `next_attempt_at` the time of the next one.
    """

    id: str
    alert_id: str
    receiver: str
    reason: str
    attempt: int
    status: Literal["queued", "sent", "replaced", "failed"]
    planned_at: datetime
    at: datetime | None
    next_attempt_at: datetime | None = None
    error: str | None
