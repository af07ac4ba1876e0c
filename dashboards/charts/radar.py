"""A radar of the components of a scorer: one axis for each component, one outline for each version."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import altair as alt

from dashboards.charts.axes import rows
from dashboards.charts.layers import LayeredChart
from dashboards.formatting import percent
from dashboards.palette import colours

FEWEST_AXES = 3  # an outline of two axes is a line
RINGS = (0.25, 0.5, 0.75, 1.0)
_LABEL_RADIUS = 1.16
_WIDE, _HIGH = 1.8, 1.3  # half the size of the drawing, in radii of the outer ring: the labels need the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class RadarPoint:
    """The mean of a component, in [0, 1], for one version, with its 95 % interval and the number of scored cases."""

    axis: str
    series: str
    mean: float
    low: float
    high: float
    scored: int


def radar_chart(points: Sequence[RadarPoint], palette: Mapping[str, str], *, size: int) -> LayeredChart:
    """Return the chart, `size` pixels wide. The centre is 0, the outer ring is 1. An axis without a point of a series
    leaves the outline of that series open.
    """
    axes = list(dict.fromkeys(point.axis for point in points))
    colour = alt.Color(
        "series:N",
        scale=alt.Scale(domain=list(palette), range=list(palette.values())),
        legend=alt.Legend(orient="top", title=None, labelLimit=420, symbolType="circle", symbolOpacity=1),
    )
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-_WIDE, _WIDE], nice=False, zero=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-_HIGH, _HIGH], nice=False, zero=False))
    rings = alt.Chart(rows(list(_rings(len(axes))))).mark_line(color=colours().grid, strokeWidth=1)
    spokes = alt.Chart(rows(list(_spokes(len(axes))))).mark_line(color=colours().grid, strokeWidth=1)
    ends = alt.Chart(rows(list(_labels(axes)))).mark_text(color=colours().ink, fontSize=12)
    drawn = alt.Chart(rows(list(_outline(points, axes)))).encode(x=x, y=y, color=colour)
    tooltip = [alt.Tooltip(f"{name}:N", title=title) for name, title in _TOOLTIP.items()]
    corners = drawn.transform_filter("datum.closing == false")
    layers = [
        rings.encode(x=x, y=y, detail=alt.Detail("ring:N"), order=alt.Order("order:Q")),
        spokes.encode(x=x, y=y, detail=alt.Detail("axis:N")),
        drawn.mark_line(strokeWidth=2, filled=False).encode(order=alt.Order("order:Q")),
        corners.mark_point(filled=True, size=55, opacity=1).encode(tooltip=tooltip),
        ends.encode(x=x, y=y, text=alt.Text("axis:N")),
    ]
    return LayeredChart(layers, round(size * _HIGH / _WIDE), width=size)


_TOOLTIP = {
    "axis": "component",
    "series": "version",
    "shown": "mean",
    "interval": "95 % interval",
    "cases": "scored cases",
}


def place_of(axis: int, axes: int, radius: float) -> tuple[float, float]:
    """Return the point at this radius on an axis. The first axis points up, the others follow clockwise.

    >>> place_of(0, 4, 1.0), tuple(round(each, 6) for each in place_of(1, 4, 0.5))
    ((0.0, 1.0), (0.5, 0.0))
    """
    angle = 2 * math.pi * axis / axes
    return radius * math.sin(angle), radius * math.cos(angle)


def _rings(axes: int) -> Iterator[dict[str, object]]:
    for ring in RINGS:
        for order in range(axes + 1):
            x, y = place_of(order % axes, axes, ring)
            yield {"x": x, "y": y, "ring": str(ring), "order": order}


def _spokes(axes: int) -> Iterator[dict[str, object]]:
    for axis in range(axes):
        for radius in (0.0, 1.0):
            x, y = place_of(axis, axes, radius)
            yield {"x": x, "y": y, "axis": str(axis)}


def _labels(axes: Sequence[str]) -> Iterator[dict[str, object]]:
    for number, name in enumerate(axes):
        x, y = place_of(number, len(axes), _LABEL_RADIUS)
        yield {"x": x, "y": y, "axis": name}


def _outline(points: Sequence[RadarPoint], axes: Sequence[str]) -> Iterator[dict[str, object]]:
    """Yield the points of each series in the order of the axes, and the first one again if the outline is closed."""
    for series in dict.fromkeys(point.series for point in points):
        own = {point.axis: point for point in points if point.series == series}
        known = [number for number, name in enumerate(axes) if name in own]
        closing = [known[0]] if len(known) == len(axes) else []
        for order, number in enumerate([*known, *closing]):
            point = own[axes[number]]
            x, y = place_of(number, len(axes), point.mean)
            yield {
                "x": x,
                "y": y,
                "order": order,
                "series": series,
                "axis": point.axis,
                "closing": order >= len(known),
                "shown": percent(point.mean),
                "interval": f"{percent(point.low)} to {percent(point.high)}",
                "cases": str(point.scored),
            }
