"""Alerts: list, read, acknowledge, resolve and judge."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from monitor.alerting import advance
from monitor.alerting.history import events_of
from monitor.alerting.suppress import suppressed
from monitor.api import encode_alert
from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.body import Write, WriteRequest, model_body
from monitor.api.context import ApiContext, Context
from monitor.api.idempotency import write_once
from monitor.api.listing import ListQuery
from monitor.api.lookup import Identifier, MetricName, labels_of, missing
from monitor.api.schema import (
    AcknowledgeAlert,
    AlertEventItem,
    AlertItem,
    AlertMessageItem,
    JudgeAlert,
    ListPage,
    ResolveAlert,
    UnacknowledgeAlert,
)
from monitor.domain.alert import Alert, AlertVerdict
from monitor.store.engine.database import Tx
from monitor.store.findings import alert_events, alerts, silences

router = APIRouter(prefix="/api/v1/alerts", tags=["alerts"])
State = Annotated[
    Literal["open", "pending", "firing", "resolved"] | None, Query(description="Only alerts in this state.")
]

Severity = Annotated[str | None, Query(max_length=50, description="Only alerts with this severity.")]
Text = Annotated[
    str | None,
    Query(max_length=200, description="Only alerts whose id, rule, subject or summary contains this text in any case."),
]


@router.get("", **needs(Role.READ))
def list_alerts(  # noqa: PLR0917 - one parameter a filter
    context: Context,
    query: ListQuery,
    state: State = None,
    metric: MetricName = None,
    severity: Severity = None,
    text: Text = None,
) -> ListPage[AlertItem]:
    states = ["pending", "firing"] if state == "open" else [state] if state else None
    with context.store.read() as tx:
        page = alerts.page(tx, query, states, metric, severity, text)
        return ListPage(items=_items(context, tx, page.items), next_cursor=page.next_cursor)


@router.get("/{id}", **needs(Role.READ))
def get_alert(context: Context, id: Identifier) -> AlertItem:  # noqa: A002 - the path uses id
    with context.store.read() as tx:
        return _items(context, tx, [_alert(tx, id)])[0]


@router.get("/{id}/events", **needs(Role.READ))
def list_events(context: Context, id: Identifier) -> ListPage[AlertEventItem]:  # noqa: A002 - the path uses id
    """Return the history of the alert, oldest first: each change of its state, with who and when."""
    with context.store.read() as tx:
        rows = alert_events.of_alert(tx, _alert(tx, id).id)
    return ListPage(items=[encode_alert.event(row) for row in rows], next_cursor=None)


@router.get("/{id}/message", **needs(Role.READ))
def get_message(context: Context, id: Identifier) -> AlertMessageItem:  # noqa: A002 - the path uses id
    """Return the newest message that was queued for the group of the alert."""
    with context.store.read() as tx:
        found = _alert(tx, id)
        sent = alerts.newest_of_group(tx, found.group_id, 1)
    return encode_alert.message(found.id, sent[0] if sent else None)


@router.post("/{id}/acknowledge", response_model=AlertItem, **needs(Role.OPERATE, **model_body(AcknowledgeAlert)))
def acknowledge(context: Context, id: Identifier, write: Write, sender: Sender) -> Response:  # noqa: A002
    """Stop the repeats of an alert until its severity rises or another alert joins its group."""
    order = write.parse(AcknowledgeAlert)

    def change(alert: Alert, now: datetime) -> Alert:
        return advance.acknowledge(alert, now, sender.name, order.note)

    return _changed(context, write, _Order(alert_id=id, by=sender.name, note=order.note, change=change))


@router.post("/{id}/unacknowledge", response_model=AlertItem, **needs(Role.OPERATE, **model_body(UnacknowledgeAlert)))
def unacknowledge(context: Context, id: Identifier, write: Write, sender: Sender) -> Response:  # noqa: A002
    """Take an acknowledgement back."""
    order = write.parse(UnacknowledgeAlert)
    return _changed(context, write, _Order(alert_id=id, by=sender.name, note=order.note, change=advance.unacknowledge))


@router.post("/{id}/resolve", response_model=AlertItem, **needs(Role.OPERATE, **model_body(ResolveAlert)))
def resolve(context: Context, id: Identifier, write: Write, sender: Sender) -> Response:  # noqa: A002
    """Resolve an alert by hand. The next bad finding opens a new one."""
    order = write.parse(ResolveAlert)
    return _changed(context, write, _Order(alert_id=id, by=sender.name, note=order.note, change=advance.resolve))


@router.post("/{id}/verdict", response_model=AlertItem, **needs(Role.REVIEW, **model_body(JudgeAlert)))
def judge(context: Context, id: Identifier, write: Write, sender: Sender) -> Response:  # noqa: A002
    """Store a person's verdict on an alert. It counts in the precision of the rule."""
    order = write.parse(JudgeAlert)

    def change(alert: Alert, now: datetime) -> Alert:
        return advance.judge(alert, now, AlertVerdict(order.verdict), sender.name, order.note)

    note = order.verdict if order.note is None else f"{order.verdict}: {order.note}"
    return _changed(context, write, _Order(alert_id=id, by=sender.name, note=note, change=change))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """The change of an alert that a person orders."""

    alert_id: str
    by: str
    note: str | None
    change: Callable[[Alert, datetime], Alert]


def _changed(context: ApiContext, write: WriteRequest, order: _Order) -> Response:
    """Store a change that a person makes, together with its events."""

    def work(tx: Tx) -> tuple[int, AlertItem]:
        now = context.clock.now()
        before = _alert(tx, order.alert_id)
        after = order.change(before, now)
        alerts.change(tx, after, events_of(before, after, now, by=order.by, note=order.note))
        return 200, _items(context, tx, [after])[0]

    return write_once(context, write, work)


def _alert(tx: Tx, alert_id: str) -> Alert:
    found = alerts.get(tx, alert_id)
    if found is None:
        raise missing("alert", alert_id, "alerts")
    return found


def _items(context: ApiContext, tx: Tx, rows: list[Alert]) -> list[AlertItem]:
    now = context.clock.now()
    hidden = suppressed(alerts.open_all(tx), silences.current(tx, now), now, context.policy.alerts.maintenance)
    labels = labels_of(tx, (row.deployment for row in rows))
    return [encode_alert.alert(row, labels, hidden.get(row.id)) for row in rows]
