"""Production: the traffic of each day, the drift of its inputs, and the interactions themselves."""

from datetime import datetime, timedelta

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.client import DaemonError
from dashboards.formatting import count, plain
from dashboards.linked_choice import linked_segments, linked_select, show_address
from dashboards.live import begin_page, chosen_days
from dashboards.panels.empty import show_empty
from dashboards.panels.production.days import show_days
from dashboards.panels.production.drift import show_drift
from dashboards.panels.production.one_call import show_call
from dashboards.panels.production.search import show_search
from dashboards.panels.production.series import show_series
from dashboards.requests.production import days_of
from dashboards.set_status import production_alerts
from dashboards.snapshot import Snapshot

VIEWS = {"traffic": "Traffic", "drift": "Input drift", "interactions": "Interactions"}


def show() -> None:
    """Draw the page when it is opened and after each selection, without a timer."""
    show_address()
    snapshot = begin_page("Production")
    name = _choose(snapshot)
    if name is None:
        show_empty(
            "No data yet. No deployment is configured.",
            do="Add a deployment to the configuration, then start the daemon again.",
            command="driftd check",
        )
        return
    view = linked_segments(
        st.container(), "View", list(VIEWS), name="view", format_func=lambda one: VIEWS[one], visible=False
    )
    try:
        _show(snapshot, name, view)
    except DaemonError as error:
        st.warning(f"{VIEWS[view]} of {plain(name)} cannot be shown: {plain(str(error))}")


def _choose(snapshot: Snapshot) -> str | None:
    """Draw the choice of the deployment. The first one has an alert on its traffic, if any has."""
    alerted = [row.deployment for row in production_alerts(snapshot)]
    names = sorted((row.name for row in snapshot.deployments), key=lambda name: name not in alerted)
    if not names:
        return None
    name = linked_select(st.columns(2)[0], "Deployment", names, name="deployment")
    keep_in_address(deployment=name)
    return name


def _show(snapshot: Snapshot, name: str, view: str) -> None:
    if view == "drift":
        show_drift(name)
    elif view == "traffic":
        _show_today(snapshot, name)
        show_days(snapshot, name, days_of(name, chosen_days()), chosen_days())
        st.subheader("Monitored series", anchor=False)
        show_series(snapshot, name)
    elif (id_ := st.query_params.get("interaction")) is not None:
        show_call(id_, _at(st.query_params.get("at")))
    else:
        days = chosen_days()
        show_search(snapshot, name, None if days is None else snapshot.now - timedelta(days=days))


def _at(text: str | None) -> datetime | None:
    """Return the time in the address; None when it is no time."""
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None


def _show_today(snapshot: Snapshot, name: str) -> None:
    """Show the counts of today. The day is not over, so the monitored series do not include it."""
    today = next((row.today for row in snapshot.deployments if row.name == name), None)
    if today is None:
        return
    failed = f", {count(today.failed, 'failed call')}" if today.failed else ""
    st.markdown(
        f"**Today until now:** {count(today.calls, 'call')}, {count(today.corrections, 'correction')}{failed}. "
        "driftd evaluates today after midnight UTC."
    )


show()
