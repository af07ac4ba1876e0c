"""One alert: its state, its message, its history; and the table of the rules."""

from collections.abc import Sequence

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import NO_DATA, about, percent, plain
from dashboards.times import moment
from monitor.api.schema import AlertEventItem, AlertItem, AlertMessageItem, RuleItem

COLOUR = {"critical": "red", "warning": "orange", "info": "blue"}


def badges(alert: AlertItem) -> str:
    """Return the severity, the state and the marks of an alert as badges."""
    colour = COLOUR.get(alert.severity, "gray") if alert.state != "resolved" else "gray"
    state = "accepted" if alert.acceptance is not None else alert.state
    marks = [
        f":{colour}-badge[{alert.severity}]",
        f":{'green' if alert.state == 'resolved' else colour}-badge[{state}]",
    ]
    if alert.acknowledged_by is not None and alert.state != "resolved":
        marks.append(":violet-badge[acknowledged]")
    if alert.suppressed is not None:
        marks.append(":gray-badge[suppressed]")
    if alert.flapping:
        marks.append(":orange-badge[flapping]")
    if alert.verdict is not None:
        marks.append(f":gray-badge[judged {alert.verdict}]")
    return " ".join(marks)


def show_alert(alert: AlertItem) -> None:
    """Draw the state of an alert, its summary and who did what."""
    st.markdown(f"### {plain(alert.rule)} · {plain(alert.deployment)} · {plain(about(alert))}")
    st.markdown(badges(alert))
    st.markdown(plain(alert.summary))
    for line in _facts(alert):
        st.caption(line)


def show_message(message: AlertMessageItem) -> None:
    """Draw the newest message about an alert."""
    if message.text is None:
        st.caption("No message yet: an alert that is pending or suppressed sends none.")
        return
    planned = "" if message.planned_at is None else f"Newest message, {moment(message.planned_at)}. "
    st.caption(
        f"{planned}It is about all alerts of the group. Receivers with templates of their own send another form."
    )
    st.code(message.text, language=None, wrap_lines=True)


def show_history(events: Sequence[AlertEventItem]) -> None:
    if not events:
        st.caption("No change is recorded. Alerts of earlier releases have no history.")
        return
    rows = [{"at": moment(e.at), "event": e.kind, "who": e.who, "note": e.note or ""} for e in events]
    columns = {"note": st.column_config.TextColumn(width="large")}
    st.dataframe(rows, hide_index=True, column_config=columns, key="history of the alert")
    show_downloads(f"history of {events[0].alert_id}", [each.model_dump(mode="json") for each in events])


def _facts(alert: AlertItem) -> list[str]:
    times = [
        f"pending since {moment(alert.pending_since)}",
        *([f"fired {moment(alert.fired_at)}"] if alert.fired_at else []),
        *([f"clear since {moment(alert.clear_since)}"] if alert.clear_since and alert.state == "firing" else []),
        *([f"resolved {moment(alert.resolved_at)}"] if alert.resolved_at else []),
    ]
    lines = [" · ".join(times)]
    if alert.acceptance is not None:
        accepted = alert.acceptance
        lines.append(
            f"accepted as the new baseline by {plain(accepted.by)} at {moment(accepted.at)}: {plain(accepted.reason)}. "
            "The rate has not recovered."
        )
    if alert.acknowledged_by is not None:
        note = f": {plain(alert.acknowledged_note)}" if alert.acknowledged_note else ""
        lines.append(f"acknowledged by {plain(alert.acknowledged_by)} at {moment(alert.acknowledged_at)}{note}")
    if alert.suppressed is not None:
        lines.append(f"sends no notifications: {plain(alert.suppressed)}")
    if alert.verdict is not None:
        note = f": {plain(alert.verdict_note)}" if alert.verdict_note else ""
        lines.append(f"judged {alert.verdict} by {plain(alert.verdict_by or '')} at {moment(alert.verdict_at)}{note}")
    return lines


def show_rules(rules: Sequence[RuleItem]) -> None:
    """Draw the alerting rules with their settings and how people judged their alerts."""
    st.caption(
        "Precision is the share of judged alerts that were true or expected. It shows which rules are too eager."
    )
    st.dataframe(
        [
            {
                "rule": rule.name,
                "about": rule.area,
                "severity": (rule.severity or "as found") if rule.enabled else "off",
                "fired": rule.fired,
                "true": rule.judged_true,
                "false": rule.judged_false,
                "expected": rule.judged_expected,
                "precision": NO_DATA if rule.precision is None else percent(rule.precision),
                "for": f"{rule.for_s:g} s",
                "keeps firing for": f"{rule.keep_firing_for_s:g} s",
                "receivers": ", ".join(rule.receivers),
                "runbook": rule.runbook_url or "",
                "meaning": rule.summary,
            }
            for rule in rules
        ],
        hide_index=True,
        height=600,
        column_config={
            "runbook": st.column_config.LinkColumn(display_text="open", width="small"),
            "meaning": st.column_config.TextColumn(width="large"),
        },
        key="alerting rules",
    )
    show_downloads("alerting rules", [rule.model_dump(mode="json") for rule in rules])
