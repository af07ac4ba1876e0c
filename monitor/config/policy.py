"""Converts settings to the frozen policies that the pure packages use."""

from monitor.config.alert_rules import RuleConfig
from monitor.config.alerts import AlertsConfig
from monitor.config.candidates import CandidatesConfig
from monitor.config.drift_policy import to_drift_policy
from monitor.config.false_alarms import change_share, unannounced_share
from monitor.config.replay import PeriodBudgetConfig, ReplayConfig
from monitor.config.retention import DeploymentRetentionConfig, RetentionLimitConfig
from monitor.config.sets import SamplingConfig
from monitor.config.tree import Config, DeploymentConfig, RetentionConfig, ScheduleConfig, SetConfig
from monitor.domain.candidate_policy import CandidatePolicy, Caps, SeverityPolicy, TrustPolicy
from monitor.domain.evalset import SetKind
from monitor.domain.failure_category import FailureCategory
from monitor.domain.policy import (
    AlertPolicy,
    ChangePolicy,
    DeploymentPolicy,
    EscalationPolicy,
    FlappingPolicy,
    Policy,
    ReplayAlertPolicy,
    ReplayPolicy,
    RetentionLimit,
    RetentionPolicy,
    RulePolicy,
    SamplingPolicy,
    SchedulePolicy,
    SetPolicy,
    TrafficReportPolicy,
    WatchdogPolicy,
)
from monitor.domain.production import ProductionPolicy, Series
from monitor.domain.reproduction import ReproductionPolicy
from monitor.domain.rules import RULES, Area, Rule
from monitor.domain.silence import Maintenance, matcher_of
from replay.evalsets.dynamic.build import Membership
from replay.periods import Period
from replay.run.budget import Budget

_DAILY = frozenset({Area.EVALUATION, Area.SETS})  # rules about what changes once a night
_DAY_S = 86_400.0
MAX_DAYS = 112  # longest history of a production series: sixteen weeks show the usual level


def to_policy(config: Config) -> Policy:
    """Return the policies of every deployment, set and schedule, by name."""
    return Policy(
        deployments={name: _deployment(name, d, config) for name, d in config.deployments.items()},
        sets={name: _set(name, s) for name, s in config.sets.items()},
        schedules={name: _schedule(name, s, config) for name, s in config.schedules.items()},
        alerts=_alerts(config),
        windows={name: section.window(name) for name, section in config.windows.items()},
        default_drift=to_drift_policy(config.imported.drift),
    )


def to_retention_policy(config: Config) -> RetentionPolicy:
    """Return how long rows are kept."""
    settings = config.retention
    return RetentionPolicy(
        check_s=settings.check_h * 3600,
        compact_share=settings.compact_share,
        compact_delay_s=settings.compact_after_d * _DAY_S,
        keep_runs=settings.keep_runs,
        parts=_parts(settings),
        deployments={name: _parts(own) for name, own in settings.deployments.items()},
    )


def to_production_policy(deployment: str, config: Config) -> ProductionPolicy:
    """Return which series of a deployment's traffic are monitored, for the whole days that retention keeps."""
    settings = config.deployments[deployment]
    wanted = settings.drift.production
    price = None if wanted.cost_of_calls else config.targets[settings.target].price
    watched = {
        Series.CORRECTIONS: wanted.corrections,
        Series.IMPLICIT_CORRECTIONS: wanted.implicit_corrections and settings.turn_signals == "on",
        Series.REFUSALS: wanted.refusals,
        Series.AVAILABILITY: wanted.availability,
        Series.LATENCY: wanted.latency,
        Series.COST: wanted.cost and (wanted.cost_of_calls or price is not None),
        Series.TRAFFIC: wanted.traffic and config.traffic_reports.enabled,
    }
    return ProductionPolicy(
        series=tuple(series for series, on in watched.items() if on),
        alpha=wanted.alpha * unannounced_share(config, deployment),
        horizon_days=settings.drift.horizon_nights,
        baseline_days=wanted.baseline_days,
        late_days=wanted.late_days,
        history_days=_kept_days(deployment, config) - wanted.late_days,
        input_usd_per_mtok=price.input_usd_per_mtok if price is not None else None,
        output_usd_per_mtok=price.output_usd_per_mtok if price is not None else None,
        cost_of_calls=wanted.cost_of_calls,
    )


def _kept_days(deployment: str, config: Config) -> int:
    """Return the number of whole days of interactions and feedback that retention by age never cuts."""
    retention = to_retention_policy(config)
    ages = [retention.limit(part, deployment).max_age_s for part in ("interactions", "feedback")]
    return min([MAX_DAYS, *(int(age // _DAY_S) - 2 for age in ages if age is not None)])


def to_traffic_report_policy(config: Config) -> TrafficReportPolicy:
    """Return how and when traffic reports are made."""
    settings = config.traffic_reports
    return TrafficReportPolicy(
        enabled=settings.enabled,
        schedule=SchedulePolicy(
            name=":traffic_reports",  # a configuration cannot use this name
            cron=f"0 {settings.hour_utc} * * *",
            timezone="UTC",
            deployments=tuple(config.deployments),
            catch_up_s=_DAY_S,
        ),
        window_s=settings.window_days * _DAY_S,
        reference_s=settings.reference_days * _DAY_S,
        min_calls=settings.min_calls,
        max_calls=settings.max_calls,
        timeout_s=settings.timeout_s,
        keep_pages=settings.keep_pages,
        keep_numbers_s=settings.keep_numbers_d * _DAY_S,
    )


def _parts(settings: RetentionConfig | DeploymentRetentionConfig) -> dict[str, RetentionLimit]:
    return {part: _limit(value) for part, value in settings if isinstance(value, RetentionLimitConfig)}


def _limit(settings: RetentionLimitConfig) -> RetentionLimit:
    age_d = settings.max_age_d
    return RetentionLimit(max_age_s=None if age_d is None else age_d * _DAY_S, max_rows=settings.max_rows)


def _categories(given: tuple[str, ...] | dict[str, FailureCategory]) -> tuple[str, ...]:
    """Return the sub-categories as `parent/name`, or as names without a parent."""
    return tuple(f"{parent.value}/{name}" for name, parent in given.items()) if isinstance(given, dict) else given


def _deployment(name: str, settings: DeploymentConfig, config: Config) -> DeploymentPolicy:
    changes, drift = settings.changes, settings.drift
    target = config.targets[settings.target]
    return DeploymentPolicy(
        name=name,
        target=settings.target,
        keep_prompts=target.prompt_from == "announced",
        prompt_id=target.prompt.id if target.prompt else None,
        cleared_for=tuple(label.value for label in target.cleared_for),
        sets=settings.sets,
        turn_signals=settings.turn_signals == "on",
        failure_categories=_categories(settings.failure_categories),
        changes=ChangePolicy(
            identity=settings.identity,
            min_interactions=changes.min_interactions,
            takeover_share=changes.takeover_share,
            fingerprint_alpha=changes.fingerprint_alpha,
            fingerprint_distance=changes.fingerprint_distance,
        ),
        replay=_replay(settings.replay),
        reproduction=ReproductionPolicy(**settings.reproduction.model_dump()),
        drift=to_drift_policy(drift, change=change_share(config, name), unannounced=unannounced_share(config, name)),
        production=to_production_policy(name, config),
        candidates=_candidates(settings.candidates),
    )


def _candidates(settings: CandidatesConfig) -> CandidatePolicy:
    trust, usual = settings.trust, SeverityPolicy()
    return CandidatePolicy(
        caps=Caps(per_user=settings.max_per_user_day, per_tenant=settings.max_per_tenant_day),
        trust=TrustPolicy(
            by_source={"user": trust.user, "reviewer": trust.reviewer}, by_user=trust.users, implicit=trust.implicit
        ),
        severities=SeverityPolicy(
            by_word={**usual.by_word, **settings.severity_words}, by_name={**usual.by_name, **settings.severities}
        ),
        tenant_attribute=settings.tenant_attribute,
    )


def _replay(settings: ReplayConfig) -> ReplayPolicy:
    budget = settings.budget
    return ReplayPolicy(
        budget=Budget(
            usd=budget.usd,
            tokens=budget.tokens,
            requests=budget.requests,
            seconds=None if budget.minutes is None else budget.minutes * 60.0,
        ),
        retries=settings.retries,
        retry_s=settings.retry_minutes * 60.0,
        periods={
            period: Budget(usd=limits.usd, tokens=limits.tokens, requests=limits.requests)
            for period, limits in ((Period.DAY, settings.daily_budget), (Period.MONTH, settings.monthly_budget))
            if limits != PeriodBudgetConfig()
        },
    )


def _set(name: str, settings: SetConfig) -> SetPolicy:
    rule = settings.membership
    return SetPolicy(
        name=name,
        kind=settings.kind,
        samples=settings.samples,
        max_cases=settings.max_cases,
        auto_accept=settings.auto_accept,
        reviewers=settings.reviewers,
        exposure_budget=settings.exposure_budget if settings.kind is SetKind.FROZEN else None,
        labels=tuple(label.value for label in settings.labels),
        contamination_aware=settings.contamination_aware,
        measures=settings.measures,
        membership=Membership(
            max_age_s=None if rule.max_age_d is None else rule.max_age_d * _DAY_S,
            max_per_user=rule.max_per_user,
            strata=rule.strata,
            overlap=rule.overlap,
        ),
        sampling=_sampling(settings.sampling),
    )


def _sampling(settings: SamplingConfig) -> SamplingPolicy:
    return SamplingPolicy(
        cases=settings.max_cases,
        per_night=settings.per_night,
        max_age_s=settings.max_age_d * _DAY_S,
        keep_unreviewed_s=settings.keep_unreviewed_d * _DAY_S,
        severity={intent: severity.value for intent, severity in settings.severity.items()},
    )


def _schedule(name: str, settings: ScheduleConfig, config: Config) -> SchedulePolicy:
    return SchedulePolicy(
        name=name,
        cron=settings.cron if settings.every is None else None,
        timezone=settings.timezone,
        deployments=settings.deployments,
        catch_up_s=settings.catch_up_h * 3600,
        every_s=settings.every_s,
        anchor=settings.anchor_at,
        jitter_s=settings.jitter_s,
        blackouts=tuple(config.windows[window].window(window) for window in settings.blackouts),
        postpone=settings.in_blackout == "postpone",
    )


def _alerts(config: Config) -> AlertPolicy:
    alerts = config.alerts
    return AlertPolicy(
        for_s=alerts.for_s,
        repeat_s=alerts.repeat_s,
        receivers=alerts.receivers,
        dashboard_url=config.api.dashboard_url,
        backoff_s=alerts.backoff_s,
        max_pause_s=alerts.max_pause_s,
        max_per_minute=alerts.max_per_minute,
        watchdog=WatchdogPolicy(receivers=alerts.watchdog.receivers, every_s=alerts.watchdog.every_s),
        replays=ReplayAlertPolicy(
            grace_s=alerts.replays.grace_h * 3600,
            empty_s=alerts.replays.empty_days * _DAY_S,
            repeat_s=alerts.replays.repeat_h * 3600,
        ),
        checks=alerts.checks.policy(),
        rules={name: _rule(rule, alerts) for name, rule in RULES.items()},
        runbook_url=alerts.runbook_url,
        cleared_for={name: tuple(each.value for each in row.cleared_for) for name, row in config.receivers.items()},
        imported_max_age_s=alerts.imported_max_age_h * 3600,
        change_receivers=tuple(name for name, row in config.receivers.items() if row.gets_change_events),
        acknowledging=tuple(name for name, row in config.receivers.items() if row.ACKNOWLEDGES),
        maintenance=tuple(
            Maintenance(window=each.window(name), matchers=tuple(matcher_of(text) for text in each.matchers))
            for name, each in alerts.maintenance.items()
        ),
        group_by=alerts.group_by,
        group_wait_s=alerts.group_wait_s,
        group_interval_s=alerts.group_interval_s,
        escalation=EscalationPolicy(
            after_s=alerts.escalation.after_s,
            receivers=alerts.escalation.receivers,
            severity=alerts.escalation.severity,
        ),
        flapping=FlappingPolicy(
            episodes=alerts.flapping.episodes,
            window_s=alerts.flapping.window_h * 3600,
            clear_s=alerts.flapping.clear_h * 3600,
        ),
    )


def _rule(rule: Rule, alerts: AlertsConfig) -> RulePolicy:
    """Return the settings of a rule: its own section, then its defaults, then those of all alerts."""
    own = alerts.rules.get(rule.name) or RuleConfig()
    waits = alerts.for_s if rule.area is Area.QUALITY else rule.for_s
    return RulePolicy(
        name=rule.name,
        enabled=own.enabled,
        severity=own.severity,
        for_s=waits if own.for_s is None else own.for_s,
        keep_firing_for_s=rule.keep_firing_for_s if own.keep_firing_for_s is None else own.keep_firing_for_s,
        repeat_s=own.repeat_s or (alerts.replays.repeat_h * 3600 if rule.area in _DAILY else alerts.repeat_s),
        receivers=own.receivers or alerts.receivers,
    )
