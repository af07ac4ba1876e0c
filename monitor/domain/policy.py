"""Parts of the configuration that the pure modules need, as frozen dataclasses. app.py builds them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from monitor.domain.calendar.windows import Window
from monitor.domain.candidate_policy import CandidatePolicy
from monitor.domain.check_policy import CheckPolicy
from monitor.domain.evalset import SetKind
from monitor.domain.judge_standing import DEFAULT_LIMITS, JudgeLimits
from monitor.domain.production import ProductionPolicy
from monitor.domain.reproduction import NO_REPRODUCTION, ReproductionPolicy
from monitor.domain.silence import Maintenance
from replay.evalsets.dynamic.build import ANYONE, Membership
from replay.periods import Period
from replay.run.budget import Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePolicy:
    """When a difference in traffic counts as a change."""

    identity: tuple[str, ...]  # names of identity fields, in order: "response_model", "prompt", ...
    min_interactions: int  # a new identity counts as a version from this many interactions on
    takeover_share: float  # a known version is current again when it serves this share of the last window
    fingerprint_alpha: float  # a fingerprint distribution has shifted at this p-value ...
    fingerprint_distance: float  # ... and at least this total variation distance


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftPolicy:
    """When drift counts as a regression. alpha is family-wise over all monitored channels."""

    alpha_change: float  # per announced change
    alpha_silent: float  # over all scheduled nights of the horizon together
    horizon_nights: int
    min_cases: int  # fewer scored pairs than this are insufficient
    min_scored_share: float  # a run with a smaller share of scored cases is insufficient, never worse
    min_effect: float  # a significant overall drop smaller than this is no regression
    baseline_nights: int  # nights of a set before the search for unannounced drift begins
    repeat_share: float  # share of a night's cases that get a repeated answer for the noise floor
    accept_after_nights: int | None  # nights at a new level until it becomes the baseline automatically. None: never
    attribution_calls: int = 0  # limit of the calls to a model or a hosted judge for one investigation ...
    attribution_usd: float = 0.0  # ... and of their cost
    first_look_effect: float = 0.0  # drop after a change that a first part of a frozen set announces. 0: no part
    watched_share: float = 0.2  # of alpha, for all watched metrics of a set together; the rest is its verdict's
    gate_failures: int = 2  # fresh samples of a critical case with forbidden content until the severity gate alerts
    judges: JudgeLimits = DEFAULT_LIMITS  # reviews and agreement that validate a judge


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayAlertPolicy:
    """When alerts about the replays of a set open, and how often they are sent again."""

    grace_s: float = 21_600.0  # a replay is missed if it has not ended this long after its instant
    empty_s: float = 604_800.0  # a dynamic set may be empty for this time
    repeat_s: float = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePolicy:
    """The settings of one alerting rule. `severity` replaces that of the findings if it is set."""

    name: str
    enabled: bool = True
    severity: str | None = None
    for_s: float = 0.0
    keep_firing_for_s: float = 0.0
    repeat_s: float = 14_400.0
    receivers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationPolicy:
    """Notifies more receivers of an alert that fires and is not acknowledged. Without receivers, nothing escalates."""

    after_s: float = 1800.0
    receivers: tuple[str, ...] = ()
    severity: str = "critical"  # the mildest severity that escalates


@dataclass(frozen=True, slots=True, kw_only=True)
class FlappingPolicy:
    """When an alert flaps: it resolved `episodes` times within `window_s`. Then it keeps firing for `clear_s`."""

    episodes: int = 3
    window_s: float = 604_800.0
    clear_s: float = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchdogPolicy:
    """The alert that always fires, and the receivers that notice when it stops."""

    receivers: tuple[str, ...] = ()
    every_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPolicy:
    for_s: float  # a regression stays pending for this time before it fires
    repeat_s: float  # repeat interval of a firing alert
    receivers: tuple[str, ...]  # of alerts whose rule names none
    dashboard_url: str | None
    backoff_s: float  # pause after a failed attempt, doubled each time ...
    max_pause_s: float  # ... up to this, until the receiver can be reached
    max_per_minute: int = 30  # attempts of one receiver
    watchdog: WatchdogPolicy = WatchdogPolicy()
    replays: ReplayAlertPolicy = ReplayAlertPolicy()
    checks: CheckPolicy = field(default_factory=CheckPolicy)
    rules: Mapping[str, RulePolicy] = field(default_factory=dict)
    group_by: tuple[str, ...] = ("deployment", "change")
    group_wait_s: float = 0.0  # from the first firing alert of a group to its first notification
    group_interval_s: float = 300.0  # between notifications about other alerts of the group
    escalation: EscalationPolicy = EscalationPolicy()
    flapping: FlappingPolicy = FlappingPolicy()
    maintenance: tuple[Maintenance, ...] = ()
    acknowledging: tuple[str, ...] = ()  # receivers that show an acknowledgement
    change_receivers: tuple[str, ...] = ()  # receivers that record changes of versions and of baselines
    runbook_url: str | None = None  # base of the runbook pages
    cleared_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # data labels by name of the receiver
    imported_max_age_s: float = 172_800.0  # an older imported run opens no alert

    def rule(self, name: str) -> RulePolicy:
        """Return the settings of a rule. A rule without a section has the settings of all alerts."""
        return self.rules.get(name) or RulePolicy(
            name=name, for_s=self.for_s, repeat_s=self.repeat_s, receivers=self.receivers
        )

    @property
    def outbox_receivers(self) -> tuple[str, ...]:
        """Return every receiver that the outbox can have notifications for, each once."""
        return tuple(dict.fromkeys([*self.all_receivers, *self.change_receivers]))

    @property
    def all_receivers(self) -> tuple[str, ...]:
        """Return every receiver that a rule, the default or an escalation names, each once."""
        named = [*self.receivers, *self.escalation.receivers]
        named += [name for rule in self.rules.values() for name in rule.receivers]
        return tuple(dict.fromkeys(named))


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingPolicy:
    """The sampled part of a dynamic set. `severity` has the severity of calls by intent; others are medium."""

    cases: int = 100  # size of the part; 0 switches sampling off
    per_night: int = 10  # calls that are drawn and proposed for review
    max_age_s: float = 90 * 86_400.0  # after which a case leaves
    keep_unreviewed_s: float = 14 * 86_400.0  # after which an unreviewed call is removed
    severity: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPolicy:
    name: str
    kind: SetKind
    samples: int
    max_cases: int  # of a dynamic set: size of the corrected part
    auto_accept: bool  # of a dynamic set: candidates with an expectation enter without review
    exposure_budget: int | None = None  # of a frozen set: calls and reveals of a case until it should be replaced
    labels: tuple[str, ...] = ()  # kinds of data in its cases; a target must be cleared for them
    membership: Membership = ANYONE  # of a dynamic set: the condition for entering it
    reviewers: int = 1  # of a dynamic set: people who must agree before a candidate is accepted
    sampling: SamplingPolicy = SamplingPolicy()  # of a dynamic set
    contamination_aware: bool = False  # cases of a benchmark with a canary are allowed
    measures: str | None = None  # what its pass rate means, in the words of its owner


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePolicy:
    """A cron line in a time zone, or an interval. Of several missed instants only the latest is caught up."""

    name: str
    cron: str | None  # None: `every_s` applies
    timezone: str
    deployments: tuple[str, ...]
    catch_up_s: float  # an instant older than this is not caught up
    every_s: float | None = None  # elapsed time between two instants
    anchor: datetime = datetime(1970, 1, 1, tzinfo=UTC)  # an instant of the interval
    jitter_s: float = 0.0  # longest delay, which differs between deployments
    blackouts: tuple[Window, ...] = ()  # nothing is planned inside them
    postpone: bool = True  # an instant inside a blackout runs at its end; False: it is skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayPolicy:
    """The budget of a run, and its retries while the target is unavailable."""

    budget: Budget
    retries: int
    retry_s: float  # doubled each time
    periods: Mapping[Period, Budget] = field(default_factory=dict)  # budgets shared by all runs of the deployment


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
    candidates: CandidatePolicy = field(default_factory=CandidatePolicy)
    keep_prompts: bool = False  # store announced prompt texts, from which the target takes its prompt
    prompt_id: str | None = None  # of the deployed prompt, from the configuration
    cleared_for: tuple[str, ...] = ()  # labels of sets that its target may receive
    reproduction: ReproductionPolicy = NO_REPRODUCTION
    turn_signals: bool = True  # search the turns of users for corrections


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The configured deployments, sets, schedules and windows by name. `default_drift` applies to a deployment that is
    not configured and has imported runs; None: these runs are not judged.
    """

    deployments: Mapping[str, DeploymentPolicy]
    sets: Mapping[str, SetPolicy]
    schedules: Mapping[str, SchedulePolicy]
    alerts: AlertPolicy
    windows: Mapping[str, Window] = field(default_factory=dict)
    default_drift: DriftPolicy | None = None

    def drift_of(self, deployment: str) -> DriftPolicy | None:
        """Return when the runs of a deployment, configured or not, count as a regression."""
        found = self.deployments.get(deployment)
        return self.default_drift if found is None else found.drift

    def reviewers_of(self, deployment: str) -> int:
        """Return how many people must agree before a candidate of the deployment is accepted."""
        found = self.deployments.get(deployment)
        return max((self.sets[name].reviewers for name in found.sets if name in self.sets), default=1) if found else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionLimit:
    """Retention limits; None is no limit."""

    max_age_s: float | None = None
    max_rows: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPolicy:
    """Retention by part: interactions, feedback, candidates, outcomes, dead_letters, span_content, idempotency and
    audit.
    """

    check_s: float  # interval of the check for expired rows
    compact_share: float  # compact the file when this share of its rows was removed ...
    compact_delay_s: float  # ... or when the oldest removal is this old
    keep_runs: int  # the newest runs of a set that stay at any age
    parts: Mapping[str, RetentionLimit]
    deployments: Mapping[str, Mapping[str, RetentionLimit]]  # by deployment and part

    def limit(self, part: str, deployment: str | None = None) -> RetentionLimit:
        own = self.deployments.get(deployment, {}) if deployment is not None else {}
        return own.get(part) or self.parts.get(part, RetentionLimit())


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficReportPolicy:
    """The windows and limits of a traffic report, which compares a window with the reference before it."""

    enabled: bool
    schedule: SchedulePolicy  # for all deployments
    window_s: float
    reference_s: float
    min_calls: int
    max_calls: int
    timeout_s: float
    keep_pages: int  # of each deployment
    keep_numbers_s: float


class DataLabel(StrEnum):
    """The kind of data in a set. `public` needs no clearance. A set without labels has no restriction."""

    PUBLIC = "public"
    CONFIDENTIAL = "confidential"
    PII = "pii"


def may_receive(labels: Sequence[str], cleared_for: Sequence[str]) -> bool:
    """Return whether a receiver gets texts of data with these labels. Data without a label counts as confidential."""
    return all(label in cleared_for for label in (labels or (DataLabel.CONFIDENTIAL,)))


def judge_refusal(
    set_name: str, labels: Sequence[str], judge: str, target: str, cleared_for: Sequence[str]
) -> str | None:
    """Return why the judge must not read the cases of the set; None when it may."""
    missing = [label for label in labels if label != DataLabel.PUBLIC and label not in cleared_for]
    if not missing:
        return None
    return (
        f"eval set {set_name!r} is labelled {' and '.join(missing)}, for which target {target!r} of judge {judge!r} is "
        f"not cleared; add it to targets.{target}.cleared_for, or choose another judge"
    )


def refusal(deployment: DeploymentPolicy, eval_set: SetPolicy) -> str | None:
    """Return why the set must not be replayed against the target of the deployment; None when it may."""
    needed = [label for label in eval_set.labels if label != DataLabel.PUBLIC]
    missing = [label for label in needed if label not in deployment.cleared_for]
    if not missing:
        return None
    return (
        f"eval set {eval_set.name!r} is labelled {' and '.join(missing)}, for which target {deployment.target!r} of "
        f"deployment {deployment.name!r} is not cleared; "
        f"add it to targets.{deployment.target}.cleared_for, or replay the set elsewhere"
    )
