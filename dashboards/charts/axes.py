"""Axes of all charts: rates in percent with space for labels, and runs in order."""

import json
import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from dashboards.palette import colours

TICK_PX = 45  # minimum distance of ticks
HEADROOM = 0.22  # share of the axis that stays free at the top, for the labels of changes


def rate_axis(
    field: str, lowest: float, highest: float, *, height: int, headroom: bool, title: str | None = None
) -> alt.Y:
    """Return an axis of rates in percent, from a round number below the lowest to one above the highest, with ticks at
    most up to 100 %. `title` names the rate.
    """
    step = _step(highest - lowest, height)
    bottom = max(0.0, round(math.floor((lowest - 0.02) / step) * step, 4))
    top = min(1.0, round(math.ceil((highest + 0.02) / step) * step, 4))
    free = HEADROOM if headroom else 0.04
    ticks = [round(bottom + i * step, 4) for i in range(round((top - bottom) / step) + 1)]
    return alt.Y(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(domain=[bottom, top + free * (top - bottom)], nice=False, zero=False),
        axis=alt.Axis(format=".0%", values=ticks, gridColor=colours().grid, domain=False, ticks=False, labelPadding=6),
    )


def _step(span: float, height: int) -> float:
    """Return the smallest round step that keeps the ticks apart."""
    return next((step for step in (0.02, 0.05, 0.1, 0.2) if span / step <= height / TICK_PX), 0.25)


def order_axis(labels: Sequence[str], most_labels: int) -> alt.X:
    """Return an axis of evenly spaced slots. `labels` are their names; at most `most_labels` of them are displayed."""
    every = max(1, math.ceil(len(labels) / most_labels))
    visible = list(range(len(labels) - 1, -1, -every))[::-1]  # counted from the newest, which always has a label
    return alt.X(
        "order:Q",
        title=None,
        scale=alt.Scale(domain=[-0.6, len(labels) - 0.4], nice=False, zero=False),
        axis=alt.Axis(
            values=visible,
            labelExpr=f"{json.dumps(list(labels))}[datum.value]",
            labelAngle=0,
            labelOverlap="greedy",
            grid=False,
            domainColor=colours().grid,
            tickColor=colours().grid,
        ),
    )


def quiet_axis(**fields: Any) -> alt.Axis:
    """Return an axis without a grid, in the colours of the theme."""
    quiet = colours().grid
    return alt.Axis(grid=False, domainColor=quiet, tickColor=quiet, titleFontWeight="normal", **fields)


def x_pixel(value: float) -> alt.XValue:
    """Return a fixed place from the left edge in pixels. Altair compares `alt.value` with the schema."""
    return alt.XValue(value)  # type: ignore[no-untyped-call]


def y_pixel(value: float) -> alt.YValue:
    """Return a fixed place from the top edge in pixels."""
    return alt.YValue(value)  # type: ignore[no-untyped-call]


def rows(values: Sequence[dict[str, Any]]) -> alt.InlineData:
    """Return rows as inline data of a chart, without a data frame."""
    return alt.InlineData(values=list(values))
