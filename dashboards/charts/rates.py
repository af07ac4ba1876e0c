"""Pass rates of runs with their 95 % intervals, one line per series."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import altair as alt

from dashboards.charts.axes import layered, rate_axis, rows
from dashboards.charts.changes import Marker, change_rules
from dashboards.formatting import moment, percent
from dashboards.intervals import rate_interval

MANY = 45  # more points than this are drawn smaller


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
    around: Sequence[RatePoint] = (),
) -> alt.LayerChart:
    """Return the chart. Points without a scored case are left out, and the line continues. `around` widens the axis to
    the range of other charts.
    """
    drawn = [row for point in points if (row := _row(point)) is not None]
    framed = [ends for point in (around or points) if (ends := rate_interval(point.passed, point.scored)) is not None]
    frame = (min(row.low for row in framed), max(row.high for row in framed))
    many = len(drawn) > MANY
    named = any(marker.label for marker in markers)
    y = rate_axis("rate", *frame, height=height, headroom=named)
    base = alt.Chart(rows(drawn)).encode(x=x, color=_colour(colours, legend=legend))
    tooltip = [alt.Tooltip(f"{name}:N", title=title) for name, title in _TOOLTIP.items()]
    line = base.mark_line(strokeWidth=1.5, opacity=0.6).encode(y=y, detail="line:N")
    interval = base.mark_rule(strokeWidth=1.2 if many else 2.5, opacity=0.35 if many else 0.5).encode(
        y=rate_axis("low", *frame, height=height, headroom=named), y2="high:Q", tooltip=tooltip
    )
    point = base.mark_point(filled=True, opacity=1, size=14 if many else 50).encode(y=y, tooltip=tooltip)
    return layered([*change_rules(markers, x), line, interval, point], height)


_TOOLTIP = {"when": "run", "label": "series", "shown": "pass rate", "interval": "95 % interval", "cases": "cases"}


def _colour(colours: Mapping[str, str], *, legend: bool) -> alt.Color:
    shown = alt.Legend(orient="top", title=None, labelLimit=420, symbolType="circle", symbolSize=110, symbolOpacity=1)
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    return alt.Color("series:N", scale=scale, legend=shown if legend else None)


def _row(point: RatePoint) -> dict[str, object] | None:
    interval = rate_interval(point.passed, point.scored)
    if interval is None:
        return None
    rate = point.passed / point.scored
    return {
        "order": point.order,
        "series": point.series,
        "line": point.line,
        "label": point.label,
        "rate": rate,
        "low": interval.low,
        "high": interval.high,
        "when": f"{moment(point.at)} UTC",
        "shown": percent(rate),
        "interval": f"{percent(interval.low)} to {percent(interval.high)}",
        "cases": f"{point.passed} of {point.scored} passed",
    }
