"""The details of one alert: its notifications, the differences of its versions, and its evidence over the nights."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter

from monitor.alerting.version_diff import Difference, identity_differences, parameter_differences
from monitor.api import encode, encode_alert_details
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.lookup import Identifier, labels_of, missing
from monitor.api.schema import ListPage, NotificationItem
from monitor.api.schema.alert_details import AlertDiffItem, AlertEvidenceItem
from monitor.domain.alert import Alert
from monitor.domain.finding import Finding, SetReplay
from monitor.store.engine.database import Tx
from monitor.store.findings import alerts, findings
from monitor.store.runs import runs
from monitor.store.traffic import prompts, versions

router = APIRouter(prefix="/api/v1/alerts", tags=["alerts"])
MOST_NIGHTS = 60
MOST_NOTIFICATIONS = 200


@router.get("/{id}/notifications", **needs(Role.READ))
def list_alert_notifications(context: Context, id: Identifier) -> ListPage[NotificationItem]:  # noqa: A002 - as the path
    """Return the newest notifications about the group of the alert, with receiver, time, state and error."""
    with context.store.read() as tx:
        rows = alerts.newest_of_group(tx, _alert(tx, id).group_id, MOST_NOTIFICATIONS)
    return ListPage(items=[encode.notification(row) for row in rows], next_cursor=None)


@router.get("/{id}/diff", **needs(Role.READ))
def get_diff(context: Context, id: Identifier) -> AlertDiffItem:  # noqa: A002 - the path uses id
    """Return what differs between the versions of the alert: model, parameters and prompt."""
    with context.store.read() as tx:
        row = _alert(tx, id)
        found = _differences(tx, row, findings.get(tx, row.finding_id))
        texts = _prompts(tx, row) if any(each.what == "prompt" for each in found) else (None, None)
        labels = labels_of(tx, [row.deployment])
    return encode_alert_details.diff(row, labels, found, texts)


@router.get("/{id}/evidence", **needs(Role.READ))
def get_evidence(context: Context, id: Identifier) -> AlertEvidenceItem:  # noqa: A002 - the path uses id
    """Return the nights of the subject of the alert with the evidence that each of them added, the oldest first. There
    are none when the finding that opened the alert has expired.
    """
    with context.store.read() as tx:
        row = _alert(tx, id)
        opening = findings.get(tx, row.finding_id)
        nights = [] if opening is None else findings.of_subject(tx, opening, until=row.resolved_at, limit=MOST_NIGHTS)
        labels = labels_of(tx, [row.deployment])
    return encode_alert_details.evidence(row, opening, nights, labels, MOST_NIGHTS)


def _alert(tx: Tx, alert_id: str) -> Alert:
    found = alerts.get(tx, alert_id)
    if found is None:
        raise missing("alert", alert_id, "alerts")
    return found


def _differences(tx: Tx, row: Alert, opening: Finding | None) -> list[Difference]:
    """Return the differences of the identities, then those of the parameters that the two runs used."""
    before, after = (_identity(tx, row, each) for each in (row.from_version, row.to_version))
    named = identity_differences(before, after) if before and after else []
    if opening is None or not isinstance(opening.subject, SetReplay):
        return named
    then, now = _target(tx, opening.baseline_run), _target(tx, opening.subject.candidate_run)
    return named + (parameter_differences(then, now) if then and now else [])


def _prompts(tx: Tx, row: Alert) -> tuple[str | None, str | None]:
    before, after = (prompts.of_version(tx, row.deployment, each) for each in (row.from_version, row.to_version))
    return before, after


def _identity(tx: Tx, row: Alert, version: str | None) -> Mapping[str, str]:
    found = None if version is None else versions.get(tx, row.deployment, version)
    return {} if found is None else found.identity


def _target(tx: Tx, run_id: str | None) -> Mapping[str, Any]:
    run = None if run_id is None else runs.get(tx, run_id)
    return ((run.manifest or {}).get("target") or {}) if run is not None else {}
