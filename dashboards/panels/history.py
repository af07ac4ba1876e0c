"""The pass rates of all sets of a deployment on one axis of time, with its changes of version."""

from collections.abc import Sequence

import streamlit as st

from dashboards.charts.draw import draw_chart
from dashboards.charts.rates import RatePoint, rate_chart
from dashboards.charts.time_axis import TimeAxis
from dashboards.markers import changes_within, tagged_markers
from dashboards.palette import assign
from dashboards.panels.legend import show_changes_of_chart, show_legend
from dashboards.set_status import SetStatus, happened_at
from dashboards.slots import Slot, arrange
from dashboards.snapshot import Snapshot
from dashboards.times import moment
from monitor.api.schema import RunItem

APART = 0.003  # distance of sets that were replayed together, as a share of the axis
HEIGHT = 220


def show_history(snapshot: Snapshot, deployment: str, statuses: Sequence[SetStatus]) -> None:
    """Draw the chart. Runs that started together have one place."""
    runs = [run for status in statuses for run in status.scored_runs]
    if not runs:
        st.caption("No scored run in this period, so there is no history to draw. Choose a longer period.")
        return
    slots = arrange(runs)
    changes = changes_within(snapshot, deployment, [slot.began for slot in slots])
    axis = TimeAxis.of([*(slot.began for slot in slots), *(change.at for change in changes)], until=snapshot.now)
    points = [_point(run, slot, statuses, axis) for slot in slots for run in slot.runs]
    drawn = {point.series for point in points}
    colours = assign([_series(row.set_name, row.kind) for row in statuses])
    shown = {series: colour for series, colour in colours.items() if series in drawn}
    first, last = moment(slots[0].began), moment(slots[-1].began)
    draw_chart(
        rate_chart(points, tagged_markers(snapshot, changes, axis), shown, axis.x(8), height=HEIGHT, legend=False),
        text=f"Pass rate of each run of {deployment} from {first} to {last}",
    )
    show_legend(shown)
    show_changes_of_chart(snapshot, changes)
    st.caption(
        "Each dot is one run with its own 95 % interval. The verdicts compare runs case by case, which is more precise."
    )


def _point(run: RunItem, slot: Slot, statuses: Sequence[SetStatus], axis: TimeAxis) -> RatePoint:
    """Return the point of a run. Sets that were replayed together are slightly apart, so that all are visible."""
    position = next(index for index, row in enumerate(statuses) if row.set_name == run.set_name)
    aside = APART * (axis.end - axis.begin) * (position - (len(statuses) - 1) / 2)
    return RatePoint(
        at=happened_at(run),
        order=axis.place(slot.began) + aside,
        series=_series(run.set_name, statuses[position].kind),
        line=run.set_name,
        label=f"{run.set_name}, {run.version_label or run.version or 'unknown version'}",
        passed=run.passed,
        scored=run.scored,
    )


def _series(set_name: str, kind: str) -> str:
    return f"{set_name} ({kind})"
