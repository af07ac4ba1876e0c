"""Shares of the failure categories of a set over time, and what was clicked."""

from typing import Any

import streamlit as st

from dashboards.charts.draw import draw_chart
from dashboards.charts.share_areas import CHOSEN, share_areas
from dashboards.downloads import show_downloads
from dashboards.failure_shares import UNKNOWN, Shares, categories_of, steps_of
from dashboards.formatting import count, percent, plain
from dashboards.intervals import rate_interval
from dashboards.palette import assign
from dashboards.panels.case_links import show_cases_link
from dashboards.panels.failures.view import View
from dashboards.panels.legend import show_changes_of_chart, show_legend


def show_over_time(view: View) -> None:
    """Draw the stacked areas of the chosen set. A click on an area shows its run and its cases."""
    st.subheader("Shares of failures over time", anchor=False)
    categories = categories_of(view.shares)
    if not categories:
        st.caption(f"No case failed in {count(len(view.shares), 'run')}.")
        return
    colours = assign(categories, grey=(UNKNOWN,))
    chart = share_areas(
        steps_of(view.shares, view.axis),
        view.markers,
        colours,
        view.axis.x(8),
        title="share of scored cases",
        height=320,
    )
    picked = draw_chart(chart, on_select="rerun", key=f"failures of {view.status.set_name}")
    show_legend(colours)
    show_changes_of_chart(view.snapshot, view.changes)
    st.caption(
        "Each step begins at a run and is held until the next one. Its height is the share of the scored cases that "
        "failed in this way. Runs are at their times; runs within minutes are drawn a little apart. Click a step for "
        "its run."
    )
    _show_picked(view, picked)
    show_downloads(f"failures-{view.status.set_name}", rows_of(view.shares))


def rows_of(shares: list[Shares]) -> list[dict[str, Any]]:
    """Return one row for each run and failure category."""
    return [
        {
            "time": row.at,
            "run": row.key,
            "version": row.version,
            "failure_category": name,
            "failed": failed,
            "scored": row.of,
            "share": failed / row.of,
        }
        for row in shares
        for name, failed in row.counts.items()
    ]


def _show_picked(view: View, picked: Any) -> None:
    points = picked.selection.get(CHOSEN) or []
    for point in points:
        run = next((row for row in view.shares if row.key == point.get("key")), None)
        if run is not None:
            _show_step(view, run, str(point["failure_category"]))


def _show_step(view: View, run: Shares, category: str) -> None:
    failed = run.counts.get(category, 0)
    interval = rate_interval(failed, run.of)
    spread = "" if interval is None else f", 95 % interval {percent(interval.low)} to {percent(interval.high)}"
    with st.container(border=True):
        st.markdown(
            f"**{plain(category)}** in the run of {run.when}, {plain(run.version)}: "
            f"{failed:,} of {count(run.of, 'scored case')} ({percent(failed / run.of)}{spread})."
        )
        show_cases_link(
            f"The {count(failed, 'case')} that failed in this way",
            view.status.deployment,
            view.status.set_name,
            failure=category,
            run=run.key,
        )
