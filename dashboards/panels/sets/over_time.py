"""The condition of a set over days: saturation, staleness, age, redundancy and exposure."""

from collections.abc import Sequence

import streamlit as st

from dashboards.charts.condition_days import number_days, share_days
from dashboards.charts.draw import draw_chart
from dashboards.downloads import show_downloads
from dashboards.formatting import count
from dashboards.panels.empty import show_empty
from dashboards.panels.grid import grid
from monitor.api.schema.set_health import HealthDayItem

COLUMNS = 2
# The heading of each chart and the title of its axis.
SHARES = {
    "saturation": ("Saturated cases", "share of cases"),
    "distant": ("Calls near no case", "share of calls"),
    "redundancy": ("Repeated cases", "share of cases"),
}
NUMBERS = {
    "median_age_days": ("Median age of the cases", "days"),
    "max_exposure": ("Most exposed case", "calls, reveals"),
}


def show_over_time(days: Sequence[HealthDayItem], set_name: str) -> None:
    """Draw one chart a property that has values, and a sentence for those without."""
    if not days:
        show_empty(
            "No day is measured yet.",
            do="driftd measures each set after its runs and once a day. Read the health of the set now:",
            command=f"driftd sets health {set_name}",
        )
        return
    charts = {heading: share_days(days, name, axis) for name, (heading, axis) in SHARES.items()}
    charts |= {heading: number_days(days, name, axis) for name, (heading, axis) in NUMBERS.items()}
    drawn = {heading: chart for heading, chart in charts.items() if chart is not None}
    for place, (heading, chart) in zip(grid(len(drawn), COLUMNS), drawn.items(), strict=True):
        with place:
            st.markdown(f"**{heading}**")
            draw_chart(chart, key=f"condition over time: {heading}")
    if missing := [heading for heading, chart in charts.items() if chart is None]:
        st.caption(f"Without a value in these days: {', '.join(missing)}.")
    st.caption(
        f"{count(len(days), 'UTC day')}; each point is the end of its day, the last one is now. Bars: 95 % intervals. "
        "docs/eval-sets.md explains each property."
    )
    show_downloads(f"condition of {set_name} over time", [day.model_dump(mode="json") for day in days])
