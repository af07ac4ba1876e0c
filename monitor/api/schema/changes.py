"""Deployments, versions and changes."""

from datetime import datetime
from typing import Any, Literal

from monitor.api.schema.candidates import CandidateCountsItem
from monitor.api.schema.wire import Wire


class AnnounceChange(Wire):
    """A change that a deploy pipeline announces. Fields that are omitted come from the current version."""

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
    """A change of the version. The labels are the names of the versions for people; null for a version that is not
    stored.
    """

    id: str
    deployment: str
    at: datetime
    noted_at: datetime
    kind: str
    how: Literal["observed", "announced"]
    from_version: str | None
    to_version: str
    from_label: str | None = None
    to_label: str | None = None
    evidence: dict[str, Any]


class ChangeSetItem(Wire):
    """A set of the deployment and its part in the verdict. `judged`: `verdict` is final. `first_look`: a part of the
    cases announces a regression, and the whole run is not judged yet. `waiting`: its run or verdict is due. `skipped`:
    it has no cases. `outcomes` of `planned_outcomes` are stored.
    """

    set_name: str
    state: Literal["judged", "first_look", "waiting", "skipped"]
    verdict: Literal["ok", "regression", "improvement", "insufficient", "failed", "drift"] | None
    reason: str
    run: str | None
    outcomes: int
    planned_outcomes: int
    pass_rate: float | None


class ChangeVerdictItem(Wire):
    """The verdict on a change: the worst verdict of the replays of its sets. `verdict` and `outcome` are null while it
    is open; a regression of one set decides at once. `outcome`: `pass` (ok, improvement), `fail` (regression) or
    `unknown` (insufficient, failed).
    """

    change: ChangeItem
    verdict: Literal["ok", "regression", "improvement", "insufficient", "failed", "drift"] | None
    outcome: Literal["pass", "fail", "unknown"] | None
    reason: str
    sets: list[ChangeSetItem]


class TodayItem(Wire):
    """Counts since midnight UTC. No series tests the current day, because it is incomplete."""

    calls: int
    failed: int
    corrections: int


class DeploymentNameItem(Wire):
    """A deployment and its sets: the configured ones, then those that only have imported runs."""

    name: str
    sets: list[str]


class DeploymentItem(Wire):
    """A deployment. `current_version` is the version that serves; if traffic contradicts an announcement, it is the
    observed one. `announced_version` is the version of the newest change if it was announced, `observed_version` the
    version that answered last since that change. `contradiction` describes a difference between the two. `target` is
    null for a deployment that is not configured and has imported runs.
    """

    name: str
    target: str | None
    sets: list[str]
    current_version: VersionItem | None
    announced_version: VersionItem | None = None
    observed_version: VersionItem | None = None
    contradiction: str | None = None
    today: TodayItem | None = None
    interactions: int
    open_alerts: int
    candidates: CandidateCountsItem
