"""The list of alerts: filters in the address, a link for each alert, and the downloads."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dashboards.client import Client
from dashboards.downloads import show_downloads
from dashboards.formatting import about, count, cut, plain
from dashboards.linked_choice import linked_segments, linked_select, linked_text
from dashboards.panels.alerts.alert_view import badges
from dashboards.panels.empty import show_empty
from dashboards.requests import alerts as requests
from dashboards.times import moment
from monitor.api.schema import AlertItem

ALL = "all"
STATES = {"open": "open", "resolved": "resolved", "all": None}
FIELD_WIDTHS = (200, 130, 340)  # pixels; on a phone two fields are next to each other
SEVERITIES = (ALL, "critical", "warning", "info")
FIRST = 25  # alerts that are drawn at first
PAGE = "screens/alerts.py"
SUMMARY_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The filters of the list; None is no filter."""

    state: str | None
    deployment: str | None
    severity: str | None
    text: str | None

    @property
    def any(self) -> bool:
        return (self.deployment, self.severity, self.text) != (None, None, None)


def choose_filters(deployments: Sequence[str]) -> Filters:
    """Draw the filters. Each is a parameter of the address."""
    fields = st.container(horizontal=True, vertical_alignment="bottom")
    chosen = linked_segments(fields, "Status", list(STATES), name="status")
    where, severity, text = (fields.container(width=width) for width in FIELD_WIDTHS)
    deployment = linked_select(where, "Deployment", [ALL, *deployments], name="deployment")
    level = linked_select(severity, "Severity", SEVERITIES, name="severity")
    named = linked_text(text, "Text", name="text", placeholder="rule, set, summary")
    return Filters(
        state=STATES[chosen],
        deployment=None if deployment == ALL else deployment,
        severity=None if level == ALL else level,
        text=named or None,
    )


def show_list(client: Client, filters: Filters) -> None:
    """Draw the alerts, the newest first. Each title is the link of its alert."""
    found = requests.alerts(
        client, filters.state, deployment=filters.deployment, severity=filters.severity, text=filters.text
    )
    if not found:
        _show_none(filters)
        return
    drawn: int = st.session_state.setdefault(_DRAWN, FIRST)
    for alert in found[:drawn]:
        _show_card(alert)
    shown, more, files = st.columns([5, 1, 1], vertical_alignment="center")
    newest = f"the newest {requests.MOST}; narrow the filters for others" if len(found) == requests.MOST else "all"
    shown.caption(f"{min(drawn, len(found)):,} of {count(len(found), 'alert')} ({newest}), the newest first.")
    if len(found) > drawn and more.button("Show more", key="more alerts"):
        st.session_state[_DRAWN] = drawn + FIRST
        st.rerun()
    with files:
        show_downloads("alerts", [alert.model_dump(mode="json") for alert in found])


def show_group(client: Client, alert: AlertItem) -> None:
    """Draw the other open alerts of the deployment, each with its link."""
    others = [row for row in requests.alerts(client, "open", deployment=alert.deployment) if row.id != alert.id]
    if not others:
        st.caption(f"No other alert of {plain(alert.deployment)} is open.")
    for row in others[:FIRST]:
        _show_card(row)


def _show_none(filters: Filters) -> None:
    if filters.any:
        show_empty("No alert matches these filters.", do="Remove a filter, or select another state.")
    elif filters.state == "open":
        st.success("No alert is open.", icon=":material/check_circle:")
    else:
        show_empty("No alert yet.", do="An alert opens when a rule fires. The view *Rules* lists them.")


def _show_card(alert: AlertItem) -> None:
    with st.container(border=True, gap="small"):
        st.page_link(
            PAGE,
            label=f"**{plain(alert.rule)}** · {plain(alert.deployment)} · {plain(about(alert))}",
            icon=":material/notifications:",
            query_params={"alert": alert.id},
        )
        st.markdown(f"{badges(alert)} &nbsp; :gray[{_times(alert)}]")
        st.markdown(plain(cut(alert.summary, SUMMARY_CHARS)))


def _times(alert: AlertItem) -> str:
    began = moment(alert.fired_at or alert.pending_since)
    return f"since {began}" if alert.resolved_at is None else f"{began} to {moment(alert.resolved_at)}"


_DRAWN = "alerts drawn"
