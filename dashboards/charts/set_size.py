"""The smallest detectable effect by number of cases."""

import altair as alt

from dashboards.charts.axes import quiet_axis, rows
from dashboards.charts.layers import LayeredChart
from dashboards.palette import assign, colours
from monitor.api.schema.findings import NoiseItem

HEIGHT = 260
NAMES = {1: "in the first night", 7: "within 7 nights"}


def set_size_chart(found: NoiseItem) -> LayeredChart:
    """Return one line a period, over cases on a logarithmic axis. A rule and points mark the present size."""
    drawn = [
        {
            "cases": each.cases,
            "points": 100 * each.effect,
            "period": NAMES[each.nights],
            "own": each.cases == found.cases,
        }
        for each in found.curve
    ]
    names = [NAMES[m] for m in sorted({each.nights for each in found.curve})]
    chosen = assign(names)
    colour = alt.Color(
        "period:N",
        scale=alt.Scale(domain=names, range=[chosen[name] for name in names]),
        legend=alt.Legend(orient="top", title=None),
    )
    sizes = sorted({each.cases for each in found.curve if each.cases != found.cases})
    x = alt.X(
        "cases:Q", title="Cases of the set", scale=alt.Scale(type="log", nice=False), axis=quiet_axis(values=sizes)
    )
    y = alt.Y(
        "points:Q",
        title="Smallest detectable effect (points)",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(gridColor=colours().grid, domain=False, ticks=False),
    )
    tips = [alt.Tooltip("cases:Q"), alt.Tooltip("points:Q", format=".1f"), alt.Tooltip("period:N")]
    line = alt.Chart(rows(drawn)).mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, tooltip=tips)
    own = [row for row in drawn if row["own"]]
    rule = alt.Chart(rows(own[:1])).mark_rule(strokeDash=[4, 3], color=colours().ink).encode(x=x)
    shape = alt.Shape("period:N", scale=alt.Scale(domain=names), legend=None)
    points = alt.Chart(rows(own)).mark_point(filled=True, size=90, opacity=1)
    return LayeredChart([line, rule, points.encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)], HEIGHT)
