"""Requests of the Alerts page. Nothing is cached: a person on call sees the current state."""

from datetime import datetime
from urllib.parse import quote

from dashboards.client import Client
from monitor.api.schema import (
    AcknowledgeAlert,
    AlertEventItem,
    AlertItem,
    AlertMessageItem,
    CreateSilence,
    ExpireSilence,
    JudgeAlert,
    ListPage,
    NotificationItem,
    ResolveAlert,
    RuleItem,
    RunbookItem,
    SilenceItem,
    SilencePreview,
    UnacknowledgeAlert,
)
from monitor.api.schema.alert_details import AlertDiffItem, AlertEvidenceItem

MOST = 200
OPERATE, REVIEW, READ = "operate", "review", "read"


def alerts(
    client: Client,
    state: str | None,
    *,
    deployment: str | None = None,
    severity: str | None = None,
    text: str | None = None,
) -> list[AlertItem]:
    """Return the newest alerts in a state (`open`, `firing`, `pending`, `resolved`), or in any."""
    narrowed = {"state": state, "deployment": deployment, "severity": severity, "text": text}
    query = {"limit": str(MOST)} | {name: value for name, value in narrowed.items() if value is not None}
    return client.read("/api/v1/alerts", ListPage[AlertItem], query).items


def notifications(client: Client, alert_id: str) -> list[NotificationItem]:
    return client.read(_path(alert_id, "notifications"), ListPage[NotificationItem], {}).items


def diff(client: Client, alert_id: str) -> AlertDiffItem:
    return client.read(_path(alert_id, "diff"), AlertDiffItem, {})


def evidence(client: Client, alert_id: str) -> AlertEvidenceItem:
    return client.read(_path(alert_id, "evidence"), AlertEvidenceItem, {})


def history(client: Client, alert_id: str) -> list[AlertEventItem]:
    return client.read(f"/api/v1/alerts/{_segment(alert_id)}/events", ListPage[AlertEventItem], {}).items


def message(client: Client, alert_id: str) -> AlertMessageItem:
    return client.read(f"/api/v1/alerts/{_segment(alert_id)}/message", AlertMessageItem, {})


def silences(client: Client) -> list[SilenceItem]:
    return client.read("/api/v1/silences", ListPage[SilenceItem], {"limit": str(MOST)}).items


def rules(client: Client) -> list[RuleItem]:
    return client.read("/api/v1/rules", ListPage[RuleItem], {}).items


def runbook(client: Client, rule: str) -> RunbookItem:
    return client.read(f"/api/v1/rules/{_segment(rule)}/runbook", RunbookItem, {})


def acknowledge(client: Client, alert_id: str, note: str | None, user: str | None) -> AlertItem:
    """Acknowledge an alert. This and the other orders raise DaemonRefusal when the daemon rejects them."""
    return client.order(_path(alert_id, "acknowledge"), AcknowledgeAlert(note=note), AlertItem, user, role=OPERATE)


def unacknowledge(client: Client, alert_id: str, user: str | None) -> AlertItem:
    return client.order(_path(alert_id, "unacknowledge"), UnacknowledgeAlert(), AlertItem, user, role=OPERATE)


def resolve(client: Client, alert_id: str, note: str | None, user: str | None) -> AlertItem:
    return client.order(_path(alert_id, "resolve"), ResolveAlert(note=note), AlertItem, user, role=OPERATE)


def judge(client: Client, alert_id: str, order: JudgeAlert, user: str | None) -> AlertItem:
    return client.order(_path(alert_id, "verdict"), order, AlertItem, user, role=REVIEW)


def silence_order(matchers: list[str], comment: str, ends_at: datetime) -> CreateSilence:
    return CreateSilence(matchers=matchers, comment=comment, ends_at=ends_at)


def preview_silence(client: Client, order: CreateSilence) -> SilencePreview:
    return client.order("/api/v1/silences/preview", order, SilencePreview, None, role=READ)


def create_silence(client: Client, order: CreateSilence, user: str | None) -> SilenceItem:
    return client.order("/api/v1/silences", order, SilenceItem, user, role=OPERATE)


def expire_silence(client: Client, silence_id: str, user: str | None) -> SilenceItem:
    path = f"/api/v1/silences/{_segment(silence_id)}/expire"
    return client.order(path, ExpireSilence(), SilenceItem, user, role=OPERATE)


def _path(alert_id: str, action: str) -> str:
    return f"/api/v1/alerts/{_segment(alert_id)}/{action}"


def _segment(text: str) -> str:
    return quote(text, safe="")
