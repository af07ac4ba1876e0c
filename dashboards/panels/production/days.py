"""The traffic of each day: calls, versions, corrections, refusals, errors, latency, tokens and cost."""

from collections.abc import Callable, Sequence

import streamlit as st

from dashboards.charts.changes import Marker
from dashboards.charts.day_charts import DayBar, DayPoint, bar_chart, line_chart
from dashboards.charts.draw import draw_chart
from dashboards.charts.layers import LayeredChart
from dashboards.charts.time_axis import TimeAxis
from dashboards.downloads import show_downloads
from dashboards.formatting import count
from dashboards.linked_choice import linked_select
from dashboards.markers import changes_of, tagged_markers
from dashboards.palette import assign
from dashboards.panels.empty import show_empty
from dashboards.panels.grid import grid
from dashboards.panels.legend import show_changes_of_chart, show_legend
from dashboards.production_days import (
    UNKNOWN,
    DaysView,
    Share,
    axis_of,
    bars,
    changes_in,
    corrected,
    failed,
    rates,
    refused,
    rows_of,
    values,
    version_names,
    version_shares,
)
from dashboards.snapshot import Snapshot
from monitor.api.schema import ProductionDays, VersionDayItem

HEIGHT = 190
LABELS = 5
ALL = "all versions"


def show_days(snapshot: Snapshot, deployment: str, found: ProductionDays, limit: int | None) -> None:
    """Draw one chart for each question, all on the same axis of time. `limit` is the chosen number of days."""
    if not found.items:
        _show_no_calls(deployment, limit)
        return
    chosen = linked_select(st.columns(2)[0], "Version", [ALL, *version_names(found.items)], name="version")
    view = DaysView.of(found, None if chosen == ALL else chosen)
    days = list(view.by_day())
    changes = changes_in(days, changes_of(snapshot, deployment))
    axis = axis_of(days, changes)
    palette = assign(version_names(found.items), grey=(UNKNOWN,))
    _show_total(view, found.late_days)
    show_legend({name: palette[name] for name in view.versions})
    charts = _charts(view, palette, axis, tagged_markers(snapshot, changes, axis))
    for place, (title, chart) in zip(grid(len(charts), 2), charts, strict=True):
        with place.container(border=True, height="stretch"):
            st.markdown(f"**{title}**")
            draw_chart(chart, key=f"days {title}")
    show_changes_of_chart(snapshot, changes)
    st.caption(
        "Bars and dots are UTC days at their times; a day without calls is empty. Today is paler, because it is not "
        "over. Letters mark changes of version. Vertical lines are 95 % intervals."
    )
    show_downloads(f"production-{deployment}", rows_of(found))


def _show_no_calls(deployment: str, limit: int | None) -> None:
    period = "yet" if limit is None else f"in the last {count(limit, 'day')}"
    show_empty(
        f"No call of this deployment {period}.",
        do="Choose a longer period, or connect the product to driftd. The command shows when the last call arrived.",
        command=f"driftd status --deployment {deployment}",
    )


def _show_total(view: DaysView, late_days: int) -> None:
    over = [item for item in view.items if item.day < view.today]
    now = [item for item in view.items if item.day == view.today]
    complete = f"**{_sum(over):,} calls** on {count(len({item.day for item in over}), 'complete day')}"
    st.markdown(
        f"{complete if over else 'No complete day yet'}, **{count(_sum(now), 'call')} today** until now. "
        f"A correction counts on the day of its call, if it arrives within {count(late_days, 'day')}."
    )


def _sum(items: Sequence[VersionDayItem]) -> int:
    return sum(item.calls for item in items)


Chart = tuple[str, LayeredChart]


def _charts(view: DaysView, palette: dict[str, str], axis: TimeAxis, markers: list[Marker]) -> list[Chart]:
    x = axis.x(LABELS)

    def stacked(found: Sequence[DayBar], title: str, number: str) -> LayeredChart:
        return bar_chart(found, markers, palette, x, title=title, number=number, height=HEIGHT)

    def lines(found: Sequence[DayPoint], title: str, number: str, dashed: Sequence[DayPoint] = ()) -> LayeredChart:
        known = dict.fromkeys([point.name for point in found])
        shades = palette if all(name in palette for name in known) else assign(list(known))
        return line_chart(found, markers, shades, x, title=title, number=number, height=HEIGHT, dashed=dashed)

    def rate(share: Share, name: str, title: str) -> LayeredChart:
        return lines(rates(view, share, name), title, ".1~%")

    tokens = _values(view, lambda item: item.input_tokens + item.output_tokens if item.counted else None, "tokens")
    return [
        ("Calls", stacked(bars(view, lambda item: item.calls, lambda n: f"{n:,.0f} calls"), "calls a day", "~s")),
        ("Versions", stacked(version_shares(view), "share of calls", ".0%")),
        ("Corrections", rate(corrected, "corrections", "share of answers")),
        ("Refusals", rate(refused, "refusals", "share of answers")),
        ("Errors", rate(failed, "errors", "share of calls")),
        (
            "Latency: median, and 95th percentile (dashed)",
            lines(
                _values(view, lambda item: item.latency_ms, "ms"),
                "latency (ms)",
                "~s",
                _values(view, lambda item: item.latency_p95_ms, "ms at the 95th percentile"),
            ),
        ),
        ("Tokens of input and output", lines(tokens, "tokens a day", "~s")),
        (
            "Cost",
            stacked(bars(view, lambda item: item.spent_usd, lambda n: f"{n:,.4f} USD"), "cost a day (USD)", ",.3~r"),
        ),
    ]


def _values(view: DaysView, value: Callable[[VersionDayItem], float | None], unit: str) -> list[DayPoint]:
    return values(view, value, lambda n: f"{n:,.0f} {unit}")
