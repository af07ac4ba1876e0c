"""The open alerts, or their absence: is anything regressing, since when, and after which change?"""

from collections.abc import Sequence
from datetime import timedelta

import streamlit as st

from dashboards.formatting import about, ago, count, cut, plain
from dashboards.markers import describe_change
from dashboards.palette import STATE_ICON
from dashboards.panels.production_link import show_production_link
from dashboards.set_status import SetStatus, State, blamed_change, production_alerts, source_alerts, worst
from dashboards.snapshot import Snapshot
from dashboards.times import moment
from monitor.api.schema import AlertItem

MOST_SUMMARY = 240  # characters
SIDE_BY_SIDE = 2
STALE = timedelta(days=2)  # an older verdict is not shown as healthy


def show_answer(snapshot: Snapshot, deployment: str, statuses: list[SetStatus]) -> None:
    """Show one callout per open alert of the deployment; without an alert, one that summarizes the verdicts."""
    alerted = [row for row in statuses if row.alert is not None]
    of_sets = [row.alert for row in sorted(alerted, key=lambda row: row.state is not State.REGRESSION) if row.alert]
    production = production_alerts(snapshot, deployment)
    sources = [alert for alert in source_alerts(snapshot) if alert.deployment == deployment]
    _show_alerts(snapshot, [*of_sets, *production, *sources])
    _show_without_verdict([row for row in statuses if row.state in {State.FAILED, State.INSUFFICIENT}])
    if not alerted and not sources and all(alert.severity == "info" for alert in production):
        _show_without_alerts(snapshot, statuses)


def _show_alerts(snapshot: Snapshot, alerts: Sequence[AlertItem]) -> None:
    """Show two callouts next to each other; on a phone they are below each other."""
    for start in range(0, len(alerts), SIDE_BY_SIDE):
        pair = alerts[start : start + SIDE_BY_SIDE]
        for column, alert in zip(st.columns(len(pair)), pair, strict=True):
            with column:
                show_alert(snapshot, alert)


def show_alert(snapshot: Snapshot, alert: AlertItem) -> None:
    """Show an open alert with a link to its page."""
    began = alert.fired_at or alert.pending_since
    headline = (
        f"**{plain(alert.deployment)} · {plain(about(alert))}** {_state_phrase(alert)} "
        f"since {moment(began)} ({ago(began, snapshot.now)}){_after(snapshot, alert)}."
    )
    text = "  \n".join([headline, plain(_first_clause(alert.summary)), _notification_status(snapshot, alert)])
    if alert.severity == "info":
        st.info(text, icon=":material/travel_explore:")
    elif alert.state == "firing" and alert.source is not None:
        st.warning(text, icon=STATE_ICON[State.FAILED])
    elif alert.state == "firing":
        st.error(text, icon=STATE_ICON[State.REGRESSION])
    else:
        st.warning(text, icon=STATE_ICON[State.PENDING])
    _show_links(alert)


def _first_clause(summary: str) -> str:
    """Return what moved overall. The page of the alert and the cards of the sets have the categories."""
    return cut(summary.partition("; ")[0], MOST_SUMMARY)


def _show_links(alert: AlertItem) -> None:
    with st.container(horizontal=True):
        st.page_link(
            "screens/alerts.py",
            label="Open this alert",
            icon=":material/notifications_active:",
            query_params={"alert": alert.id},
        )
        if alert.series is not None:
            show_production_link(alert)


_STATE_PHRASE = {"firing": "is regressing", "pending": "is worse (alert pending)"}
_DRIFT = {"firing": "has drifted", "pending": "has drifted (alert pending)"}
_SOURCE = {"firing": "needs attention", "pending": "needs attention (alert pending)"}


def _state_phrase(alert: AlertItem) -> str:
    if alert.source is not None:
        return _SOURCE[alert.state]
    return (_DRIFT if alert.series == "traffic" else _STATE_PHRASE)[alert.state]


def _after(snapshot: Snapshot, alert: AlertItem) -> str:
    """Return the change before the alert; empty for production traffic and for sources."""
    if alert.set_name is None:
        return ""
    change = blamed_change(alert, snapshot.changes)
    if change is not None:
        step = plain(describe_change(snapshot, change))
        return f", after the {change.kind} change **{step}**, {change.how} {moment(change.at)}"
    if alert.from_version is not None and alert.from_version != alert.to_version:
        return f", after **{_label(alert.from_version_label)} → {_label(alert.to_version_label)}**"
    return f", without a known change of version (**{_label(alert.to_version_label)}**)"


def _label(label: str | None) -> str:
    return plain(label or "an unknown version")


def _notification_status(snapshot: Snapshot, alert: AlertItem) -> str:
    mine = [row for row in snapshot.notifications if row.group_id == alert.group_id]
    if not mine:
        return f"Severity {alert.severity}. No notification in this period."
    sent = sorted({row.receiver for row in mine if row.status == "sent"})
    undelivered = sorted({row.receiver for row in mine if row.status in {"queued", "failed"} and row.error is not None})
    parts = [f"Severity {alert.severity}."]
    parts += [f"Notified: {plain(', '.join(sent))}."] if sent else []
    parts += [f"**Not delivered yet: {plain(', '.join(undelivered))}; driftd retries.**"] if undelivered else []
    return " ".join(parts) if sent or undelivered else f"Severity {alert.severity}. The notification is queued."


def _show_without_verdict(statuses: list[SetStatus]) -> None:
    for row in statuses:
        reason = row.finding.reason if row.finding is not None else "no reason recorded"
        what = "could not be replayed" if row.state is State.FAILED else "has no verdict"
        st.warning(
            f"**{plain(row.deployment)} · {plain(row.set_name)}** {what}: {plain(reason)}", icon=STATE_ICON[row.state]
        )


def _show_without_alerts(snapshot: Snapshot, statuses: list[SetStatus]) -> None:
    state = worst(statuses)
    if not any(row.finding for row in statuses):
        st.info(
            "**No verdict yet.** No run was compared in this period. Calls may arrive already: a verdict needs two "
            "complete replays of a set.",
            icon=STATE_ICON[State.NO_DATA],
        )
        return
    newest = max(row.finding.at for row in statuses if row.finding is not None)
    unknown = [row for row in statuses if row.finding is None]
    last = f"Last comparison {ago(newest, snapshot.now)}, {moment(newest)}."
    gap = f" {count(len(unknown), 'set')} without a comparison." if unknown else ""
    if state in {State.FAILED, State.INSUFFICIENT}:
        st.info(f"**No alert is open**, but some sets have no verdict. {last}{gap}", icon=STATE_ICON[state])
    elif state is State.REGRESSION:
        st.warning(f"**No alert is open**, but a set is below its baseline. {last}{gap}", icon=STATE_ICON[state])
    elif snapshot.now - newest > STALE:
        st.info(f"**No regression when last measured, which is long ago.** {last}{gap}", icon=":material/history:")
    else:
        st.success(f"**No regression.** {last}{gap}", icon=STATE_ICON[State.OK])
