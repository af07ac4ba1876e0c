"""The page of one alert, part by part. A part that fails leaves the others complete."""

import streamlit as st

from dashboards.actions import order
from dashboards.client import Client
from dashboards.formatting import plain
from dashboards.panels.alerts.alert_actions import OPERATE, show_actions
from dashboards.panels.alerts.alert_list import show_group
from dashboards.panels.alerts.alert_view import show_alert, show_history, show_message
from dashboards.panels.alerts.evidence_nights import show_nights
from dashboards.panels.alerts.notifications import show_notifications
from dashboards.panels.alerts.operator import operator
from dashboards.panels.alerts.part import part
from dashboards.panels.alerts.silences import show_silence_form
from dashboards.panels.alerts.version_diff import show_diff
from dashboards.panels.compare_link import show_compare_link
from dashboards.panels.evidence import show_evidence
from dashboards.panels.production_link import show_production_link
from dashboards.requests import alerts as requests
from monitor.api.schema import AlertItem, CallerItem

NAME_PX = 300  # width of the field for the name of the person who acts


def show_one(client: Client, alert_id: str, who: CallerItem, *, asked: str) -> None:
    """Draw the alert. `asked` is the parameter of the link: with `silence`, the form of a silence is open."""
    alert = client.alert(alert_id)
    with st.container(border=True):
        show_alert(alert)
        with st.container(width=NAME_PX):
            user = operator()
        show_actions(client, alert, who, user)
    if asked == "silence" and alert.state != "resolved" and OPERATE in who.roles:
        with st.container(border=True):
            st.markdown("**Silence this alert**")
            show_silence_form(client, alert, user, send=order, place="page")
    with part("Evidence over the nights"):
        show_nights(alert, requests.evidence(client, alert.id))
    with part("What changed"):
        show_diff(requests.diff(client, alert.id))
    with part("Result of the newest night"):
        _show_finding(client, alert)
    with part("Message"), st.expander("The newest message about this alert"):
        show_message(requests.message(client, alert.id))
    with part("Notifications"):
        show_notifications(alert, requests.notifications(client, alert.id))
    with part("History"):
        show_history(requests.history(client, alert.id))
    with part("Runbook"), st.expander(f"What to do when {plain(alert.rule)} fires"):
        st.markdown(requests.runbook(client, alert.rule).text)
    with part(f"Other open alerts of {plain(alert.deployment)}"):
        show_group(client, alert)


def _show_finding(client: Client, alert: AlertItem) -> None:
    """Show the newest finding about the alert, with the links to its cases."""
    if alert.source is not None:
        st.caption("The alert is about a source: its summary has the reason.")
        return
    found = client.finding(alert.last_finding_id)
    reason = "the summary above is its reason" if found.reason == alert.summary else plain(found.reason)
    st.markdown(f"**{found.verdict}**: {reason}")
    show_compare_link(found)
    if alert.series is not None:
        show_production_link(alert)
    if found.evidence is not None:
        show_evidence(found.evidence)
