"""The state of the daemon, read at one time, so that a page is consistent."""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

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
REQUESTS_AT_ONCE = 4  # the daemon answers on every core; more would wait there
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
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        status_read = pool.submit(client.status)
        deployments_read = pool.submit(client.items, "deployments", DeploymentItem, most=MOST)
        versions = pool.submit(client.items, "versions", VersionItem, most=MOST, deployment=deployment)
        sets = pool.submit(client.items, "sets", SetItem, most=MOST)
        diagnoses = pool.submit(client.items, "diagnoses", SetDiagnosisItem, most=MOST)
        alerts = pool.submit(client.items, "alerts", AlertItem, most=MOST, deployment=deployment)
        status, deployments = status_read.result(), deployments_read.result()
        since = None if days is None else status.now - timedelta(days=days)
        changes = pool.submit(client.items, "changes", ChangeItem, most=MOST, deployment=deployment, since=since)
        notifications = pool.submit(client.items, "notifications", NotificationItem, most=MOST, since=since)
        runs: list[Future[list[RunItem]]] = []
        findings: list[Future[list[FindingItem]]] = []
        for name in [one.name for one in deployments if deployment in {None, one.name}]:
            read = partial(client.items, deployment=name, since=since)
            runs.append(pool.submit(read, "runs", RunItem, most=MOST_RUNS))
            findings.append(pool.submit(read, "findings", FindingItem, most=MOST_FINDINGS))
    return Snapshot(
        now=status.now,
        status=status,
        deployments=deployments,
        versions=versions.result(),
        changes=changes.result(),
        sets=sets.result(),
        runs=[row for read in runs for row in read.result()],
        findings=[row for read in findings for row in read.result()],
        diagnoses=diagnoses.result(),
        alerts=alerts.result(),
        notifications=notifications.result(),
    )
