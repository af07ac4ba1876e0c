"""Everything the pages show, read in one go, so that a page never mixes two moments."""

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

MOST_RUNS = 400  # a deployment; a year of nights of one set, and a month of twelve
MOST_FINDINGS = 100  # a deployment: each carries the ids of its flipped cases
MOST = 500  # of everything else


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Lists are newest first, as the daemon gives them. `now` is the daemon's clock."""

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
        """The version's label; its id when it has none here, a word when there is no version."""
        if version is None:
            return "unknown"
        return self._labels().get((deployment, version), version)

    def _labels(self) -> Mapping[tuple[str, str], str]:
        return {(item.deployment, item.id): item.label for item in self.versions}


def read_snapshot(client: Client, *, days: int) -> Snapshot:
    """What happened within `days` before the daemon's now; deployments, versions, sets and alerts of any age."""
    status = client.status()
    since = status.now - timedelta(days=days)
    deployments = client.items("deployments", DeploymentItem, most=MOST)
    runs: list[RunItem] = []
    findings: list[FindingItem] = []
    for deployment in deployments:
        name = deployment.name
        runs += client.items("runs", RunItem, most=MOST_RUNS, deployment=name, since=since)
        findings += client.items("findings", FindingItem, most=MOST_FINDINGS, deployment=name, since=since)
    return Snapshot(
        now=status.now,
        status=status,
        deployments=deployments,
        versions=client.items("versions", VersionItem, most=MOST),
        changes=client.items("changes", ChangeItem, most=MOST, since=since),
        sets=client.items("sets", SetItem, most=MOST),
        runs=runs,
        findings=findings,
        diagnoses=client.items("diagnoses", SetDiagnosisItem, most=MOST),
        alerts=client.items("alerts", AlertItem, most=MOST),
        notifications=client.items("notifications", NotificationItem, most=MOST, since=since),
    )
