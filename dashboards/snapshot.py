"""The state of the daemon, read at one time, so that a page is consistent."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from dashboards.client import Client
from monitor.api.schema import (
    AlertItem,
    ChangeItem,
    DeploymentItem,
    FindingItem,
    NotificationItem,
    RunItem,
    SetDiagnosisItem,
    SetItem,
    StatusItem,
    VersionItem,
)

MOST_RUNS = 400  # per deployment: a year of nights of one set, or a month of twelve sets
MOST_FINDINGS = 100  # per deployment: each has the ids of its flipped cases
MOST = 500  # of every other list


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The lists of the API, newest first. `now` is the daemon's clock."""

    now: datetime
    status: StatusItem
    deployments: list[DeploymentItem]
    versions: list[VersionItem]
    changes: list[ChangeItem]
    sets: list[SetItem]
    runs: list[RunItem]
    findings: list[FindingItem]
    diagnoses: list[SetDiagnosisItem]
    alerts: list[AlertItem]
    notifications: list[NotificationItem]

    def version_label(self, deployment: str, version: str | None) -> str:
        """Return the label of a version, its id when the label is unknown, `unknown` when there is no version."""
        if version is None:
            return "unknown"
        return self._labels().get((deployment, version), version)

    def _labels(self) -> Mapping[tuple[str, str], str]:
        return {(item.deployment, item.id): item.label for item in self.versions}


def read_snapshot(client: Client, *, days: int | None, deployment: str | None = None) -> Snapshot:
    """Read the last `days` days by the daemon's clock, None for all. Deployments, versions, sets and alerts are of any
    age. With `deployment`, read the rows of this deployment and the names of all.
    """
    status = client.status()
    since = None if days is None else status.now - timedelta(days=days)
    deployments = client.items("deployments", DeploymentItem, most=MOST)
    runs: list[RunItem] = []
    findings: list[FindingItem] = []
    for name in [one.name for one in deployments if deployment in {None, one.name}]:
        runs += client.items("runs", RunItem, most=MOST_RUNS, deployment=name, since=since)
        findings += client.items("findings", FindingItem, most=MOST_FINDINGS, deployment=name, since=since)
    return Snapshot(
        now=status.now,
        status=status,
        deployments=deployments,
        versions=client.items("versions", VersionItem, most=MOST, deployment=deployment),
        changes=client.items("changes", ChangeItem, most=MOST, deployment=deployment, since=since),
        sets=client.items("sets", SetItem, most=MOST),
        runs=runs,
        findings=findings,
        diagnoses=client.items("diagnoses", SetDiagnosisItem, most=MOST),
        alerts=client.items("alerts", AlertItem, most=MOST, deployment=deployment),
        notifications=client.items("notifications", NotificationItem, most=MOST, since=since),
    )
