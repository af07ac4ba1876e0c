"""The days of a series of production traffic, and since when it is another."""

import altair as alt

from dashboards.charts.axes import layered, rows
from dashboards.palette import GRID, INK, SERIES
from dashboards.words import amount
from monitor.api.schema import ProductionSeriesItem


def series_chart(item: ProductionSeriesItem, *, height: int) -> alt.LayerChart:
    """A dot is one UTC day; the dashed rule is the onset of what was told. A day without data is not drawn."""
    drawn = [
        {
            "day": day.day.isoformat(),
            "value": day.value,
            "shown": amount(day.value, item.unit),
            "calls": "" if day.n is None else f"{day.n:,}",
        }
        for day in item.days
    ]
    x = alt.X("day:T", title=None, axis=alt.Axis(format="%d %b", grid=False, domainColor=GRID, tickColor=GRID))
    y = alt.Y(
        "value:Q",
        title=None,
        scale=alt.Scale(zero=False, nice=True),
        axis=alt.Axis(
            format=".1%" if item.unit == "share" else "~s", gridColor=GRID, domain=False, ticks=False, labelPadding=6
        ),
    )
    tooltip = [alt.Tooltip(f"{name}:N") for name in ("day", "shown", "calls")]
    base = alt.Chart(rows(drawn)).encode(x=x, y=y, tooltip=tooltip)
    line = base.mark_line(strokeWidth=1.2, opacity=0.5, color=SERIES[0])
    point = base.mark_point(filled=True, opacity=1, size=28, color=SERIES[0])
    onset = item.production.onset
    told = [] if onset is None else [_rule(onset.isoformat(), x)]
    return layered([*told, line, point], height)


def _rule(day: str, x: alt.X) -> alt.Chart:
    mark = alt.MarkDef(type="rule", strokeDash=[5, 4], color=INK, strokeWidth=1.3)
    return alt.Chart(rows([{"day": day}]), mark=mark).encode(x=x)
