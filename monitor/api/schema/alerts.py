"""Alerts and their notifications."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from monitor.api.schema.decided import AcceptanceItem
from monitor.api.schema.instant import RequestInstant
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
    rule: str
    category: str | None = None
    metric: str | None = None
    change_id: str | None = None
    group_id: str
    labels: dict[str, str]
    clear_since: datetime | None = None
    flapping: bool = False
    suppressed: str | None = None
    acknowledged_at: datetime | None = None
    acknowledged_by: str | None = None
    acknowledged_note: str | None = None
    verdict: Literal["true", "false", "expected"] | None = None
    verdict_at: datetime | None = None
    verdict_by: str | None = None
    verdict_note: str | None = None


class AlertEventItem(Wire):
    """One change of an alert. `who` is the name of a token or of a person, or `driftd`."""

    id: str
    alert_id: str
    at: datetime
    kind: str
    who: str
    note: str | None


class AlertMessageItem(Wire):
    """The newest message about the group of an alert, as receivers without templates and texts get it. All fields but
    `alert_id` are null before the first notification.
    """

    alert_id: str
    reason: str | None = None
    planned_at: datetime | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None


Note = Annotated[str | None, Field(max_length=2000)]


class AcknowledgeAlert(Wire):
    """Stop the repeats of an alert until its severity rises."""

    note: Note = None


class UnacknowledgeAlert(Wire):
    """Take an acknowledgement back."""

    note: Note = None


class ResolveAlert(Wire):
    """Resolve an alert by hand. The next bad finding opens a new one."""

    note: Note = None


class JudgeAlert(Wire):
    """A person's verdict on an alert: `true`, `false`, or `expected` for an intended change."""

    verdict: Literal["true", "false", "expected"]
    note: Note = None


class SilenceItem(Wire):
    """A silence. Alerts that match every matcher send no notifications while it is active."""

    id: str
    matchers: list[str]
    created_by: str
    comment: str
    created_at: datetime
    starts_at: datetime
    ends_at: datetime
    state: Literal["pending", "active", "expired"]
    expired_at: datetime | None
    expired_by: str | None


class CreateSilence(Wire):
    """A new silence. `starts_at` is now by default. A matcher has Alertmanager's form, as in `alertname=SetStale`."""

    matchers: list[Annotated[str, Field(min_length=1, max_length=300)]] = Field(min_length=1, max_length=20)
    comment: str = Field(min_length=1, max_length=2000)
    starts_at: RequestInstant | None = None
    ends_at: RequestInstant


class SilencePreview(Wire):
    """The open alerts that a silence would suppress."""

    matchers: list[str]
    alerts: list[AlertItem]


class ExpireSilence(Wire):
    """End a silence now."""


class RuleItem(Wire):
    """An alerting rule with its settings, and the verdicts of people on its alerts since the requested time.

    `precision` is the share of judged alerts that were right or expected; None without a verdict.
    """

    name: str
    area: str
    summary: str
    enabled: bool
    severity: str | None
    for_s: float
    keep_firing_for_s: float
    repeat_s: float
    receivers: list[str]
    runbook_url: str | None
    fired: int
    judged_true: int
    judged_false: int
    judged_expected: int
    precision: float | None


class RunbookItem(Wire):
    """The runbook page of a rule. `text` is Markdown, `url` the address that messages link to."""

    rule: str
    url: str | None
    text: str


class TestReceiver(Wire):
    """Send a notification that is marked as a test."""

    __test__ = False  # not a test class


class CallbackResult(Wire):
    """The result of a callback: the number of alerts with a change or an event. `ignored` is why there are none."""

    alerts: int
    ignored: str | None


class ReceiverItem(Wire):
    """A receiver with its deliveries. `configured` is false for a receiver that was removed from the configuration.

    `queued` notifications wait since `queued_since`; driftd stopped retrying the `failed` ones. `error` is the newest
    error of both.
    """

    name: str
    configured: bool
    sent_at: datetime | None
    queued: int
    queued_since: datetime | None
    failed: int
    error: str | None


class TestedReceiver(Wire):
    """The result of a test notification. `error` is None when the receiver accepted it."""

    __test__ = False

    receiver: str
    notification_id: str
    delivered: bool
    error: str | None


class NotificationItem(Wire):
    """One delivery to one receiver. It is `queued` until it is `sent`, or `replaced` by a newer notification of the
    alert. `failed`: driftd stopped retrying, and the alert is not delivered to this receiver. `error` is the error
    of the last attempt, `next_attempt_at` the time of the next one. With the reason `change` it is a change event, and
    `alert_id` is the id of the change or of the baseline.
    """

    id: str
    alert_id: str
    group_id: str
    receiver: str
    reason: str
    attempt: int
    status: Literal["queued", "sent", "replaced", "failed"]
    planned_at: datetime
    at: datetime | None
    next_attempt_at: datetime | None = None
    error: str | None


class ConditionItem(Wire):
    """The state of an alerting rule for one deployment and subject: firing, clear or unknown (missing data).
    `deployment` is driftd for a condition that concerns all deployments.
    """

    rule: str
    deployment: str
    subject: str
    state: str
    reason: str
