"""What the pure rooms are told to do: frozen slices of the configuration, built by app.py."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from monitor.domain.evalset import SetKind
from monitor.domain.production import ProductionPolicy
from monitor.domain.replay_health import ReplayState
from replay.evalsets.dynamic import ANYONE, Membership
from replay.periods import Period
from replay.run.budget import Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePolicy:
    """When a difference in traffic is a change."""

    identity: tuple[str, ...]  # names of identity fields, in order: "response_model", "prompt", ...
    min_interactions: int  # a new identity counts as a version from so many interactions on
    takeover_share: float  # a known version is current again when it serves this share of the last window
    fingerprint_alpha: float  # a fingerprint distribution has shifted at this p-value ...
    fingerprint_distance: float  # ... and at least this total variation distance


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftPolicy:
    """When drift is a regression. alpha is family-wise over every channel that is watched."""

    alpha_change: float  # per known change
    alpha_silent: float  # over all scheduled nights of the horizon together
    horizon_nights: int
    min_cases: int  # fewer scored pairs than this are insufficient
    min_scored_share: float  # a run with a smaller share of scored cases is insufficient, never worse
    min_effect: float  # a significant overall drop smaller than this is no regression
    baseline_nights: int  # of a set, before drift without a known change is looked for
    repeat_share: float  # of a night's cases, asked once more for the noise floor
    accept_after_nights: int | None  # at a new level; then it becomes the baseline by itself. None: never
    attribution_calls: int = 0  # of a model or a hosted judge, that explaining one alarm may cost ...
    attribution_usd: float = 0.0  # ... and its money


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayAlertPolicy:
    """How bad replays are that fail, say too little or do not happen: a severity each; None opens no alert."""

    failed: str | None = "warning"
    insufficient: str | None = "warning"
    missed: str | None = "warning"
    too_few_cases: str | None = "info"
    grace_s: float = 21_600.0  # from the planned instant to the end of its run
    empty_s: float = 604_800.0  # a dynamic set may be without cases for so long
    repeat_s: float = 86_400.0  # such an alert is sent again after this

    def severity(self, state: ReplayState) -> str | None:
        """Of a good state, that of its finding."""
        match state:
            case ReplayState.GOOD:
                return "info"
            case ReplayState.FAILED:
                return self.failed
            case ReplayState.INSUFFICIENT:
                return self.insufficient
            case ReplayState.TOO_FEW_CASES:
                return self.too_few_cases
            case ReplayState.MISSED:
                return self.missed


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPolicy:
    for_s: float  # a regression stays pending so long before it fires
    repeat_s: float  # a firing alert is sent again after this
    receivers: tuple[str, ...]
    dashboard_url: str | None
    backoff_s: float  # pause after a failed attempt, doubled each time ...
    longest_pause_s: float  # ... up to this, for as long as the receiver cannot be reached
    replays: ReplayAlertPolicy = ReplayAlertPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPolicy:
    name: str
    kind: SetKind
    samples: int
    max_cases: int  # of a dynamic set: the newest accepted candidates are kept
    auto_accept: bool  # of a dynamic set: candidates with an expectation enter without a review
    exposure_budget: int | None = None  # of a frozen set: calls and reveals of a case until it should be replaced
    labels: tuple[str, ...] = ()  # what its cases hold; a target must be cleared for them
    membership: Membership = ANYONE  # of a dynamic set: who may be in it


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePolicy:
    """A cron line in a time zone; a missed instant is caught up once, the latest alone."""

    name: str
    cron: str
    timezone: str
    deployments: tuple[str, ...]
    catch_up_s: float  # an instant older than this is not caught up


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayPolicy:
    """What a run may cost, and how often it is put off while its target is out."""

    budget: Budget
    retries: int
    retry_s: float  # doubled each time
    periods: Mapping[Period, Budget] = field(default_factory=dict)  # what all runs of the deployment share


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentPolicy:
    name: str
    target: str
    sets: tuple[str, ...]
    failure_categories: tuple[str, ...]
    changes: ChangePolicy
    replay: ReplayPolicy
    drift: DriftPolicy
    production: ProductionPolicy
    keep_prompts: bool = False  # texts told with announcements are kept: its target takes its prompt from them
    prompt_id: str | None = None  # of the deployed prompt, as the configuration names it
    cleared_for: tuple[str, ...] = ()  # labels of sets that its target may be sent


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Everything decided by configuration, by name."""

    deployments: Mapping[str, DeploymentPolicy]
    sets: Mapping[str, SetPolicy]
    schedules: Mapping[str, SchedulePolicy]
    alerts: AlertPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """How much of something stays; None is no limit."""

    max_age_s: float | None = None
    max_rows: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPolicy:
    """What is kept, by part: interactions, feedback, candidates, outcomes, dead_letters, span_content, answers."""

    check_s: float  # how often rows beyond their limits are looked for
    rewrite_share: float  # the file is rewritten once so much of its rows were removed ...
    rewrite_delay_s: float  # ... or the oldest removal is this old
    keep_runs: int  # the newest runs of a set that stay at any age
    parts: Mapping[str, Keep]
    deployments: Mapping[str, Mapping[str, Keep]]  # what one deployment keeps instead, by part

    def keep(self, part: str, deployment: str | None = None) -> Keep:
        own = self.deployments.get(deployment, {}) if deployment is not None else {}
        return own.get(part) or self.parts.get(part, Keep())


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficReportPolicy:
    """How traffic of a window is compared with that of the reference before it."""

    enabled: bool
    schedule: SchedulePolicy  # when, for every deployment
    window_s: float
    reference_s: float
    min_calls: int
    max_calls: int
    timeout_s: float
    keep_pages: int  # of each deployment
    keep_numbers_s: float


class DataLabel(StrEnum):
    """What a set holds. `public` needs no clearance; a set without labels says nothing, and is held back nowhere."""

    PUBLIC = "public"
    CONFIDENTIAL = "confidential"
    PII = "pii"


def refusal(deployment: DeploymentPolicy, eval_set: SetPolicy) -> str | None:
    """Why the set must not be replayed against the deployment's target; None when it may."""
    needed = [label for label in eval_set.labels if label != DataLabel.PUBLIC]
    missing = [label for label in needed if label not in deployment.cleared_for]
    if not missing:
        return None
    return (
        f"eval set {eval_set.name!r} is labelled {' and '.join(missing)}, for which target {deployment.target!r} of "
        f"deployment {deployment.name!r} is not cleared; "
        f"add it to targets.{deployment.target}.cleared_for, or replay the set elsewhere"
    )
