"""Production: the traffic of each day, the drift of its inputs, and the interactions themselves."""

from datetime import datetime, timedelta
from functools import partial

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.client import DaemonError
from dashboards.formatting import count, plain
from dashboards.linked_choice import linked_segments, linked_select, show_address
from dashboards.live import begin_page, chosen_days, read_deployment, snapshot_of
from dashboards.panels.empty import show_empty
from dashboards.panels.production.days import show_days
from dashboards.panels.production.drift import show_drift
from dashboards.panels.production.one_call import show_call
from dashboards.panels.production.search import show_search
from dashboards.panels.production.series import show_series
from dashboards.production_days import Today
from dashboards.requests.ahead import read_ahead
from dashboards.requests.production import correction_rates, days_of, series_of
from dashboards.set_status import production_alerts
from dashboards.snapshot import Frame

VIEWS = {"traffic": "Traffic", "drift": "Input drift", "interactions": "Interactions"}


def show() -> None:
    """Draw the page when it is opened and after each selection, without a timer."""
    show_address()
    frame = begin_page("Production")
    name = _choose(frame)
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
        _show(name, view)
    except DaemonError as error:
        st.warning(f"{VIEWS[view]} of {plain(name)} cannot be shown: {plain(str(error))}")


def _choose(frame: Frame) -> str | None:
    """Draw the choice of the deployment. The first one has an alert on its traffic, if any has."""
    alerted = [row.deployment for row in production_alerts(frame)]
    names = sorted((row.name for row in frame.deployments), key=lambda name: name not in alerted)
    if not names:
        return None
    name = linked_select(st.columns(2)[0], "Deployment", names, name="deployment")
    keep_in_address(deployment=name)
    return name


def _show(name: str, view: str) -> None:
    if view == "drift":
        show_drift(name)
    elif view == "traffic":
        _read_ahead(name)
        snapshot, days = snapshot_of(name), days_of(name, chosen_days())
        today = Today.of(days)
        _show_today(today)
        show_days(snapshot, name, days, chosen_days())
        st.subheader("Monitored series", anchor=False)
        show_series(snapshot, name, today)
    elif (id_ := st.query_params.get("interaction")) is not None:
        show_call(id_, _at(st.query_params.get("at")))
    else:
        snapshot, period = snapshot_of(name), chosen_days()
        show_search(snapshot, name, None if period is None else snapshot.now - timedelta(days=period))


def _read_ahead(name: str) -> None:
    read_ahead(
        partial(read_deployment, name),
        partial(days_of, name, chosen_days()),
        partial(series_of, name),
        *(partial(correction_rates, name, by) for by in ("all", "version")),
    )


def _at(text: str | None) -> datetime | None:
    """Return the time in the address; None when it is no time."""
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None


def _show_today(today: Today) -> None:
    """Show the counts of today. The day is not over, so the monitored series do not include it."""
    failed = f", {count(today.failed, 'failed call')}" if today.failed else ""
    st.markdown(
        f"**Today until now:** {count(today.calls, 'call')}, {today.corrected:,} corrected{failed}. "
        "driftd evaluates today after midnight UTC."
    )


show()
