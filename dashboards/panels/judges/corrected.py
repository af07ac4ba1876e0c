"""The pass rates of the newest runs: by the judge, and as people would give them."""

from collections.abc import Sequence

import altair as alt
import streamlit as st

from dashboards.charts.axes import rows
from dashboards.charts.days import day_axis
from dashboards.charts.draw import draw_chart
from dashboards.charts.layers import LayeredChart
from dashboards.downloads import show_downloads
from dashboards.formatting import percent
from dashboards.palette import colours
from dashboards.times import moment, moment_in_zone, zone_name
from monitor.api.schema import CorrectedRateItem

FEWEST = 2  # runs in a chart


def show_corrected(found: Sequence[CorrectedRateItem]) -> None:
    """Draw a chart of both rates, and a table with the same numbers."""
    drawn = [row for row in found if row.started_at is not None and row.judged is not None]
    if len(drawn) >= FEWEST:
        draw_chart(_chart(drawn), key="corrected pass rates")
        st.caption(
            "A circle is the pass rate by the judge; a square, with its 95 % interval, the one that people would give."
        )
    table = [_row(row) for row in found]
    st.dataframe(table, hide_index=True, key="pass rates of the judge")
    show_downloads("corrected pass rates", [row.model_dump(mode="json") for row in found])


def _chart(found: Sequence[CorrectedRateItem]) -> LayeredChart:
    theme = colours()
    values = [
        {"at": row.started_at.isoformat(), "judged": row.judged, "rate": row.rate, "low": row.low, "high": row.high}
        | {"when": moment_in_zone(row.started_at), "by judge": percent(row.judged), "by people": percent(row.rate)}
        for row in found
        if row.started_at is not None
    ]
    times = sorted(row.started_at for row in found if row.started_at is not None)
    x = day_axis("at", times, title=f"Run ({zone_name()})")
    y = alt.Y(
        "judged:Q",
        title="Pass rate (%)",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", gridColor=theme.grid, domain=False, ticks=False, tickCount=5),
    )
    tooltip = [alt.Tooltip(f"{name}:N", title=title) for name, title in _TIPS.items()]
    base = alt.Chart(rows(values)).encode(x=x, tooltip=tooltip)
    people = base.transform_filter("isValid(datum.rate)")
    return LayeredChart(
        [
            people.mark_rule(strokeWidth=2.4, opacity=0.5, color=theme.series[1]).encode(
                y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
            ),
            base.mark_point(filled=True, opacity=1, size=45, color=theme.series[0]).encode(y=y),
            people.mark_point(filled=True, opacity=1, size=45, color=theme.series[1], shape="square").encode(
                y=alt.Y("rate:Q")
            ),
        ],
        220,
    )


_TIPS = {"when": "run", "by judge": "by the judge", "by people": "as people would give"}


def _row(row: CorrectedRateItem) -> dict[str, object]:
    known = row.low is not None and row.high is not None
    return {
        "started": moment(row.started_at),
        "by the judge": percent(row.judged),
        "by people": percent(row.rate),
        "95 % interval": f"{percent(row.low)} to {percent(row.high)}" if known else row.reason or "",
        "outcomes": row.outcomes,
        "version": row.version or "unknown",
        "run": row.run_id,
    }
