"""What the parts of the page Failure modes draw: one time axis, its changes, and the shares of each set."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.charts.changes import Marker
from dashboards.charts.time_axis import TimeAxis
from dashboards.failure_shares import Shares
from dashboards.markers import changes_within, tagged_markers
from dashboards.palette import assign
from dashboards.set_status import SetStatus, happened_at
from dashboards.snapshot import Snapshot
from monitor.api.schema import ChangeItem, RunItem


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The state of the page. `shares` are those of the chosen set with the filters of the page, `runs` its scored
    runs, oldest first, and `versions` the colours of the versions.
    """

    snapshot: Snapshot
    status: SetStatus
    axis: TimeAxis
    changes: list[ChangeItem]
    markers: list[Marker]
    shares: list[Shares]
    runs: list[RunItem]
    versions: dict[str, str]


def version_of(run: RunItem) -> str:
    return run.version_label or run.version or "unknown version"


def view_of(snapshot: Snapshot, status: SetStatus, shares: Sequence[Shares]) -> View:
    runs = status.scored_runs[::-1]
    moments = [*(row.at for row in shares), *(happened_at(run) for run in runs)]
    changes = changes_within(snapshot, status.deployment, moments)
    axis = TimeAxis.of([*moments, *(change.at for change in changes)], until=snapshot.now)
    return View(
        snapshot=snapshot,
        status=status,
        axis=axis,
        changes=changes,
        markers=tagged_markers(snapshot, changes, axis),
        shares=list(shares),
        runs=runs,
        versions=assign(list(dict.fromkeys([*(version_of(run) for run in runs), *(row.version for row in shares)]))),
    )
