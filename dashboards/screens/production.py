"""Production: the traffic of each day, the drift of its inputs, and the interactions themselves."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.client import DaemonError
from dashboards.formatting import about, count, plain
from dashboards.linked_choice import linked_segments, linked_select, show_address
from dashboards.live import begin_page, chosen_days, read_deployment, snapshot_of
from dashboards.palette import STATE_ICON
from dashboards.panels.empty import show_empty
from dashboards.panels.production.days import show_days
from dashboards.panels.production.drift import show_drift
from dashboards.panels.production.one_call import show_call
from dashboards.panels.production.search import show_search
from dashboards.panels.production.series import RATES, show_series
from dashboards.panels.production_link import show_production_link
from dashboards.production_days import Today
from dashboards.requests.ahead import read_ahead
from dashboards.requests.production import correction_rates, days_of, series_of
from dashboards.set_status import State, production_alerts
from dashboards.snapshot import Frame

VIEWS = {"traffic": "Traffic", "series": "Monitored series", "drift": "Input drift", "interactions": "Interactions"}


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
    if view == "traffic":
        _show_alerts(frame, name)
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


def _show_alerts(frame: Frame, name: str) -> None:
    """Show one line for each open alert on production, with a link to what it is about."""
    for row in production_alerts(frame, name):
        icon = STATE_ICON[State.REGRESSION if row.state == "firing" else State.PENDING]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{icon} **Open alert:** {plain(about(row))}, {plain(row.severity)}.", width="content")
            show_production_link(row)


def _show(name: str, view: str) -> None:
    if view == "drift":
        show_drift(name)
    elif view == "series":
        read_ahead(*_of_both(name), partial(series_of, name), *(partial(correction_rates, name, by) for by in RATES))
        show_series(snapshot_of(name), name, Today.of(days_of(name, chosen_days())))
    elif view == "traffic":
        read_ahead(*_of_both(name))
        snapshot, days = snapshot_of(name), days_of(name, chosen_days())
        _show_today(Today.of(days))
        show_days(snapshot, name, days, chosen_days())
    elif (id_ := st.query_params.get("interaction")) is not None:
        show_call(id_, _at(st.query_params.get("at")))
    else:
        snapshot, period = snapshot_of(name), chosen_days()
        show_search(snapshot, name, None if period is None else snapshot.now - timedelta(days=period))


def _of_both(name: str) -> tuple[Callable[[], object], ...]:
    """Return the requests that the traffic and the monitored series share."""
    return partial(read_deployment, name), partial(days_of, name, chosen_days())


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
