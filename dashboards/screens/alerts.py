"""Alerts: what fires, its message and history, and what a person on call can do about it."""

import streamlit as st

from dashboards import alert_requests as requests
from dashboards.client import Client, DaemonError
from dashboards.formatting import count, plain
from dashboards.live import connection_now
from dashboards.panels.alert_actions import OPERATE, may, show_actions, show_news, show_silences
from dashboards.panels.alert_view import badges, show_alert, show_evidence, show_rules
from dashboards.times import zone_name
from monitor.api.schema import AlertItem


def show() -> None:
    """Draw the page when it is opened and after each action, without a timer: a timer would discard typed text."""
    st.title("Alerts", anchor=False)
    try:
        with connection_now().open() as client:
            _show_page(client)
    except DaemonError as error:
        st.error(f"**The alerts cannot be shown.** {plain(str(error))}", icon=":material/cloud_off:")


def _show_page(client: Client) -> None:
    rule = st.query_params.get("runbook")
    if rule is not None:
        _show_runbook(client, rule)
        return
    open_alerts, who = requests.alerts(client, "open"), client.sender()
    head, name = st.columns([4, 1], vertical_alignment="bottom")
    head.caption(f"`{connection_now().url}` · {count(len(open_alerts), 'open alert')} · times in {zone_name()}")
    user = name.text_input("Your name", key="operator", placeholder="stored with each action", max_chars=100) or None
    may(who, OPERATE)
    show_news()
    linked = next((st.query_params[key] for key in ("alert", "silence", "acknowledge") if key in st.query_params), None)
    current, past, silences, rules = st.tabs(["Open", "Past alerts", "Silences", "Rules"])
    with current:
        if linked is not None:
            _show_one(client, linked, user)
            st.divider()
        if not open_alerts:
            st.success("No alert is open.", icon=":material/check_circle:")
        for alert in open_alerts:
            if alert.id != linked:
                _show_row(alert)
    with past:
        resolved = requests.alerts(client, "resolved")
        if not resolved:
            st.caption("No alert has resolved yet.")
        for alert in resolved:
            _show_row(alert)
    with silences:
        show_silences(client, user)
    with rules:
        show_rules(requests.rules(client))


def _show_row(alert: AlertItem) -> None:
    text, button = st.columns([6, 1], vertical_alignment="center")
    text.markdown(f"{badges(alert)} **{plain(alert.rule)}** · {plain(alert.deployment)}  \n{plain(alert.summary)}")
    if button.button("Details", key=f"open {alert.id}"):
        st.query_params.from_dict({"alert": alert.id})
        st.rerun()


def _show_one(client: Client, alert_id: str, user: str | None) -> None:
    alert = client.alert(alert_id)
    with st.container(border=True):
        show_alert(alert)
        show_actions(client, alert, user)
        show_evidence(alert, requests.message(client, alert_id), requests.history(client, alert_id))


def _show_runbook(client: Client, rule: str) -> None:
    if st.button("Back to the alerts", icon=":material/arrow_back:"):
        st.query_params.clear()
        st.rerun()
    page = requests.runbook(client, rule)
    st.markdown(page.text)


show()
