"""The cumulative distribution of an amount in two runs."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

import altair as alt

from dashboards.charts.axes import quiet_axis, rows
from dashboards.charts.layers import LayeredChart
from dashboards.palette import colours

DASHES = {"before": [6, 3], "after": [1, 0]}


def distribution_chart(
    quantiles: Mapping[str, Sequence[float]],
    marks: Sequence[tuple[str, str, float]],
    *,
    title: str,
    height: int,
) -> LayeredChart:
    """Return the chart. `quantiles` are the values of each side at 0 %, 1 %, ... 100 %; `marks` are the side, the name
    and the value of the quantiles to mark. Sides differ in colour and in dashes.
    """
    sides = list(quantiles)
    shades = dict(zip_longest(sides, colours().series[: len(sides)]))
    colour = alt.Color("side:N", scale=alt.Scale(domain=sides, range=list(shades.values())), legend=None)
    dash = alt.StrokeDash("side:N", scale=alt.Scale(domain=sides, range=[DASHES[side] for side in sides]), legend=None)
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=False), axis=quiet_axis(tickCount=5))
    y = alt.Y(
        "share:Q",
        title="share of answers",
        axis=alt.Axis(format=".0%", tickCount=4, gridColor=colours().grid, domain=False, ticks=False),
        scale=alt.Scale(domain=[0, 1]),
    )
    lines = (
        alt.Chart(rows(_steps(quantiles)))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=colour,
            strokeDash=dash,
            order=alt.Order("share:Q"),
        )
    )
    found = [{"side": side, "name": name, "value": value, "share": _SHARES[name]} for side, name, value in marks]
    points = (
        alt.Chart(rows(found))
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            x=x,
            y=y,
            color=colour,
            tooltip=[alt.Tooltip("side:N"), alt.Tooltip("name:N"), alt.Tooltip("value:Q", format=".4~g")],
        )
    )
    return LayeredChart([lines, points], height)


_SHARES = {"median": 0.5, "p95": 0.95}


def _steps(quantiles: Mapping[str, Sequence[float]]) -> list[dict[str, object]]:
    return [
        {"side": side, "value": value, "share": number / (len(values) - 1)}
        for side, values in quantiles.items()
        for number, value in enumerate(values)
    ]
