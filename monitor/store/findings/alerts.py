"""Alerts and the outbox of their notifications."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from monitor.domain.alert import Alert, AlertEvent, AlertState, AlertVerdict, DeliveryState, Notification, NotifyReason
from monitor.domain.finding import SEVERITY_GATE
from monitor.domain.production import Series
from monitor.errors import NotFound
from monitor.store.engine.append import row_of
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.findings import alert_events
from monitor.store.findings.decision_json import acceptance_from_json, acceptance_to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """The deliveries to one receiver: the last one, what is queued since when, and the newest error of those that were
    not delivered.
    """

    receiver: str
    sent_at: datetime | None
    queued: int
    queued_since: datetime | None
    failed: int
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Undelivered:
    """The queued notifications of one receiver.

    `since` is the time of the oldest plan since the last delivery, including notifications that a newer one has
    replaced. `error` is the error of the newest failed attempt. `refused` says whether the receiver rejected one.
    """

    receiver: str
    count: int
    attempts: int
    since: datetime
    error: str | None
    refused: bool = False


def upsert(tx: Tx, alert: Alert) -> None:
    """Insert or update an alert."""
    acceptance = None if alert.acceptance is None else acceptance_to_json(alert.acceptance)
    row = row_of(alert) | {"acceptance": acceptance}
    tx.execute("upsert_alert", batch=table_of(TABLES["alert"], [row]))


def change(tx: Tx, alert: Alert, events: Sequence[AlertEvent]) -> None:
    """Store an alert after a change, together with the events of the change."""
    upsert(tx, alert)
    alert_events.insert(tx, events)


def open_by_key(tx: Tx, dedup_key: str) -> Alert | None:
    """Return the pending or firing alert with this key."""
    row = tx.one("open_alert_by_key", dedup_key=dedup_key)
    return to_alert(row) if row else None


def open_of_set(tx: Tx, deployment: str, set_name: str) -> Alert | None:
    """Return the pending or firing alert about the deciding verdict of the set, the newest one if there are several."""
    row = tx.one("open_alert_of_set", deployment=deployment, set_name=set_name)
    return to_alert(row) if row else None


def open_of_metrics(tx: Tx, deployment: str, set_name: str) -> dict[str, Alert]:
    """Return the pending or firing alert of each watched metric of the set that has one."""
    rows = tx.query("open_alerts_of_metrics", deployment=deployment, set_name=set_name)
    return {row["metric"]: to_alert(row) for row in reversed(rows)}


def open_of_gate(tx: Tx, deployment: str, set_name: str) -> Alert | None:
    """Return the pending or firing alert of the severity gate of the set."""
    return open_by_key(tx, f"{deployment}/{SEVERITY_GATE}/{set_name}")


def open_of_series(tx: Tx, deployment: str) -> dict[Series, Alert]:
    """Return the pending or firing alert of each production series that has one."""
    rows = tx.query("open_alerts_of_series", deployment=deployment)
    return {Series(row["series"]): to_alert(row) for row in reversed(rows)}


def open_all(tx: Tx, deployment: str | None = None) -> list[Alert]:
    """Return every pending or firing alert, the newest first."""
    return [to_alert(row) for row in tx.query("open_alerts", deployment=deployment)]


def open_group_of(tx: Tx, group_key: str) -> str | None:
    """Return the id of the open group with this key."""
    row = tx.one("open_group_of_key", group_key=group_key)
    return row["group_id"] if row else None


def episodes(tx: Tx, dedup_key: str, since: datetime) -> int:
    """Return how many alerts of the key fired and resolved since a time."""
    row = tx.one("count_episodes", dedup_key=dedup_key, since=since)
    return int(row["episodes"]) if row else 0


def live_groups(tx: Tx, receivers: Sequence[str]) -> list[str]:
    """Return the groups that can need a notification: open ones, and those whose end a receiver does not know."""
    return [row["group_id"] for row in tx.query("live_groups", receivers=list(receivers))]


def of_groups(tx: Tx, group_ids: Sequence[str]) -> list[Alert]:
    """Return the alerts of the groups, the oldest first."""
    return [to_alert(row) for row in tx.query("alerts_of_groups", group_ids=list(group_ids))]


def notifications_of_groups(tx: Tx, group_ids: Sequence[str]) -> list[Notification]:
    """Return every notification of the groups, the oldest plan first."""
    return [to_notification(row) for row in tx.query("notifications_of_groups", group_ids=list(group_ids))]


def newest_of_group(tx: Tx, group_id: str, limit: int) -> list[Notification]:
    """Return the newest notifications of a group, the newest first."""
    return [to_notification(row) for row in tx.query("newest_notifications_of_group", group_id=group_id, limit=limit)]


def newest_delivery(tx: Tx, receiver: str) -> tuple[int, str | None]:
    """Return the number of notifications that the receiver got, and the id of the last one."""
    row = tx.one("newest_delivery", receiver=receiver)
    return (row["delivered"], row["newest"]) if row else (0, None)


def standing(tx: Tx, receiver: str, since: datetime) -> list[Notification]:
    """Return what the receiver got of groups that it knows as firing, or that resolved after `since`. They are in the
    order of their delivery.
    """
    return [to_notification(row) for row in tx.query("standing_notifications", receiver=receiver, since=since)]


def get(tx: Tx, alert_id: str) -> Alert | None:
    row = tx.one("alert_by_id", id=alert_id)
    return to_alert(row) if row else None


def page(  # noqa: PLR0917 - one parameter a filter
    tx: Tx,
    q: PageQuery,
    states: Sequence[str] | None = None,
    metric: str | None = None,
    severity: str | None = None,
    text: str | None = None,
) -> Page[Alert]:
    """Return alerts, the newest episode first; those in one of `states`, about `metric`, of a severity and with a text,
    or all.
    """
    return fetch_page(
        tx,
        "page_alerts",
        q,
        to_alert,
        at="pending_since",
        states=states,
        metric=metric,
        severity=severity,
        text=text,
    )


def insert_notifications(tx: Tx, rows: Sequence[Notification]) -> None:
    """Insert notifications into the outbox."""
    if rows:
        tx.insert("notification", table_of(TABLES["notification"], [_notification_row(row) for row in rows]))


def next_notification(tx: Tx, receiver: str, now: datetime, longest_wait: timedelta) -> Notification | None:
    """Return the oldest queued notification of the receiver that is due.

    A next attempt later than `longest_wait` from now was stored while the clock was ahead: it is due too.
    """
    row = tx.one("next_notification", receiver=receiver, now=now, horizon=now + longest_wait)
    return to_notification(row) if row else None


def make_due(tx: Tx, receiver: str, now: datetime) -> None:
    """Make every queued notification of the receiver due: its settings may have been corrected."""
    tx.execute("make_notifications_due", receiver=receiver, now=now)


def give_up_others(tx: Tx, receivers: Sequence[str], error: str) -> int:
    """Give up the queued notifications of all other receivers. Return their number."""
    return tx.execute("give_up_notifications", receivers=list(receivers), error=error)


def update_notification(tx: Tx, notification: Notification) -> None:
    """Store the result of an attempt, or that the notification was replaced.

    A notification that was replaced during its attempt stays replaced, unless it was delivered.
    """
    changed = tx.execute(
        "update_notification",
        id=notification.id,
        state=notification.state.value,
        attempt=notification.attempt,
        next_attempt_at=notification.next_attempt_at,
        sent_at=notification.sent_at,
        error=notification.error,
        refused=notification.refused,
    )
    if not changed:
        raise NotFound(f"notification {notification.id!r} is unknown; it was never put into the outbox")


def notifications_of(tx: Tx, alert_id: str) -> list[Notification]:
    """Return every notification of the alert, the oldest plan first."""
    return [to_notification(row) for row in tx.query("notifications_of_alert", alert_id=alert_id)]


def page_notifications(tx: Tx, q: PageQuery) -> Page[Notification]:
    return fetch_page(tx, "page_notifications", q, to_notification, at="planned_at")


def undelivered(tx: Tx) -> list[Undelivered]:
    """Return the queued notifications of each receiver that has any, by name of the receiver."""
    return [Undelivered(**row) for row in tx.query("undelivered_notifications")]


def deliveries(tx: Tx) -> list[Delivery]:
    """Return the deliveries to each receiver that ever had a notification, by name of the receiver."""
    return [Delivery(**row) for row in tx.query("receiver_deliveries")]


def _notification_row(item: Notification) -> Row:
    return row_of(item) | {"payload": to_json(item.payload)}


def to_alert(row: Row) -> Alert:
    acceptance = row["acceptance"]
    known = None if acceptance is None else acceptance_from_json(acceptance)
    verdict = None if row["verdict"] is None else AlertVerdict(row["verdict"])
    return Alert(**row | {"state": AlertState(row["state"]), "acceptance": known, "verdict": verdict})


def to_notification(row: Row) -> Notification:
    return Notification(
        **row
        | {
            "reason": NotifyReason(row["reason"]),
            "state": DeliveryState(row["state"]),
            "payload": from_json(row["payload"]),
        }
    )
