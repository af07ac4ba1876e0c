"""Charts of UTC days on an axis with true distances: stacked bars, and lines. Changes of version are marked."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import altair as alt

from dashboards.charts.axes import rows
from dashboards.charts.changes import Marker, change_rules
from dashboards.charts.layers import LayeredChart
from dashboards.palette import colours

HEADROOM = 1.14  # free space at the top for the letters of changes
OPEN = 0.45  # opacity of a day that is not over
TOOLTIP = {"day": "UTC day", "name": "series", "shown": "value"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DayBar:
    """A part of a stacked bar, from `low` to `high`. `over` is whether the day is over."""

    day: str
    name: str
    begin: float
    end: float
    low: float
    high: float
    shown: str
    over: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPoint:
    """The value of a line on one day, with its 95 % interval if it has one."""

    day: str
    name: str
    place: float
    value: float
    low: float | None
    high: float | None
    shown: str
    over: bool


def bar_chart(
    bars: Sequence[DayBar],
    markers: Sequence[Marker],
    palette: Mapping[str, str],
    x: alt.X,
    *,
    title: str,
    number: str,
    height: int,
) -> LayeredChart:
    """Return one bar a day, stacked by name. The bar of a day that is not over is paler."""
    top = max((bar.high for bar in bars), default=1.0) or 1.0
    y = _axis("low", title, number, top * (HEADROOM if markers else 1.02))
    data = rows([asdict(bar) | {"order": bar.begin} for bar in bars])
    drawn = (
        alt.Chart(data)
        .mark_rect()
        .encode(
            x=x,
            x2="end",
            y=y,
            y2=alt.Y2("high:Q"),
            color=_colour(palette),
            opacity=alt.condition("datum.over", alt.value(0.9), alt.value(OPEN)),
            tooltip=_tooltip(),
        )
    )
    return LayeredChart([drawn, *change_rules(markers, x)], height)


def line_chart(
    points: Sequence[DayPoint],
    markers: Sequence[Marker],
    palette: Mapping[str, str],
    x: alt.X,
    *,
    title: str,
    number: str,
    height: int,
    dashed: Sequence[DayPoint] = (),
) -> LayeredChart:
    """Return one line a name through the days, with the 95 % intervals. `dashed` are the points of a second quantile
    in the same colours.
    """
    every = [*points, *dashed]
    top = max((point.high if point.high is not None else point.value for point in every), default=1.0) or 1.0
    y = _axis("value", title, number, top * (HEADROOM if markers else 1.04))
    layers = [*change_rules(markers, x), *_line(points, palette, x, y, [1, 0])]
    if dashed:
        layers += _line(dashed, palette, x, y, [5, 3])
    return LayeredChart(layers, height)


def _line(
    points: Sequence[DayPoint], palette: Mapping[str, str], x: alt.X, y: alt.Y, dash: Sequence[int]
) -> list[alt.Chart]:
    base = alt.Chart(rows([asdict(point) | {"order": point.place} for point in points])).encode(
        x=x, color=_colour(palette), tooltip=_tooltip()
    )
    line = base.mark_line(strokeWidth=1.6, opacity=0.7, strokeDash=list(dash)).encode(y=y, detail=alt.Detail("name:N"))
    dot = base.mark_point(filled=True, size=24).encode(
        y=y, opacity=alt.condition("datum.over", alt.value(1.0), alt.value(OPEN))
    )
    if all(point.low is None for point in points):  # a layer without marks would be a picture without a text
        return [line, dot]
    spread = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.4, opacity=0.4)
    return [line, spread.encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")), dot]


def _axis(field: str, title: str, number: str, top: float) -> alt.Y:
    return alt.Y(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(format=number, tickCount=4, gridColor=colours().grid, domain=False, ticks=False, labelPadding=6),
    )


def _colour(palette: Mapping[str, str]) -> alt.Color:
    return alt.Color("name:N", scale=alt.Scale(domain=list(palette), range=list(palette.values())), legend=None)


def _tooltip() -> list[alt.Tooltip]:
    return [alt.Tooltip(f"{name}:N", title=shown) for name, shown in TOOLTIP.items()]
