"""The state of the daemon, read at one time, so that a page is consistent."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import partial

from dashboards.client import Client
from monitor.api.schema import (
    AlertItem,
    ChangeItem,
    FindingItem,
    NotificationItem,
    RunItem,
    SetItem,
    VersionItem,
)
from monitor.api.schema.changes import DeploymentNameItem

MOST_RUNS = 400  # a year of nights of one set, or a month of twelve sets
MOST_FINDINGS = 100  # each has the ids of its flipped cases
REQUESTS_AT_ONCE = 6  # the daemon answers on every core; more would wait there
MOST = 500  # of every other list


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a page chooses from: all deployments with their sets, and their open alerts. `now` is the daemon's clock."""

    now: datetime
    deployments: list[DeploymentNameItem]
    sets: list[SetItem]
    alerts: list[AlertItem]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Frame):
    """The frame, and the rows of one deployment, newest first. `alerts` are those of the deployment in any state."""

    versions: list[VersionItem]
    changes: list[ChangeItem]
    runs: list[RunItem]
    findings: list[FindingItem]
    notifications: list[NotificationItem]

    def version_label(self, deployment: str, version: str | None) -> str:
        """Return the label of a version, its id when the label is unknown, `unknown` when there is no version."""
        if version is None:
            return "unknown"
        return self._labels().get((deployment, version), version)

    def _labels(self) -> Mapping[tuple[str, str], str]:
        return {(item.deployment, item.id): item.label for item in self.versions}


def read_frame(client: Client) -> Frame:
    """Read the deployments, sets and open alerts of any age."""
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        status = pool.submit(client.status)
        deployments = pool.submit(client.items, "deployment-names", DeploymentNameItem, most=MOST)
        sets = pool.submit(client.items, "sets", SetItem, most=MOST)
        alerts = pool.submit(client.items, "alerts", AlertItem, most=MOST, state="open")
        return Frame(
            now=status.result().now,
            deployments=deployments.result(),
            sets=sets.result(),
            alerts=alerts.result(),
        )


def read_snapshot(client: Client, frame: Frame, deployment: str, *, days: int | None) -> Snapshot:
    """Read the last `days` days of a deployment by the daemon's clock, None for all. Versions and alerts: any age."""
    since = None if days is None else frame.now - timedelta(days=days)
    of_any_age = partial(client.items, most=MOST, deployment=deployment)
    of_period = partial(client.items, deployment=deployment, since=since)
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        versions = pool.submit(of_any_age, "versions", VersionItem)
        alerts = pool.submit(of_any_age, "alerts", AlertItem)
        changes = pool.submit(of_period, "changes", ChangeItem, most=MOST)
        runs = pool.submit(of_period, "runs", RunItem, most=MOST_RUNS)
        findings = pool.submit(of_period, "findings", FindingItem, most=MOST_FINDINGS)
        notifications = pool.submit(client.items, "notifications", NotificationItem, most=MOST, since=since)
        shared = {field.name: getattr(frame, field.name) for field in fields(Frame)}
        return Snapshot(
            **shared | {"alerts": alerts.result()},
            versions=versions.result(),
            changes=changes.result(),
            runs=runs.result(),
            findings=findings.result(),
            notifications=notifications.result(),
        )
