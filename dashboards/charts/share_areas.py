"""Shares of failure categories over time, as stacked stepped areas."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt

from dashboards.charts.axes import rate_axis, rows
from dashboards.charts.changes import Marker, change_rules
from dashboards.charts.layers import LayeredChart
from dashboards.formatting import percent

CHOSEN = "chosen"  # the name of the selection of a step
FIELDS = ["key", "failure_category"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareStep:
    """The share of one failure category from one run until the next: `count` of `of`, from `low` to `high` of the
    stack.
    """

    key: str
    when: str
    version: str
    failure_category: str
    count: int
    of: int
    begin: float
    end: float
    low: float
    high: float


def share_areas(
    steps: Sequence[ShareStep],
    markers: Sequence[Marker],
    palette: Mapping[str, str],
    x: alt.X,
    *,
    title: str,
    height: int,
    highest: float | None = None,
) -> LayeredChart:
    """Return the chart. A step begins at its run and is held until the next one, because no case was replayed between
    them. `highest` is the top of the axis, so that charts next to each other have the same.

    The selection `chosen` has the fields `key` and `failure_category` of the clicked step.
    """
    top = max((step.high for step in steps), default=1.0)
    y = rate_axis("low", 0.0, highest or top, height=height, headroom=any(marker.label for marker in markers))
    y = y.title(title)
    chosen = alt.selection_point(name=CHOSEN, fields=FIELDS, on="click")
    areas = (
        alt.Chart(rows([_row(step) for step in steps]))
        .mark_rect(cursor="pointer")
        .encode(
            x=x,
            x2="end",
            y=y,
            y2=alt.Y2("high:Q"),
            color=alt.Color(
                "failure_category:N",
                scale=alt.Scale(domain=list(palette), range=list(palette.values())),
                legend=None,
            ),
            opacity=alt.condition(chosen, alt.value(0.9), alt.value(0.35)),
            tooltip=[alt.Tooltip(f"{name}:N", title=shown) for name, shown in _TOOLTIP.items()],
        )
        .add_params(chosen)
    )
    return LayeredChart([areas, *change_rules(markers, x)], height)


_TOOLTIP = {
    "failure_category": "failure category",
    "share": "share",
    "cases": "count",
    "when": "time",
    "version": "version",
}


def _row(step: ShareStep) -> dict[str, object]:
    return {
        "key": step.key,
        "failure_category": step.failure_category,
        "order": step.begin,
        "end": step.end,
        "low": step.low,
        "high": step.high,
        "share": percent(step.count / step.of),
        "cases": f"{step.count:,} of {step.of:,}",
        "when": step.when,
        "version": step.version,
    }
