"""What is on call, and what was sent."""

from datetime import datetime
from typing import Literal

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


class NotificationItem(Wire):
    id: str
    alert_id: str
    receiver: str
    reason: str
    attempt: int
    status: Literal["queued", "sent", "failed"]
    planned_at: datetime
    at: datetime | None
    error: str | None
