"""The days of a series of production traffic, and the onset of its change."""

from typing import Any

import altair as alt

from dashboards.charts.axes import rows
from dashboards.charts.layers import LayeredChart
from dashboards.formatting import amount
from dashboards.intervals import rate_interval
from dashboards.palette import colours
from monitor.api.schema import DayItem, ProductionSeriesItem

_TITLES = {"share": "share of calls", "ms": "median (ms)", "usd": "median (USD)"}
_LABELS = {"share": ".1%", "ms": ",.0f", "usd": "$.3~r"}
_MOST_TICKS = 8  # labelled days below the axis


def series_chart(item: ProductionSeriesItem, *, height: int) -> LayeredChart:
    """Return the chart: one dot per UTC day, shares with the 95 % interval of that day. A dashed rule marks the onset
    of the finding. Days without data are not drawn.
    """
    drawn = [_day(day, item.unit) for day in item.days]
    days = [row["day"] for row in drawn]
    named = days[:: -(-len(days) // _MOST_TICKS) or 1]
    x = alt.X(
        "day:T",
        title="day (UTC)",
        axis=alt.Axis(format="%d %b", values=named, grid=False, domainColor=colours().grid, tickColor=colours().grid),
    )
    y = alt.Y(
        "value:Q",
        title=_TITLES[item.unit],
        scale=alt.Scale(zero=False, nice=True),
        axis=alt.Axis(format=_LABELS[item.unit], gridColor=colours().grid, domain=False, ticks=False, labelPadding=6),
    )
    tooltip = [alt.Tooltip(f"{name}:N") for name in ("day", "shown", "calls")]
    base = alt.Chart(rows(drawn)).encode(x=x, y=y, tooltip=tooltip)
    line = base.mark_line(strokeWidth=1.2, opacity=0.5, color=colours().series[0])
    point = base.mark_point(filled=True, opacity=1, size=28, color=colours().series[0])
    spread = base.transform_filter("isValid(datum.low)").mark_rule(
        strokeWidth=1.6, opacity=0.45, color=colours().series[0], aria=False
    )
    onset = item.production.onset
    rules = [] if onset is None else [_rule(onset.isoformat(), x)]
    return LayeredChart([*rules, line, spread.encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")), point], height)


def _day(day: DayItem, unit: str) -> dict[str, Any]:
    found = None if day.n is None or unit != "share" else rate_interval(round(day.value * day.n), day.n)
    return {
        "day": day.day.isoformat(),
        "value": day.value,
        "low": found and found.low,
        "high": found and found.high,
        "shown": amount(day.value, unit),
        "calls": "" if day.n is None else f"{day.n:,}",
    }


def _rule(day: str, x: alt.X) -> alt.Chart:
    mark = alt.MarkDef(type="rule", strokeDash=[5, 4], color=colours().ink, strokeWidth=1.3)
    return alt.Chart(rows([{"day": day}]), mark=mark).encode(x=x)
