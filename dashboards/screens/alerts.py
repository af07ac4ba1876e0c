"""Alerts: what fires, and for each alert its evidence, its causes, its notifications and what a person can do."""

import streamlit as st

from dashboards.actions import order, show_news
from dashboards.client import Client, DaemonError
from dashboards.formatting import plain
from dashboards.linked_choice import linked_segments, show_address
from dashboards.live import connection_now
from dashboards.panels.alerts.alert_actions import OPERATE, show_missing_roles
from dashboards.panels.alerts.alert_list import choose_filters, show_list
from dashboards.panels.alerts.alert_view import show_rules
from dashboards.panels.alerts.one_alert import show_one
from dashboards.panels.alerts.operator import operator
from dashboards.panels.alerts.silences import show_silences
from dashboards.requests import alerts as requests
from dashboards.times import zone_name
from monitor.api.schema import CallerItem, DeploymentItem

PAGE = "screens/alerts.py"
VIEWS = ("alerts", "silences", "rules")
MOST_DEPLOYMENTS = 500
LINKS = ("alert", "silence", "acknowledge")  # parameters of the links in messages


def show() -> None:
    """Draw the page when it is opened and after each action, without a timer: a timer would discard typed text."""
    show_address()
    linked = next((name for name in LINKS if name in st.query_params), None)
    st.title("Alert" if linked else "Alerts", anchor=False)
    try:
        with connection_now().open() as client:
            _show_page(client, linked)
    except DaemonError as error:
        st.error(f"**The alerts cannot be shown.** {plain(str(error))}", icon=":material/cloud_off:")
        st.page_link(PAGE, label="All alerts", icon=":material/arrow_back:")


def _show_page(client: Client, linked: str | None) -> None:
    if "runbook" in st.query_params:
        _show_runbook(client, st.query_params["runbook"])
        return
    who = client.sender()
    st.caption(f"`{connection_now().url}` · times in {zone_name()}")
    if linked is not None:
        st.page_link(PAGE, label="All alerts", icon=":material/arrow_back:")
    show_missing_roles(who)
    show_news()
    if linked is not None:
        show_one(client, st.query_params[linked], who, asked=linked)
    else:
        _show_view(client, who)


def _show_view(client: Client, who: CallerItem) -> None:
    view = linked_segments(st.container(), "View", VIEWS, name="view", visible=False)
    if view == "silences":
        show_silences(client, operator(), send=order, allowed=OPERATE in who.roles)
    elif view == "rules":
        show_rules(requests.rules(client))
    else:
        names = [row.name for row in client.items("deployments", DeploymentItem, most=MOST_DEPLOYMENTS)]
        show_list(client, choose_filters(names))


def _show_runbook(client: Client, rule: str) -> None:
    st.page_link(PAGE, label="All alerts", icon=":material/arrow_back:")
    page = requests.runbook(client, rule)
    st.markdown(page.text)


show()
