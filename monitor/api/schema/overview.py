"""One row per deployment for the overview, and for `driftd status`."""

from datetime import datetime
from typing import Literal

from monitor.api.schema.decided import AcceptanceItem
from monitor.api.schema.wire import Wire

DeploymentStateName = Literal[
    "regression", "pending", "failed", "attention", "stale", "insufficient", "no_data", "improvement", "ok"
]


class NightItem(Wire):
    """The pass rate of one complete run with its 95 % interval (Wilson); the three are null without a scored case."""

    run_id: str
    at: datetime
    version_label: str | None
    passed: int
    scored: int
    rate: float | None
    low: float | None
    high: float | None


class OverviewSetItem(Wire):
    """One set of a deployment: its newest verdict and its newest nights, the oldest first.

    `measured_at` is when the judged run ended. `effect` is the change against the baseline in the channel that the
    verdict is about, with its 95 % interval. `stale_at` is when the verdict counts as stale: when the second planned
    replay after it has not brought another one. `imported` means that the newest run was imported from another tool.
    """

    set_name: str
    kind: Literal["frozen", "dynamic", "unknown"]
    measures: str | None = None
    cases: int
    imported: bool
    verdict: Literal["ok", "regression", "improvement", "insufficient", "failed"] | None
    verdict_at: datetime | None
    measured_at: datetime | None
    reason: str | None
    finding_id: str | None
    run_id: str | None
    channel: str | None
    effect: float | None
    effect_low: float | None
    effect_high: float | None
    held_back: str | None
    acceptance: AcceptanceItem | None
    stale_at: datetime | None
    alert_id: str | None
    nights: list[NightItem]


class OverviewChangeItem(Wire):
    """The newest change of the deployment. Equal labels mean a shift of the system fingerprints."""

    id: str
    at: datetime
    kind: str
    how: str
    from_label: str | None
    to_label: str


class OverviewAlertsItem(Wire):
    """The open alerts by severity. `lead_id` is the most severe one, firing before pending."""

    critical: int
    warning: int
    info: int
    acknowledged: int
    lead_id: str | None
    lead_summary: str | None


class OverviewTrafficItem(Wire):
    """Production calls and corrections of the last seven days and of the current UTC day. `last_call_at` is null when
    no call of these days is stored.
    """

    calls: int
    calls_today: int
    corrections: int
    corrections_today: int
    last_call_at: datetime | None


class OverviewReplayItem(Wire):
    """The replay that is due, running or waiting for its target. `done` of `total` samples have an outcome."""

    run_id: str
    set_name: str
    state: Literal["planned", "running", "waiting"]
    started_at: datetime | None
    done: int
    total: int


class OverviewNextItem(Wire):
    """The next planned replay. `paused` names the schedules of the deployment that a person paused."""

    schedule: str | None
    at: datetime | None
    paused: list[str]


class AreaHealthItem(Wire):
    """The health of the judges, the sets or the ingest of a deployment. `unknown` means that nothing measured it."""

    state: Literal["ok", "problem", "unknown"]
    reason: str


class OverviewItem(Wire):
    """The state of one deployment.

    `ok` means that every set with cases has a recent verdict and that nothing was found. `reason` explains the state,
    and `since` is its beginning, null without one. `ready` candidates can be accepted without an edit.
    """

    deployment: str
    state: DeploymentStateName
    reason: str
    since: datetime | None
    alert_id: str | None
    version_label: str | None
    change: OverviewChangeItem | None
    sets: list[OverviewSetItem]
    alerts: OverviewAlertsItem
    traffic: OverviewTrafficItem
    candidates_proposed: int
    candidates_ready: int
    replay: OverviewReplayItem | None
    next_replay: OverviewNextItem
    judges: AreaHealthItem
    set_health: AreaHealthItem
    ingest: AreaHealthItem
