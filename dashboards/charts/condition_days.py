"""The condition of a set over days: shares, ages and exposure, one small chart each."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from dashboards.charts.axes import rows
from dashboards.charts.layers import LayeredChart
from dashboards.formatting import count, percent
from dashboards.palette import colours
from monitor.api.schema.set_health import HealthDayItem

HEIGHT = 220  # with the axis below
MOST_TICKS = 5  # labelled days below the axis: a phone has room for them


def share_days(days: Sequence[HealthDayItem], name: str, title: str) -> LayeredChart | None:
    """Return the share `name` of each day, with its interval where the day has one; None without a value."""
    drawn = [_share(day, name) for day in days if getattr(day, name) is not None]
    return _chart(drawn, title, ".2~%") if drawn else None


def number_days(days: Sequence[HealthDayItem], name: str, title: str) -> LayeredChart | None:
    """Return the number `name` of each day; None without a value."""
    drawn = [_number(day, getattr(day, name)) for day in days if getattr(day, name) is not None]
    return _chart(drawn, title, ",.3~r") if drawn else None


def _share(day: HealthDayItem, name: str) -> dict[str, Any]:
    value = getattr(day, name)
    low, high = (day.distant_low, day.distant_high) if name == "distant" else (None, None)
    spread = "" if low is None or high is None else f"{percent(low)} to {percent(high)}"
    return _row(day, value, percent(value), low, high, spread)


def _number(day: HealthDayItem, value: float) -> dict[str, Any]:
    return _row(day, value, f"{value:,.4g}", None, None, "")


def _row(  # noqa: PLR0917 - one field each
    day: HealthDayItem, value: float, shown: str, low: float | None, high: float | None, interval: str
) -> dict[str, Any]:
    return {
        "day": day.day.isoformat(),
        "value": value,
        "shown": shown,
        "low": low,
        "high": high,
        "interval": interval,
        "from": f"{count(day.cases, 'case')}, {count(day.runs, 'run')}, {count(day.calls, 'call')}",
    }


def _chart(drawn: list[dict[str, Any]], title: str, labels: str) -> LayeredChart:
    theme = colours()
    named = [row["day"] for row in drawn][:: -(-len(drawn) // MOST_TICKS)]
    x = alt.X(
        "day:T",
        title="day (UTC)",
        axis=alt.Axis(format="%d %b", values=named, grid=False, domainColor=theme.grid, tickColor=theme.grid),
    )
    axis = alt.Axis(format=labels, gridColor=theme.grid, domain=False, ticks=False, tickCount=4)
    y = alt.Y("value:Q", title=title, scale=alt.Scale(zero=True, nice=True), axis=axis)
    tips = [alt.Tooltip(f"{name}:N") for name in ("day", "shown", "interval", "from")]
    base = alt.Chart(rows(drawn)).encode(x=x, y=y, tooltip=tips)
    line = base.mark_line(strokeWidth=1.5, opacity=0.6, color=theme.series[0])
    point = base.mark_point(filled=True, opacity=1, size=30, color=theme.series[0])
    spread = base.transform_filter("isValid(datum.low)").mark_rule(
        strokeWidth=1.6, opacity=0.45, color=theme.series[0], aria=False
    )
    return LayeredChart([spread.encode(y=alt.Y("low:Q", title=title), y2=alt.Y2("high:Q")), line, point], HEIGHT)
