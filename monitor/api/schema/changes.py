"""What serves: deployments, versions, changes."""

from datetime import datetime
from typing import Any, Literal

from monitor.api.schema.candidates import CandidateCountsItem
from monitor.api.schema.wire import Wire


class AnnounceChange(Wire):
    """A change told by a deploy pipeline: name the fields that are new; the rest is taken from the current version."""

    deployment: str
    at: datetime | None = None
    model: str | None = None
    prompt_id: str | None = None
    prompt_version: str | None = None
    prompt_text: str | None = None
    note: str | None = None


class VersionItem(Wire):
    id: str
    deployment: str
    label: str
    identity: dict[str, str]
    first_seen: datetime
    how: str
    current: bool


class ChangeItem(Wire):
    id: str
    deployment: str
    at: datetime
    noted_at: datetime
    kind: str
    how: Literal["observed", "announced"]
    from_version: str | None
    to_version: str
    evidence: dict[str, Any]


class TodayItem(Wire):
    """Counts since midnight UTC; the day is not over, so no series judges it yet."""

    calls: int
    failed: int
    corrections: int


class DeploymentItem(Wire):
    """`current_version` is the version that serves: where traffic contradicts an announcement, the observed one.
    `announced_version` is that of the newest change if it was announced, `observed_version` the one that answered last
    since that change, `contradiction` a sentence where the two disagree.
    """

    name: str
    target: str
    sets: list[str]
    current_version: VersionItem | None
    announced_version: VersionItem | None = None
    observed_version: VersionItem | None = None
    contradiction: str | None = None
    today: TodayItem | None = None
    interactions: int
    open_alerts: int
    candidates: CandidateCountsItem
