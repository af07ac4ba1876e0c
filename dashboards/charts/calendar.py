"""A calendar of replays: one row a set of a deployment, one mark a run, past and planned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import altair as alt

from dashboards.charts.axes import rows, x_pixel
from dashboards.charts.layers import LayeredChart
from dashboards.palette import colours
from dashboards.times import moment_in_zone, zone_name

LANE_PX = 46
NAME_PX = 16  # distance of the name of a lane above its marks
# The shape and the colour both carry the state, so that it is readable without colour.
SHAPES: Mapping[str, str] = {
    "ok": "circle",
    "improvement": "triangle-up",
    "regression": "triangle-down",
    "insufficient": "diamond",
    "no verdict": "wedge",
    "failed": "cross",
    "running": "triangle-right",
    "planned": "square",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarMark:
    """One run at its time. `state` is a key of SHAPES; `detail` is the text of the tooltip."""

    at: datetime
    row: str
    state: str
    detail: str


def calendar_chart(marks: Sequence[CalendarMark], now: datetime) -> LayeredChart:
    """Return the chart: one lane a row with its name above it, in the order of the names. A rule marks now."""
    theme, drawn = colours(), states_of(marks)
    lanes = {name: lane for lane, name in enumerate(sorted({mark.row for mark in marks}))}
    days = alt.Axis(
        format="%d %b",
        tickCount=alt.TimeIntervalStep(interval="day", step=1),
        grid=True,
        gridColor=theme.grid,
        titleFontWeight="normal",
        labelOverlap="greedy",
    )
    x = alt.X("at:T", title=f"day ({zone_name()})", axis=days)
    y = alt.Y("lane:Q", axis=None, scale=alt.Scale(domain=[len(lanes) - 0.5, -0.6], nice=False, zero=False))
    hues = alt.Scale(domain=drawn, range=[colour_of(state) for state in drawn])
    shapes = alt.Scale(domain=drawn, range=[SHAPES[state] for state in drawn])
    points = (
        alt.Chart(rows([_row(mark, lanes[mark.row]) for mark in marks]))
        .mark_point(filled=True, size=90, opacity=1, stroke=theme.paper, strokeWidth=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color("state:N", scale=hues, legend=None),
            shape=alt.Shape("state:N", scale=shapes, legend=None),
            tooltip=[alt.Tooltip(f"{name}:N", title=title) for name, title in _TOOLTIP.items()],
        )
    )
    names = alt.Chart(
        rows([{"name": name, "lane": lane} for name, lane in lanes.items()]),
        mark=alt.MarkDef(type="text", align="left", dy=-NAME_PX, color=theme.ink),
    ).encode(x=x_pixel(0), y=y, text=alt.Text("name:N"))
    line = alt.Chart(rows([{"at": now.isoformat()}])).mark_rule(strokeDash=[2, 3], color=theme.ink).encode(x=x)
    return LayeredChart([line, points, names], 50 + LANE_PX * len(lanes))


_TOOLTIP = {"when": "time", "row": "set", "state": "state", "detail": "detail"}


def states_of(marks: Sequence[CalendarMark]) -> list[str]:
    """Return the states of the marks in the order of SHAPES."""
    return [state for state in SHAPES if any(mark.state == state for mark in marks)]


def _row(mark: CalendarMark, lane: int) -> dict[str, object]:
    return {
        "at": mark.at.isoformat(),
        "when": moment_in_zone(mark.at),
        "row": mark.row,
        "lane": lane,
        "state": mark.state,
        "detail": mark.detail,
    }


def colour_of(state: str) -> str:
    """Return the colour of a state in the theme of the reader."""
    theme = colours()
    blue, red, green, _purple, yellow, *_ = theme.series
    chosen = {"ok": green, "regression": red, "failed": red, "insufficient": yellow}
    chosen |= {"improvement": blue, "running": blue}
    return chosen.get(state, theme.neutral)
