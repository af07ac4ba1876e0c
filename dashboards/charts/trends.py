"""Values of runs with their 95 % intervals, one line per series."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import altair as alt

from dashboards.charts.axes import rate_axis, rows
from dashboards.charts.changes import Marker, change_rules
from dashboards.charts.layers import LayeredChart
from dashboards.formatting import percent
from dashboards.times import moment_in_zone

MANY = 45  # more points than this are drawn smaller


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """A value of one run in one series, with its interval. All three are in [0, 1]. `line` connects points, `series`
    sets their colour, and `cases` is the text about the cases behind the value.
    """

    at: datetime
    order: float
    series: str
    line: str
    label: str
    value: float
    low: float
    high: float
    cases: str


def trend_chart(
    points: Sequence[TrendPoint],
    markers: Sequence[Marker],
    colours: Mapping[str, str],
    x: alt.X,
    *,
    title: str,
    height: int,
    legend: bool,
    around: Sequence[TrendPoint] = (),
) -> LayeredChart:
    """Return the chart. `title` names the value. `around` widens the axis to the range of other charts."""
    framed = around or points
    frame = (min(row.low for row in framed), max(row.high for row in framed))
    many = len(points) > MANY
    named = any(marker.label for marker in markers)
    y = rate_axis("rate", *frame, height=height, headroom=named, title=title)
    base = alt.Chart(rows([_row(point) for point in points])).encode(x=x, color=_colour(colours, legend=legend))
    tooltip = [alt.Tooltip(f"{name}:N", title=shown) for name, shown in {**_TOOLTIP, "shown": title}.items()]
    line = base.mark_line(strokeWidth=1.5, opacity=0.6).encode(y=y, detail=alt.Detail("line:N"))
    interval = base.mark_rule(strokeWidth=1.2 if many else 2.5, opacity=0.35 if many else 0.5, aria=False).encode(
        y=rate_axis("low", *frame, height=height, headroom=named, title=title), y2=alt.Y2("high:Q"), tooltip=tooltip
    )
    point = base.mark_point(filled=True, opacity=1, size=14 if many else 50).encode(y=y, tooltip=tooltip)
    return LayeredChart([*change_rules(markers, x), line, interval, point], height)


_TOOLTIP = {"when": "run", "label": "series", "shown": "", "interval": "95 % interval", "cases": "cases"}


def _colour(colours: Mapping[str, str], *, legend: bool) -> alt.Color:
    shown = alt.Legend(orient="top", title=None, labelLimit=420, symbolType="circle", symbolSize=110, symbolOpacity=1)
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    return alt.Color("series:N", scale=scale, legend=shown if legend else None)


def _row(point: TrendPoint) -> dict[str, object]:
    return {
        "order": point.order,
        "series": point.series,
        "line": point.line,
        "label": point.label,
        "rate": point.value,
        "low": point.low,
        "high": point.high,
        "when": moment_in_zone(point.at),
        "shown": percent(point.value),
        "interval": f"{percent(point.low)} to {percent(point.high)}",
        "cases": point.cases,
    }
