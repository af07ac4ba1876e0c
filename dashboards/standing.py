"""How each set of each deployment stands: pure, from the daemon's lists to one word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dashboards.snapshot import Snapshot
from monitor.api.schema import AlertItem, ChangeItem, DeploymentItem, FindingItem, RunItem, SetItem


class State(StrEnum):
    """Worst first; `NO_DATA` is a state of its own and never looks like a zero or like health."""

    REGRESSION = "regression"
    PENDING = "pending"
    FAILED = "failed"
    INSUFFICIENT = "insufficient"
    NO_DATA = "no data"
    IMPROVEMENT = "improvement"
    OK = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetStanding:
    """One set of one deployment. `runs` are newest first; `finding` is the newest, `alert` the open one."""

    deployment: str
    set_name: str
    item: SetItem | None
    runs: list[RunItem]
    finding: FindingItem | None
    alert: AlertItem | None

    @property
    def kind(self) -> str:
        """`frozen` or `dynamic`, `unknown` for a set that holds nothing yet."""
        if self.item is not None:
            return self.item.kind
        return self.runs[0].set_kind if self.runs else "unknown"

    @property
    def last_complete(self) -> RunItem | None:
        return next((run for run in self.runs if run.state in {"complete", "partial"}), None)

    @property
    def scored_runs(self) -> list[RunItem]:
        """The runs that a chart shows; a cancelled one has no say."""
        return [run for run in self.runs if run.scored and run.state != "cancelled"]

    @property
    def state(self) -> State:
        """An open alert outlives a night without a verdict; otherwise the newest finding decides."""
        if self.alert is not None:
            return State.REGRESSION if self.alert.state == "firing" else State.PENDING
        return State.NO_DATA if self.finding is None else State(self.finding.verdict)


def stand(snapshot: Snapshot, deployment: DeploymentItem) -> list[SetStanding]:
    """One standing for each set of the deployment, configured or seen in its runs: frozen first, then by name."""
    name = deployment.name
    runs = [run for run in snapshot.runs if run.deployment == name]
    names = dict.fromkeys([*deployment.sets, *(run.set_name for run in runs)])
    standings = [_stand_set(snapshot, name, set_name, runs) for set_name in names]
    return sorted(standings, key=lambda row: (row.kind != "frozen", row.set_name))


def _stand_set(snapshot: Snapshot, deployment: str, set_name: str, runs: Sequence[RunItem]) -> SetStanding:
    def about(item: FindingItem | AlertItem) -> bool:
        return item.deployment == deployment and item.set_name == set_name

    return SetStanding(
        deployment=deployment,
        set_name=set_name,
        item=next((item for item in snapshot.sets if item.name == set_name), None),
        runs=[run for run in runs if run.set_name == set_name],
        finding=next(filter(about, snapshot.findings), None),
        alert=next((item for item in snapshot.alerts if about(item) and item.state != "resolved"), None),
    )


def worst(standings: Iterable[SetStanding]) -> State:
    """The state that a glance must show; no sets at all is no data."""
    states = {standing.state for standing in standings}
    return next((state for state in State if state in states), State.NO_DATA)


def production_alerts(snapshot: Snapshot, deployment: str | None = None) -> list[AlertItem]:
    """Open alerts on production traffic, regressions before drifts; of one deployment, or of all."""
    open_ones = [row for row in snapshot.alerts if row.series is not None and row.state != "resolved"]
    mine = [row for row in open_ones if deployment in {None, row.deployment}]
    return sorted(mine, key=lambda row: row.severity == "info")


def source_alerts(snapshot: Snapshot) -> list[AlertItem]:
    """Open alerts about what driftd itself depends on: replays that fail or do not happen, sources that stopped."""
    return [row for row in snapshot.alerts if row.source is not None and row.state != "resolved"]


def state_of(snapshot: Snapshot, deployment: str, standings: Iterable[SetStanding]) -> State:
    """The worst of the deployment's sets and of its production traffic; a drift of traffic is no regression."""
    worse = [row for row in production_alerts(snapshot, deployment) if row.severity != "info"]
    firing = any(row.state == "firing" for row in worse)
    told = [State.REGRESSION] if firing else [State.PENDING] if worse else []
    return next(state for state in State if state in {*told, worst(standings)})


def blamed_change(alert: AlertItem, changes: Sequence[ChangeItem]) -> ChangeItem | None:
    """The newest change between the alert's versions that was not noted after the alert began; None when unknown."""
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
    """Where a run stands in time: when it began to ask; a run not yet begun, when it is due."""
    return run.started_at or run.planned_at
