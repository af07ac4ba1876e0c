"""Failure categories of the failing cases of each run, stacked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt

from dashboards.charts.axes import layered, rows
from dashboards.charts.changes import Marker, change_rules
from dashboards.palette import colours

WIDEST_PX, ALL_PX = 46, 620  # the bars must fit into a narrow window


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureBar:
    """The count of one failure category in one run."""

    order: int
    run: str
    failure_category: str
    count: int


def failure_chart(
    bars: Sequence[FailureBar],
    markers: Sequence[Marker],
    palette: Mapping[str, str],
    x: alt.X,
    *,
    runs: int,
    height: int,
) -> alt.LayerChart:
    highest = max(sum(bar.count for bar in bars if bar.order == order) for order in {bar.order for bar in bars})
    y = alt.Y(
        "count:Q",
        title="failing cases",
        scale=alt.Scale(domain=[0, max(1.0, 1.25 * highest)], nice=False),
        axis=alt.Axis(gridColor=colours().grid, domain=False, ticks=False, tickMinStep=1, titleFontWeight="normal"),
    )
    names = {name: rank for rank, name in enumerate(palette)}
    data = [
        {
            "order": bar.order,
            "run": bar.run,
            "failure_category": bar.failure_category,
            "count": bar.count,
            "rank": names[bar.failure_category],
        }
        for bar in bars
    ]
    stack = (
        alt.Chart(rows(data))
        .mark_bar(size=max(2.0, min(WIDEST_PX, ALL_PX / runs * 0.7)))
        .encode(
            x=x,
            y=y.stack("zero"),
            order=alt.Order("rank:Q"),
            color=alt.Color(
                "failure_category:N",
                scale=alt.Scale(domain=list(palette), range=list(palette.values())),
                legend=alt.Legend(orient="top", title=None, labelLimit=300, columns=4),
            ),
            tooltip=[
                alt.Tooltip("run:N"),
                alt.Tooltip("failure_category:N", title="failure category"),
                alt.Tooltip("count:Q", title="cases"),
            ],
        )
    )
    return layered([stack, *change_rules(markers, x)], height)
