"""Alerts and the outbox of their notifications."""

from collections.abc import Sequence
from datetime import datetime

from monitor.domain.alert import Alert, AlertState, DeliveryState, Notification, NotifyReason
from monitor.domain.production import Series
from monitor.errors import NotFound
from monitor.store.append import row_of
from monitor.store.columns import TABLES, table_of
from monitor.store.json_text import from_json, to_json
from monitor.store.page import Page, PageQuery, fetch_page
from monitor.store.transaction import Row, Tx


def upsert(tx: Tx, alert: Alert) -> None:
    """Write the alert as it is now, whether it is new or not."""
    tx.execute("upsert_alert", batch=table_of(TABLES["alert"], [row_of(alert)]))


def open_by_key(tx: Tx, dedup_key: str) -> Alert | None:
    """The pending or firing alert of the key."""
    row = tx.one("open_alert_by_key", dedup_key=dedup_key)
    return to_alert(row) if row else None


def open_of_set(tx: Tx, deployment: str, set_name: str) -> Alert | None:
    """The pending or firing alert about the set, the newest episode if there are several."""
    row = tx.one("open_alert_of_set", deployment=deployment, set_name=set_name)
    return to_alert(row) if row else None


def open_of_series(tx: Tx, deployment: str, series: Series) -> Alert | None:
    """The pending or firing alert about the production series."""
    row = tx.one("open_alert_of_series", deployment=deployment, series=series.value)
    return to_alert(row) if row else None


def open_all(tx: Tx, deployment: str | None = None) -> list[Alert]:
    """Every pending or firing alert, the newest episode first."""
    return [to_alert(row) for row in tx.query("open_alerts", deployment=deployment)]


def get(tx: Tx, alert_id: str) -> Alert | None:
    row = tx.one("alert_by_id", id=alert_id)
    return to_alert(row) if row else None


def page(tx: Tx, q: PageQuery) -> Page[Alert]:
    return fetch_page(tx, "page_alerts", q, to_alert, at="pending_since")


def insert_notifications(tx: Tx, rows: Sequence[Notification]) -> None:
    """Put deliveries into the outbox."""
    if rows:
        tx.insert("notification", table_of(TABLES["notification"], [_notification_row(row) for row in rows]))


def due_notifications(tx: Tx, now: datetime) -> list[Notification]:
    """Queued deliveries whose time has come, the oldest plan first."""
    return [to_notification(row) for row in tx.query("due_notifications", now=now)]


def update_notification(tx: Tx, notification: Notification) -> None:
    """Write down what came of an attempt."""
    changed = tx.execute(
        "update_notification",
        id=notification.id,
        state=notification.state.value,
        attempt=notification.attempt,
        next_attempt_at=notification.next_attempt_at,
        sent_at=notification.sent_at,
        error=notification.error,
    )
    if not changed:
        raise NotFound(f"notification {notification.id!r} is unknown; it was never put into the outbox")


def notifications_of(tx: Tx, alert_id: str) -> list[Notification]:
    """Every delivery of the alert, the oldest plan first."""
    return [to_notification(row) for row in tx.query("notifications_of_alert", alert_id=alert_id)]


def page_notifications(tx: Tx, q: PageQuery) -> Page[Notification]:
    return fetch_page(tx, "page_notifications", q, to_notification, at="planned_at")


def _notification_row(item: Notification) -> Row:
    return row_of(item) | {"payload": to_json(item.payload)}


def to_alert(row: Row) -> Alert:
    return Alert(**row | {"state": AlertState(row["state"])})


def to_notification(row: Row) -> Notification:
    return Notification(
        **row
        | {
            "reason": NotifyReason(row["reason"]),
            "state": DeliveryState(row["state"]),
            "payload": from_json(row["payload"]),
        }
    )
