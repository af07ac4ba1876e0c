"""Failure modes: the categories that moved, when, and by version; and the failure categories of the failing cases."""

from collections import Counter
from itertools import accumulate, pairwise

import streamlit as st

from dashboards.charts.axes import order_axis
from dashboards.charts.changes import Marker
from dashboards.charts.failures import FailureBar, failure_chart
from dashboards.charts.rates import RatePoint, rate_chart
from dashboards.formatting import count, plain
from dashboards.live import REFRESH_S, begin_page
from dashboards.markers import markers_between
from dashboards.palette import assign
from dashboards.panels.choose_set import choose_linked_set
from dashboards.panels.moved import category_order, show_moved
from dashboards.set_status import SetStatus, happened_at
from dashboards.slots import arrange
from dashboards.times import axis_labels, moment_in_zone
from monitor.api.schema import RunItem

COLUMNS = 3
MOST_CATEGORIES = 12
PASSED = "none"
UNKNOWN = "uncategorised"


@st.fragment(run_every=REFRESH_S)
def show() -> None:
    snapshot = begin_page("Failure modes")
    status = choose_linked_set(snapshot)
    if status is None:
        st.info("**No data yet.** No deployment with an eval set is configured.")
        return
    runs = status.scored_runs[::-1]
    show_moved(snapshot, status)
    if not runs:
        st.info(f"**No data yet.** No run of {plain(status.set_name)} was scored in this period. Choose a longer one.")
        return
    markers = markers_between(snapshot, status.deployment, arrange(runs))
    _show_categories(status, runs, markers)
    _show_failures(runs, markers)


def _show_categories(status: SetStatus, runs: list[RunItem], markers: list[Marker]) -> None:
    versions = assign(list(dict.fromkeys(_version(run) for run in runs)))
    overall = [
        _point(run, order, segment, run.passed, run.scored)
        for order, (run, segment) in enumerate(zip(runs, _segments(runs), strict=True))
    ]
    by_category = {name: _category_points(name, runs) for name in category_order(status, runs)}
    everything = [point for points in by_category.values() for point in points]
    st.subheader("Pass rate by category and version", anchor=False)
    st.caption(
        "Each dot is one run with its own 95 % interval, coloured by the version that answered. "
        "A dashed line is a change. Runs are in order and evenly spaced."
    )
    st.markdown("**All categories**")
    labels = axis_labels([happened_at(run) for run in runs])
    st.altair_chart(rate_chart(overall, markers, versions, order_axis(labels, 12), height=280, legend=True))
    visible = list(by_category)[:MOST_CATEGORIES]
    unlabelled = [Marker(label="", detail=row.detail, share=row.share, order=row.order) for row in markers]
    wide = min(COLUMNS, max(1, len(visible)))
    for start in range(0, len(visible), wide):
        for column, name in zip(st.columns(wide), visible[start : start + wide], strict=False):
            points = by_category[name]
            column.markdown(f"**{plain(name)}** :gray[{_newest(points)}]")
            chart = rate_chart(
                points, unlabelled, versions, order_axis(labels, 4), height=190, legend=False, around=everything
            )
            column.altair_chart(chart, key=f"category {name}")
    if len(by_category) > len(visible):
        st.caption(
            f"The {MOST_CATEGORIES} categories that moved most, of {len(by_category)}; the table above lists all."
        )


def _newest(points: list[RatePoint]) -> str:
    last = next((point for point in reversed(points) if point.scored), None)
    return "no data" if last is None else f"now {last.passed} of {last.scored}"


def _category_points(name: str, runs: list[RunItem]) -> list[RatePoint]:
    return [
        _point(run, order, segment, row.passed, row.scored)
        for order, (run, segment) in enumerate(zip(runs, _segments(runs), strict=True))
        for row in run.categories
        if row.category == name
    ]


def _point(run: RunItem, order: int, segment: int, passed: int, scored: int) -> RatePoint:
    return RatePoint(
        at=happened_at(run),
        order=order,
        series=_version(run),
        line=str(segment),
        label=_version(run),
        passed=passed,
        scored=scored,
    )


def _segments(runs: list[RunItem]) -> list[int]:
    """Return a number for each run. It increases with every change of version, so a rollback starts a new line."""
    changed = (int(before.version != after.version) for before, after in pairwise(runs))
    return list(accumulate(changed, initial=0))[: len(runs)]


def _version(run: RunItem) -> str:
    return run.version_label or run.version or "unknown version"


def _show_failures(runs: list[RunItem], markers: list[Marker]) -> None:
    st.subheader("How the failing cases fail", anchor=False)
    bars = [
        FailureBar(
            order=order,
            run=f"{moment_in_zone(happened_at(run))}, {_version(run)}",
            failure_category=row.failure_category,
            count=row.count,
        )
        for order, run in enumerate(runs)
        for row in run.failure_categories
        if row.failure_category != PASSED and row.count
    ]
    if not bars:
        st.caption(f"No case failed in {count(len(runs), 'run')}.")
        return
    totals: Counter[str] = Counter()
    for bar in bars:
        totals[bar.failure_category] += bar.count
    colours = assign([name for name, _ in totals.most_common()], grey=(UNKNOWN,))
    labels = axis_labels([happened_at(run) for run in runs])
    axis = order_axis(labels, 12)
    st.altair_chart(failure_chart(bars, markers, colours, axis, runs=len(runs), height=300))


show()
