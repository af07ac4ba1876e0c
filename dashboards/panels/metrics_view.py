"""What the charts of the page Metrics share: the runs, their places on one axis of time, and the changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboards.charts.changes import Marker
from dashboards.charts.time_axis import TimeAxis
from dashboards.markers import changes_within, tagged_markers
from dashboards.metric_series import MetricRuns
from dashboards.palette import assign
from dashboards.set_status import happened_at
from dashboards.snapshot import Snapshot
from monitor.api.schema import ChangeItem, RunItem


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsView:
    """The runs of a set, oldest first, with their places by run id and the colours of their versions."""

    placed: MetricRuns
    axis: TimeAxis
    places: Mapping[str, float]
    changes: Sequence[ChangeItem]
    markers: Sequence[Marker]
    colours: Mapping[str, str]

    @classmethod
    def of(cls, snapshot: Snapshot, deployment: str, runs: Sequence[RunItem]) -> "MetricsView":
        moments = [happened_at(run) for run in runs]
        changes = changes_within(snapshot, deployment, moments)
        axis = TimeAxis.of([*moments, *(change.at for change in changes)], until=snapshot.now)
        placed = MetricRuns.of(runs)
        return cls(
            placed=placed,
            axis=axis,
            places={run.id: axis.place(at) for run, at in zip(runs, moments, strict=True)},
            changes=changes,
            markers=tagged_markers(snapshot, changes, axis),
            colours=assign(placed.versions),
        )
