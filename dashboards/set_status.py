"""The status of each set of each deployment, computed from the daemon's lists. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dashboards.snapshot import Frame, Snapshot
from monitor.api.schema import AlertItem, ChangeItem, FindingItem, RunItem, SetItem
from monitor.api.schema.changes import DeploymentNameItem


class State(StrEnum):
    """States, worst first. `NO_DATA` is a state of its own and is never shown as zero or as healthy."""

    REGRESSION = "regression"
    PENDING = "pending"
    FAILED = "failed"
    INSUFFICIENT = "insufficient"
    NO_DATA = "no data"
    IMPROVEMENT = "improvement"
    OK = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetStatus:
    """One set of one deployment. `runs` are newest first; `finding` is the newest finding, `alert` the open alert."""

    deployment: str
    set_name: str
    item: SetItem | None
    runs: list[RunItem]
    finding: FindingItem | None
    alert: AlertItem | None

    @property
    def kind(self) -> str:
        """`frozen` or `dynamic`; `unknown` for a set without cases."""
        if self.item is not None:
            return self.item.kind
        return self.runs[0].set_kind if self.runs else "unknown"

    @property
    def last_complete(self) -> RunItem | None:
        return next((run for run in self.runs if run.state in {"complete", "partial"}), None)

    @property
    def scored_runs(self) -> list[RunItem]:
        """The runs of the charts. Cancelled runs are left out."""
        return [run for run in self.runs if run.scored and run.state != "cancelled"]

    @property
    def state(self) -> State:
        """The state of the open alert, else the verdict of the newest finding. A missing verdict closes no alert."""
        if self.alert is not None:
            return State.REGRESSION if self.alert.state == "firing" else State.PENDING
        return State.NO_DATA if self.finding is None else State(self.finding.verdict)


def set_statuses(snapshot: Snapshot, deployment: DeploymentNameItem) -> list[SetStatus]:
    """Return the status of each set, configured or known from its runs: frozen sets first, then by name."""
    name = deployment.name
    runs = [run for run in snapshot.runs if run.deployment == name]
    names = dict.fromkeys([*deployment.sets, *(run.set_name for run in runs)])
    statuses = [_set_status(snapshot, name, set_name, runs) for set_name in names]
    return sorted(statuses, key=lambda row: (row.kind != "frozen", row.set_name))


def _set_status(snapshot: Snapshot, deployment: str, set_name: str, runs: Sequence[RunItem]) -> SetStatus:
    def about(item: FindingItem | AlertItem) -> bool:
        return item.deployment == deployment and item.set_name == set_name

    return SetStatus(
        deployment=deployment,
        set_name=set_name,
        item=next((item for item in snapshot.sets if item.name == set_name), None),
        runs=[run for run in runs if run.set_name == set_name],
        finding=next((item for item in snapshot.findings if about(item) and item.metric is None), None),
        alert=next((item for item in snapshot.alerts if about(item) and _is_open_of_verdict(item)), None),
    )


def _is_open_of_verdict(alert: AlertItem) -> bool:
    """Return whether the alert is open and about the deciding verdict, not about a watched metric."""
    return alert.state != "resolved" and alert.metric is None


def worst(statuses: Iterable[SetStatus]) -> State:
    """Return the worst state; NO_DATA when there are no sets."""
    states = {status.state for status in statuses}
    return next((state for state in State if state in states), State.NO_DATA)


def production_alerts(frame: Frame, deployment: str | None = None) -> list[AlertItem]:
    """Return the open alerts on production traffic of one deployment or of all; regressions before traffic drift."""
    open_ones = [row for row in frame.alerts if row.series is not None and row.state != "resolved"]
    mine = [row for row in open_ones if deployment in {None, row.deployment}]
    return sorted(mine, key=lambda row: row.severity == "info")


def source_alerts(snapshot: Snapshot) -> list[AlertItem]:
    """Return the open alerts about driftd's own inputs: failed or missing replays, sources that stopped."""
    return [row for row in snapshot.alerts if row.source is not None and row.state != "resolved"]


def blamed_change(alert: AlertItem, changes: Sequence[ChangeItem]) -> ChangeItem | None:
    """Return the newest change between the versions of the alert that took effect before the alert began, or None."""
    return next(
        (
            change
            for change in changes
            if change.deployment == alert.deployment
            and change.from_version == alert.from_version
            and change.to_version == alert.to_version
            and change.at <= alert.pending_since
        ),
        None,
    )


def happened_at(run: RunItem) -> datetime:
    """Return when a run started; when it is due, if it has not started."""
    return run.started_at or run.planned_at
