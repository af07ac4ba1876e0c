"""Small multiples: each failure category, and each category of cases, over time with intervals."""

from itertools import accumulate, pairwise

import streamlit as st

from dashboards.charts.draw import draw_chart
from dashboards.charts.rates import RatePoint, rate_chart, with_intervals
from dashboards.charts.trends import TrendPoint, trend_chart
from dashboards.failure_shares import categories_of, trend_of_category
from dashboards.formatting import percent, plain
from dashboards.panels.case_links import show_cases_link
from dashboards.panels.failures.view import View, version_of
from dashboards.panels.grid import grid
from dashboards.panels.legend import show_legend
from dashboards.panels.moved import category_order
from dashboards.set_status import happened_at
from monitor.api.schema import RunItem

MOST_SHOWN = 12
HEIGHT = 200


def show_failure_categories(view: View) -> None:
    """Draw the share of each failure category in each run, with its 95 % interval."""
    categories = categories_of(view.shares)
    if not categories:
        return
    st.subheader("Each failure category", anchor=False)
    trends = {name: trend_of_category(name, view.shares, view.axis) for name in categories[:MOST_SHOWN]}
    everything = [point for points in trends.values() for point in points]
    for column, (name, points) in zip(grid(len(trends)), trends.items(), strict=False):
        with column:
            st.markdown(f"**{plain(name)}** :gray[{_now(points)}]")
            chart = trend_chart(
                points,
                view.markers,
                view.versions,
                view.axis.x(4, title=False),
                title="share of scored cases",
                height=HEIGHT,
                legend=False,
                around=everything,
            )
            draw_chart(chart, key=f"failure category {name}")
            show_cases_link("Cases of the newest run", view.status.deployment, view.status.set_name, failure=name)
    show_legend(view.versions)
    if len(categories) > MOST_SHOWN:
        st.caption(f"The {MOST_SHOWN} most frequent of {len(categories)} failure categories; the download has all.")


def show_pass_rates(view: View) -> None:
    """Draw the pass rate of all cases, and of each category of cases, coloured by the version that answered."""
    st.subheader("Pass rate by category and version", anchor=False)
    overall = [_point(view, run, segment, run.passed, run.scored) for run, segment in _segments(view.runs)]
    st.markdown("**All categories**")
    draw_chart(
        rate_chart(overall, view.markers, view.versions, view.axis.x(8), height=280, legend=False), key="pass rates"
    )
    show_legend(view.versions)
    st.caption("Each dot is one run with its own 95 % interval, coloured by the version that answered.")
    names = category_order(view.status, view.runs)
    points = {name: _points_of(view, name) for name in names}
    around = with_intervals([point for name in names for point in points[name]])
    shown = names[:MOST_SHOWN]
    for column, name in zip(grid(len(shown)), shown, strict=False):
        with column:
            st.markdown(f"**{plain(name)}** :gray[{_newest(points[name])}]")
            axis = view.axis.x(4, title=False)
            chart = rate_chart(
                points[name], view.markers, view.versions, axis, height=HEIGHT, legend=False, around=around
            )
            draw_chart(chart, key=f"category {name}")
            show_cases_link("Cases of the category", view.status.deployment, view.status.set_name, category=name)
    if len(names) > len(shown):
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


def _newest(points: list[RatePoint]) -> str:
    last = next((point for point in reversed(points) if point.scored), None)
    return "no data" if last is None else f"now {last.passed} of {last.scored}"


def _now(points: list[TrendPoint]) -> str:
    return f"now {percent(points[-1].value)}" if points else "no data"
