"""A time axis with true distances: one label a day at most, in the time zone of the browser."""

from collections.abc import Sequence
from datetime import datetime

import altair as alt

from dashboards.palette import colours

MOST_LABELS = 10


def day_axis(field: str, times: Sequence[datetime], *, title: str) -> alt.X:
    """Return the axis from the first to the last of `times`, which are in order."""
    days = (times[-1] - times[0]).days if times else 0
    axis = alt.Axis(
        format="%d %b",
        grid=False,
        domainColor=colours().grid,
        tickColor=colours().grid,
        tickCount=alt.TimeIntervalStep(interval="day", step=1 + days // MOST_LABELS),
        labelOverlap="greedy",
    )
    domain = [times[0].isoformat(), times[-1].isoformat()] if days else alt.Undefined
    return alt.X(f"{field}:T", title=title, axis=axis, scale=alt.Scale(domain=domain, padding=18))
