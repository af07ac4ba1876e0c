"""Pass rates of runs with their 95 % intervals, one line per series."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import altair as alt

from dashboards.charts.changes import Marker
from dashboards.charts.layers import LayeredChart
from dashboards.charts.trends import TrendPoint, trend_chart
from dashboards.intervals import rate_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class RatePoint:
    """One run, or one category of a run, in one series. `line` connects points; `series` sets their colour."""

    at: datetime
    order: float
    series: str
    line: str
    label: str
    passed: int
    scored: int


def rate_chart(
    points: Sequence[RatePoint],
    markers: Sequence[Marker],
    colours: Mapping[str, str],
    x: alt.X,
    *,
    height: int,
    legend: bool,
    around: Sequence[TrendPoint] = (),
) -> LayeredChart:
    """Return the chart. Points without a scored case are left out, and the line continues. `around` widens the axis to
    the range of other charts.
    """
    return trend_chart(
        with_intervals(points),
        markers,
        colours,
        x,
        title="pass rate",
        height=height,
        legend=legend,
        around=around,
    )


def with_intervals(points: Sequence[RatePoint]) -> list[TrendPoint]:
    """Return the rates with their 95 % intervals, without the points that have no scored case."""
    return [found for point in points if (found := _trend_point(point)) is not None]


def _trend_point(point: RatePoint) -> TrendPoint | None:
    interval = rate_interval(point.passed, point.scored)
    if interval is None:
        return None
    return TrendPoint(
        at=point.at,
        order=point.order,
        series=point.series,
        line=point.line,
        label=point.label,
        value=point.passed / point.scored,
        low=interval.low,
        high=interval.high,
        cases=f"{point.passed} of {point.scored} passed",
    )
