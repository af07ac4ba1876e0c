"""The condition of a set over days: saturation, staleness, age, redundancy and exposure."""

from collections.abc import Sequence

import streamlit as st

from dashboards.charts.condition_days import number_days, share_days
from dashboards.downloads import show_downloads
from dashboards.formatting import count
from dashboards.panels.empty import show_empty
from monitor.api.schema.set_health import HealthDayItem

SHARES = {
    "saturation": "saturated cases (share)",
    "distant": "calls near no case (share)",
    "redundancy": "repeated cases (share)",
}
NUMBERS = {"median_age_days": "median age of cases (days)", "max_exposure": "most exposed case (calls, reveals)"}


def show_over_time(days: Sequence[HealthDayItem], set_name: str) -> None:
    """Draw one chart a property that has values, and a sentence for those without."""
    if not days:
        show_empty(
            "No day is measured yet.",
            do="driftd measures each set after its runs and once a day. Read the health of the set now:",
            command=f"driftd sets health {set_name}",
        )
        return
    charts = {title: share_days(days, name, title) for name, title in SHARES.items()}
    charts |= {title: number_days(days, name, title) for name, title in NUMBERS.items()}
    drawn = {title: chart for title, chart in charts.items() if chart is not None}
    columns = st.columns(2)
    for place, (title, chart) in enumerate(drawn.items()):
        columns[place % 2].altair_chart(chart, key=f"condition over time: {title}")
    if missing := [title for title, chart in charts.items() if chart is None]:
        st.caption(f"Without a value in these days: {', '.join(missing)}.")
    st.caption(
        f"{count(len(days), 'UTC day')}; each point is the end of its day, the last one is now. Bars: 95 % intervals. "
        "docs/eval-sets.md explains each property."
    )
    show_downloads(f"condition of {set_name} over time", [day.model_dump(mode="json") for day in days])
