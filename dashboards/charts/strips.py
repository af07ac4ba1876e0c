"""Small multiples in one chart: a strip for each series, one below the other, on one axis of time.

A browser needs 45 ms of CPU time for each chart, however little it shows, and one axis shows what moved at the same
time. All strips have the same range of values.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt

from dashboards.charts.axes import rows, x_pixel
from dashboards.charts.changes import Marker, change_rules
from dashboards.charts.layers import LayeredChart
from dashboards.charts.trends import MANY, TrendPoint
from dashboards.formatting import cut, percent
from dashboards.palette import colours
from dashboards.times import moment_in_zone

STRIP_PX = 92
TOP = 0.34  # share of a strip above its highest value, for its name
BOTTOM = 0.08
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)  # the labelled values of a strip are multiples of one of these
MOST_STEPS = 4  # in a strip
AXIS_PX = 56  # the axis of time and its title
LEAST_PX = 190  # of the chart, so that the title of its values fits
EDGE = 1e-9  # a value on a multiple has this multiple as its end
LABEL_PX = 30  # for the letters of changes, above the first strip
NAME_CHARS = 44  # of a name on a phone
TOOLTIP = {
    "name": "category",
    "when": "run",
    "label": "version",
    "shown": "",
    "interval": "95 % interval",
    "cases": "cases",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """The range of values of every strip, from `low` to `high`, and the number of strips."""

    low: float
    high: float
    strips: int

    @classmethod
    def of(cls, points: Sequence[TrendPoint], strips: int) -> "_Frame":
        low, high = min(point.low for point in points), max(point.high for point in points)
        ends = ((step, math.floor(low / step + EDGE), math.ceil(high / step - EDGE)) for step in STEPS)
        step, first, last = next(
            ((step, first, last) for step, first, last in ends if last - first <= MOST_STEPS), (1.0, 0, 1)
        )
        return cls(low=step * first, high=step * max(last, first + 1), strips=strips)

    def place(self, strip: int, value: float) -> float:
        """Return the place of a value: 0 at the bottom of the last strip, `strips` at the top of the first."""
        share = (value - self.low) / (self.high - self.low)
        return self.strips - 1 - strip + BOTTOM + share * (1 - TOP - BOTTOM)

    def ticks(self) -> dict[float, str]:
        """Return the labels of the lowest and the highest value of each strip, by their places."""
        ends = [(strip, value) for strip in range(self.strips) for value in (self.low, self.high)]
        return {round(self.place(strip, value), 4): f"{100 * value:.3g}%" for strip, value in ends}


def strip_chart(
    series: Mapping[str, Sequence[TrendPoint]],
    markers: Sequence[Marker],
    palette: Mapping[str, str],
    x: alt.X,
    *,
    title: str,
) -> LayeredChart:
    """Return the chart of at least one point. `title` names the value, and `palette` has the colours of the series of
    the points. Each strip has its name and its newest value.
    """
    points = [point for found in series.values() for point in found]
    frame = _Frame.of(points, len(series))
    labelled = any(marker.label for marker in markers)
    y = _axis(frame, title, above=LABEL_PX / STRIP_PX if labelled else 0.0)
    data = [_row(name, strip, point, frame) for strip, (name, found) in enumerate(series.items()) for point in found]
    many = max(len(found) for found in series.values()) > MANY
    colour = alt.Color("series:N", scale=alt.Scale(domain=list(palette), range=list(palette.values())), legend=None)
    base = alt.Chart(rows(data)).encode(x=x, y=y, color=colour)
    tooltip = [alt.Tooltip(f"{name}:N", title=shown or title) for name, shown in TOOLTIP.items()]
    line = base.mark_line(strokeWidth=1.5, opacity=0.6, aria=False).encode(detail=alt.Detail("line:N"))
    interval = base.mark_rule(strokeWidth=1.2 if many else 2.5, opacity=0.35 if many else 0.5, aria=False).encode(
        y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
    )
    point = base.mark_point(filled=True, opacity=1, size=14 if many else 40).encode(tooltip=tooltip)
    height = max(LEAST_PX, STRIP_PX * len(series) + AXIS_PX + (LABEL_PX if labelled else 0))
    return LayeredChart([*change_rules(markers, x), line, interval, point, _names(series, frame)], height)


def _axis(frame: _Frame, title: str, *, above: float) -> alt.Y:
    labels = frame.ticks()
    names = json.dumps({f"{place:.4f}": text for place, text in labels.items()})
    return alt.Y(
        "value:Q",
        title=title,
        scale=alt.Scale(domain=[0, frame.strips + above], nice=False, zero=False),
        axis=alt.Axis(
            values=list(labels),
            labelExpr=f"({names})[format(datum.value, '.4f')]",
            gridColor=colours().grid,
            domain=False,
            ticks=False,
            labelPadding=6,
        ),
    )


def _names(series: Mapping[str, Sequence[TrendPoint]], frame: _Frame) -> alt.Chart:
    data = [
        {"name": f"{cut(name, NAME_CHARS)}  {_newest(points)}", "value": frame.strips - strip - 0.02}
        for strip, (name, points) in enumerate(series.items())
    ]
    mark = alt.MarkDef(type="text", align="left", baseline="top", fontSize=12, fontWeight=600, color=colours().ink)
    return alt.Chart(rows(data), mark=mark).encode(x=x_pixel(2), y=alt.Y("value:Q"), text=alt.Text("name:N"))


def _newest(points: Sequence[TrendPoint]) -> str:
    return f"now {percent(points[-1].value)}" if points else "no data"


def _row(name: str, strip: int, point: TrendPoint, frame: _Frame) -> dict[str, object]:
    return {
        "name": name,
        "order": point.order,
        "series": point.series,
        "line": f"{name} {point.line}",
        "label": point.label,
        "value": frame.place(strip, point.value),
        "low": frame.place(strip, point.low),
        "high": frame.place(strip, point.high),
        "when": moment_in_zone(point.at),
        "shown": percent(point.value),
        "interval": f"{percent(point.low)} to {percent(point.high)}",
        "cases": point.cases,
    }
