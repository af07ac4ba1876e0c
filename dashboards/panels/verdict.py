"""The answer to the first question: is anything regressing, since when, after which change?"""

import streamlit as st

from dashboards.markers import describe_change
from dashboards.palette import STATE_ICON
from dashboards.panels.production_link import show_production_link
from dashboards.snapshot import Snapshot
from dashboards.standing import SetStanding, State, blamed_change, production_alerts, source_alerts, worst
from dashboards.words import about, ago, count, moment, plain
from monitor.api.schema import AlertItem


def show_answer(snapshot: Snapshot, standings: list[SetStanding]) -> None:
    """One callout an open alert; when there is none, one that says how much is known."""
    alerted = [row for row in standings if row.alert is not None]
    for row in sorted(alerted, key=lambda row: row.state is not State.REGRESSION):
        if row.alert is not None:
            show_alert(snapshot, row.alert)
    production = production_alerts(snapshot)
    for alert in production:
        show_alert(snapshot, alert)
    sources = source_alerts(snapshot)
    for alert in sources:
        show_alert(snapshot, alert)
    _show_unjudged([row for row in standings if row.state in {State.FAILED, State.INSUFFICIENT}])
    if not alerted and not sources and all(alert.severity == "info" for alert in production):
        _show_quiet(snapshot, standings)


def show_alert(snapshot: Snapshot, alert: AlertItem) -> None:
    began = alert.fired_at or alert.pending_since
    headline = (
        f"**{plain(alert.deployment)} · {plain(about(alert))}** {_word(alert)} "
        f"since {moment(began)} ({ago(began, snapshot.now)}){_after(snapshot, alert)}."
    )
    text = "\n\n".join([headline, *_accepted(alert), plain(alert.summary), _told(snapshot, alert)])
    if alert.state != "resolved" and alert.severity == "info":
        st.info(text, icon=":material/travel_explore:")
    elif alert.state == "firing" and alert.source is not None:
        st.warning(text, icon=STATE_ICON[State.FAILED])
    elif alert.state == "firing":
        st.error(text, icon=STATE_ICON[State.REGRESSION])
    elif alert.state == "pending":
        st.warning(text, icon=STATE_ICON[State.PENDING])
    elif alert.acceptance is not None:
        st.info(text, icon=":material/task_alt:")
    else:
        st.info(text, icon=STATE_ICON[State.OK])
    if alert.series is not None:
        show_production_link(alert.deployment)


def _accepted(alert: AlertItem) -> list[str]:
    """Who accepted it, when and why."""
    seen = alert.acceptance
    return [] if seen is None else [f"Accepted by **{plain(seen.by)}**, {moment(seen.at)}: {plain(seen.reason)}."]


_WORD = {
    "firing": "is regressing",
    "pending": "is worse, not yet paged,",
    "resolved": "is well again; it had been worse",
}
_DRIFT = {"firing": "has drifted", "pending": "has drifted, pending,", "resolved": "had drifted"}


_SOURCE = {"firing": "needs attention", "pending": "needs attention, not yet sent,", "resolved": "works again"}


def _word(alert: AlertItem) -> str:
    if alert.source is not None:
        return _SOURCE[alert.state]
    if alert.acceptance is not None:
        return "was accepted as the new normal and is not back to what it was; it had been worse"
    return (_DRIFT if alert.series == "traffic" else _WORD)[alert.state]


def _after(snapshot: Snapshot, alert: AlertItem) -> str:
    """The change that is blamed; production traffic, sources and replays blame none."""
    if alert.set_name is None:
        return ""
    change = blamed_change(alert, snapshot.changes)
    if change is not None:
        step = plain(describe_change(snapshot, change))
        return f", after the {change.kind} change **{step}**, {change.how} {moment(change.at)}"
    if alert.from_version is not None and alert.from_version != alert.to_version:
        return f", after **{_label(alert.from_version_label)} → {_label(alert.to_version_label)}**"
    return f", without a known change of **{_label(alert.to_version_label)}**"


def _label(label: str | None) -> str:
    return plain(label or "an unknown version")


def _told(snapshot: Snapshot, alert: AlertItem) -> str:
    mine = [row for row in snapshot.notifications if row.alert_id == alert.id]
    if not mine:
        return f"Severity {alert.severity}. No notification of it in this period."
    sent = sorted({row.receiver for row in mine if row.status == "sent"})
    lost = sorted({row.receiver for row in mine if row.status in {"queued", "failed"} and row.error is not None})
    parts = [f"Severity {alert.severity}."]
    parts += [f"Notified: {plain(', '.join(sent))}."] if sent else []
    parts += [f"**Not delivered yet: {plain(', '.join(lost))}; driftd keeps trying.**"] if lost else []
    return " ".join(parts) if sent or lost else f"Severity {alert.severity}. Its notification is on its way."


def _show_unjudged(standings: list[SetStanding]) -> None:
    for row in standings:
        reason = row.finding.reason if row.finding is not None else "no reason is given"
        what = "could not be replayed" if row.state is State.FAILED else "could not be judged"
        st.warning(
            f"**{plain(row.deployment)} · {plain(row.set_name)}** {what}: {plain(reason)}", icon=STATE_ICON[row.state]
        )


def _show_quiet(snapshot: Snapshot, standings: list[SetStanding]) -> None:
    state = worst(standings)
    if not any(row.finding for row in standings):
        st.info(
            "**No data yet.** No run was compared in this period.",
            icon=STATE_ICON[State.NO_DATA],
        )
        return
    newest = max(row.finding.at for row in standings if row.finding is not None)
    unknown = [row for row in standings if row.finding is None]
    looked = f"Last comparison {ago(newest, snapshot.now)}, {moment(newest)}."
    gap = f" Nothing is known yet of {count(len(unknown), 'set')}." if unknown else ""
    if state in {State.FAILED, State.INSUFFICIENT}:
        st.info(f"**No alert is open**, but some sets have no verdict. {looked}{gap}", icon=STATE_ICON[state])
    else:
        st.success(f"**No regression.** {looked}{gap}", icon=STATE_ICON[State.OK])
