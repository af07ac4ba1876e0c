"""Small multiples: each failure category, and each category of cases, over time with intervals."""

from itertools import accumulate, pairwise

import streamlit as st

from dashboards.charts.draw import draw_chart
from dashboards.charts.rates import RatePoint, rate_chart, with_intervals
from dashboards.charts.strips import strip_chart
from dashboards.failure_shares import categories_of, trend_of_category
from dashboards.panels.case_links import show_cases_link
from dashboards.panels.failures.view import View, version_of
from dashboards.panels.legend import show_changes_of_chart, show_legend
from dashboards.panels.moved import category_order
from dashboards.set_status import happened_at
from monitor.api.schema import RunItem

MOST_SHOWN = 12
LABELS = 8  # on the axis of time


def show_failure_categories(view: View) -> None:
    """Draw the share of each failure category in each run, with its 95 % interval."""
    categories = categories_of(view.shares)
    if not categories:
        return
    st.subheader("Each failure category", anchor=False)
    trends = {name: trend_of_category(name, view.shares, view.axis) for name in categories[:MOST_SHOWN]}
    chart = strip_chart(trends, view.markers, view.versions, view.axis.x(LABELS), title="share of scored cases")
    draw_chart(chart, key="failure categories")
    show_legend(view.versions)
    st.caption("Each dot is one run with its own 95 % interval, coloured by the version that answered.")
    with st.container(horizontal=True):
        st.markdown("Cases of the newest run:")
        for name in trends:
            show_cases_link(name, view.status.deployment, view.status.set_name, failure=name)
    if len(categories) > MOST_SHOWN:
        st.caption(f"The {MOST_SHOWN} most frequent of {len(categories)} failure categories; the download has all.")


def show_pass_rates(view: View) -> None:
    """Draw the pass rate of all cases, and of each category of cases, coloured by the version that answered."""
    st.subheader("Pass rate by category and version", anchor=False)
    overall = [_point(view, run, segment, run.passed, run.scored) for run, segment in _segments(view.runs)]
    st.markdown("**All categories**")
    draw_chart(
        rate_chart(overall, view.markers, view.versions, view.axis.x(LABELS), height=280, legend=False),
        key="pass rates",
    )
    show_legend(view.versions)
    show_changes_of_chart(view.snapshot, view.changes)
    st.caption("Each dot is one run with its own 95 % interval, coloured by the version that answered.")
    names = category_order(view.status, view.runs)
    points = {name: with_intervals(_points_of(view, name)) for name in names[:MOST_SHOWN]}
    drawn = {name: found for name, found in points.items() if found}
    if not drawn:
        return
    st.markdown("**Each category, the largest fall first**")
    chart = strip_chart(drawn, view.markers, view.versions, view.axis.x(LABELS), title="pass rate")
    draw_chart(chart, key="categories")
    with st.container(horizontal=True):
        st.markdown("Cases of the category:")
        for name in drawn:
            show_cases_link(name, view.status.deployment, view.status.set_name, category=name)
    if len(names) > MOST_SHOWN:
        st.caption(f"The {MOST_SHOWN} categories that moved most, of {len(names)}; the table above lists all.")


def _points_of(view: View, name: str) -> list[RatePoint]:
    return [
        _point(view, run, segment, row.passed, row.scored)
        for run, segment in _segments(view.runs)
        for row in run.categories
        if row.category == name
    ]


def _segments(runs: list[RunItem]) -> list[tuple[RunItem, int]]:
    """Return each run with a number that increases with every change of version: a rollback starts a new line."""
    changed = (int(before.version != after.version) for before, after in pairwise(runs))
    return list(zip(runs, accumulate(changed, initial=0), strict=False))


def _point(view: View, run: RunItem, segment: int, passed: int, scored: int) -> RatePoint:
    return RatePoint(
        at=happened_at(run),
        order=view.axis.place(happened_at(run)),
        series=version_of(run),
        line=str(segment),
        label=version_of(run),
        passed=passed,
        scored=scored,
    )
