"""A calendar of replays: one row a set of a deployment, one mark a run, past and planned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import altair as alt

from dashboards.charts.axes import layered, rows
from dashboards.palette import Colours, colours
from dashboards.times import moment_in_zone

ROW_PX = 34
# The shape and the colour both carry the state, so that it is readable without colour.
SHAPES: Mapping[str, str] = {
    "ok": "circle",
    "improvement": "triangle-up",
    "regression": "triangle-down",
    "insufficient": "diamond",
    "no verdict": "square",
    "failed": "cross",
    "running": "triangle-right",
    "planned": "stroke",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarMark:
    """One run at its time. `state` is a key of SHAPES; `detail` is the text of the tooltip."""

    at: datetime
    row: str
    state: str
    detail: str


def calendar_chart(marks: Sequence[CalendarMark], now: datetime) -> alt.LayerChart:
    """Return the chart. A rule marks now."""
    theme = colours()
    drawn = [state for state in SHAPES if any(mark.state == state for mark in marks)]
    x = alt.X(
        "at:T", title="day", axis=alt.Axis(format="%d %b", grid=True, gridColor=theme.grid, titleFontWeight="normal")
    )
    legend = alt.Legend(orient="top", title=None, columns=4, symbolSize=110)
    points = (
        alt.Chart(rows([_row(mark) for mark in marks]))
        .mark_point(filled=True, size=90, opacity=1, strokeWidth=2.5)
        .encode(
            x=x,
            y=alt.Y("row:N", title=None, axis=alt.Axis(labelLimit=260, grid=True, gridColor=theme.grid)),
            color=alt.Color(
                "state:N",
                scale=alt.Scale(domain=drawn, range=[_colour(state, theme) for state in drawn]),
                legend=legend,
            ),
            shape=alt.Shape(
                "state:N", scale=alt.Scale(domain=drawn, range=[SHAPES[state] for state in drawn]), legend=legend
            ),
            tooltip=[
                alt.Tooltip("when:N", title="time"),
                alt.Tooltip("row:N", title="set"),
                alt.Tooltip("state:N"),
                alt.Tooltip("detail:N"),
            ],
        )
    )
    line = alt.Chart(rows([{"at": now.isoformat()}])).mark_rule(strokeDash=[2, 3], color=theme.ink).encode(x=x)
    height = 60 + ROW_PX * len({mark.row for mark in marks})
    return layered([line, points], height)


def _row(mark: CalendarMark) -> dict[str, object]:
    return {
        "at": mark.at.isoformat(),
        "when": moment_in_zone(mark.at),
        "row": mark.row,
        "state": mark.state,
        "detail": mark.detail,
    }


def _colour(state: str, theme: Colours) -> str:
    blue, red, green, _purple, yellow, *_ = theme.series
    chosen = {
        "ok": green,
        "improvement": blue,
        "regression": red,
        "failed": red,
        "insufficient": yellow,
        "running": blue,
    }
    return chosen.get(state, theme.neutral)
