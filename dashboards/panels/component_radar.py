"""Radars of the components of scorers, by version."""

from collections.abc import Mapping

import streamlit as st

from dashboards.charts.draw import draw_chart
from dashboards.charts.radar import FEWEST_AXES, RadarPoint, radar_chart
from dashboards.formatting import plain
from dashboards.metric_series import MetricRuns, components
from monitor.api.schema.metrics import MetricItem, SetMetricsItem

MOST_VERSIONS = 4
SIZE = 480


def show_radars(found: SetMetricsItem, runs: MetricRuns, colours: Mapping[str, str]) -> None:
    """Show a radar for each scorer with at least three components: the newest run of each of the last versions."""
    scorers = {name: parts for name, parts in components(found).items() if len(parts) >= FEWEST_AXES}
    if not scorers:
        return
    st.subheader("Components by version", anchor=False)
    st.caption("The newest run of each version. The centre is 0 %, the outer ring is 100 %.")
    for column, (name, parts) in zip(st.columns(max(2, len(scorers))), scorers.items(), strict=False):
        points = radar_points(parts, runs)
        series = list(dict.fromkeys(point.series for point in points))
        column.markdown(f"**{plain(name)}**")
        shown = {label: colours[label] for label in series}
        chart = radar_chart(points, shown, size=SIZE)
        with column:
            draw_chart(chart, key=f"radar {name} of {runs.key}", width="content")


def radar_points(parts: list[MetricItem], runs: MetricRuns) -> list[RadarPoint]:
    """Return the points of the last versions, each from its newest run with a value."""
    versions = list(dict.fromkeys(runs.labels[run_id] for run_id in reversed(list(runs.labels))))[:MOST_VERSIONS]
    points = []
    for label in reversed(versions):
        for metric in parts:
            nights = [night for night in metric.nights if runs.labels.get(night.run_id) == label]
            if nights:
                newest = nights[-1]
                points.append(
                    RadarPoint(
                        axis=(metric.metric or "").partition(".")[2],
                        series=label,
                        mean=newest.mean,
                        low=newest.low,
                        high=newest.high,
                        scored=newest.scored,
                    )
                )
    return points
