"""Failure modes: what moved, how the failing cases fail over time, the same of other sets and of production, and the
pass rates.
"""

from datetime import timedelta
from functools import partial

import streamlit as st

from dashboards.client import DaemonError
from dashboards.formatting import plain
from dashboards.linked_choice import linked_segments, show_address
from dashboards.live import REFRESH_S, begin_page, chosen_days
from dashboards.panels.choose_set import choose_linked_set
from dashboards.panels.empty import show_empty
from dashboards.panels.failures.emerging import show_emerging
from dashboards.panels.failures.filters import VERDICT, choose_failures
from dashboards.panels.failures.multiples import show_failure_categories, show_pass_rates
from dashboards.panels.failures.over_time import show_over_time
from dashboards.panels.failures.side_by_side import show_side_by_side
from dashboards.panels.failures.view import view_of
from dashboards.panels.moved import show_moved
from dashboards.requests.ahead import read_ahead
from dashboards.requests.failures import correction_days, failure_groups, failures_of_set, metric_names
from dashboards.set_status import SetStatus
from dashboards.snapshot import Snapshot

VIEWS = {"shares": "Failures", "sources": "Sets and production", "rates": "Pass rates"}


@st.fragment(run_every=REFRESH_S)
def show() -> None:
    show_address()
    chosen = choose_linked_set(begin_page("Failure modes"))
    if chosen is None:
        show_empty(
            "No data yet: no deployment with an eval set is configured.",
            do="Add a deployment and a set to the configuration, then start the daemon again.",
            command="driftd check",
        )
        return
    snapshot, status = chosen
    show_moved(snapshot, status)
    if not status.scored_runs:
        show_empty(
            f"No data yet: no run of {plain(status.set_name)} was scored in this period.",
            do="Choose a longer period, or start a replay.",
            command=f"driftd replay run {status.deployment} {status.set_name}",
        )
    else:
        _show_failures(snapshot, status)
    show_emerging(status.deployment)


def _show_failures(snapshot: Snapshot, status: SetStatus) -> None:
    view = linked_segments(  # only the chosen view is drawn, because every chart takes time
        st.container(), "View", list(VIEWS), name="view", format_func=lambda one: VIEWS[one], visible=False
    )
    if view == "rates":
        show_pass_rates(view_of(snapshot, status, []))
        return
    days = chosen_days()
    since = None if days is None else snapshot.now - timedelta(days=days)
    linked = st.query_params.get("metric")
    metric = None if linked == VERDICT else linked
    sources = [partial(correction_days, status.deployment, days)] if view == "sources" else []
    read_ahead(
        partial(metric_names, status.deployment, status.set_name),
        partial(failures_of_set, status.deployment, status.set_name, metric=metric, since=since),
        *sources,
        partial(failure_groups, status.deployment),
    )
    try:
        filtered = choose_failures(status.deployment, status.set_name, since)
    except DaemonError as error:
        st.warning(f"The failure categories of {plain(status.set_name)} cannot be shown: {plain(str(error))}")
        return
    if view == "sources":
        show_side_by_side(snapshot, status, filtered, since=since, days=days)
        return
    shown = view_of(snapshot, status, filtered.shares)
    show_over_time(shown)
    show_failure_categories(shown)


show()
