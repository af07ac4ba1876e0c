from dataclasses import asdict, replace
from datetime import UTC, datetime

import pytest

from monitor.config.policy import to_policy
from monitor.domain.check_policy import CheckPolicy
from monitor.domain.evalset import SetKind
from monitor.domain.production import Series
from monitor.domain.rules import RULES
from monitor.errors import ConfigError
from tests.config.builders import config


def test_every_key_reaches_the_policy() -> None:
    policy = to_policy(
        config(
            api__dashboard_url="http://dash",
            deployments__support__failure_categories=["rude"],
            deployments__support__identity=["prompt"],
            deployments__support__changes={"min_interactions": 7, "takeover_share": 0.6, "fingerprint_alpha": 0.01},
            deployments__support__drift={"alpha_change": 0.02, "horizon_nights": 90, "min_cases": 5},
            sets__corrections__auto_accept=True,
            sets__corrections__max_cases=9,
            sets__corrections__contamination_aware=True,
            sets__corrections__measures="Whether answers are right that users corrected.",
            sets__corrections__samples=3,
            sets__corrections__labels=["pii"],
            sets__corrections__sampling={
                "max_cases": 50,
                "per_night": 4,
                "max_age_d": 5,
                "keep_unreviewed_d": 2,
                "severity": {"refunds": "high"},
            },
            sets__corrections__membership={"max_age_d": 10, "max_per_user": 2, "strata": ["category"], "overlap": 0.5},
            targets__model__cleared_for=["confidential"],
            receivers__hook__cleared_for=["pii"],
            schedules__nightly={"cron": "30 4 * * *", "timezone": "Europe/Berlin", "catch_up_h": 2},
            alerts={
                "for_s": 60,
                "repeat_s": 120,
                "backoff_s": 1,
                "max_pause_s": 60,
                "imported_max_age_h": 5,
                "replays": {"grace_h": 2},
                "checks": {
                    "replay_start_minutes": 1,
                    "replay_late_factor": 2,
                    "replay_late_minutes": 5,
                    "change_hours": 2,
                    "target_failed_share": 0.4,
                    "ingest_window_minutes": 5,
                    "ingest_fewest": 3,
                    "refused_share": 0.3,
                    "dead_letter_share": 0.2,
                    "intake_share": 0.8,
                    "commit_wait_s": 9,
                    "disk_free_share": 0.01,
                    "disk_free_gb": 4,
                    "candidate_days": 1,
                    "candidates_most": 6,
                    "traffic_false_alarms": 2,
                },
                "rules": {"ReplayMissed": {"severity": "critical", "for_s": 5, "receivers": ["hook"]}},
                "group_by": ["deployment"],
                "runbook_url": "https://wiki/runbooks",
                "group_wait_s": 1,
                "group_interval_s": 2,
                "escalation": {"after_s": 600, "severity": "warning"},
                "flapping": {"episodes": 5, "window_h": 1, "clear_h": 2},
            },
        )
    )
    support = policy.deployments["support"]
    assert asdict(support.changes) == {
        "identity": ("prompt",),
        "min_interactions": 7,
        "takeover_share": 0.6,
        "fingerprint_alpha": 0.01,
        "fingerprint_distance": 0.5,
    }
    assert asdict(support.drift) == {
        "alpha_change": 0.02,
        "alpha_silent": 0.05,
        "horizon_nights": 90,
        "min_cases": 5,
        "judges": {"reviews": 20, "each": 5, "kappa": 0.4},
        "min_scored_share": 0.9,
        "first_look_effect": 0.2,
        "min_effect": 0.0,
        "baseline_nights": 14,
        "repeat_share": 0.1,
        "accept_after_nights": None,
        "attribution_calls": 0,
        "attribution_usd": 1.0,
        "watched_share": 0.2,
        "gate_failures": 2,
    }
    assert (support.name, support.target, support.sets) == ("support", "model", ("primes", "corrections"))
    assert support.failure_categories == ("rude",)
    assert asdict(policy.sets["corrections"]) == {
        "name": "corrections",
        "kind": SetKind.DYNAMIC,
        "samples": 3,
        "max_cases": 9,
        "auto_accept": True,
        "reviewers": 1,  # two reviewers exclude auto_accept
        "contamination_aware": True,
        "measures": "Whether answers are right that users corrected.",
        "exposure_budget": None,
        "labels": ("pii",),
        "membership": {"max_age_s": 864_000.0, "max_per_user": 2, "strata": ("category",), "overlap": 0.5},
        "sampling": {
            "cases": 50,
            "per_night": 4,
            "max_age_s": 432_000.0,
            "keep_unreviewed_s": 172_800.0,
            "severity": {"refunds": "high"},
        },
    }
    assert policy.deployments["support"].cleared_for == ("confidential",)
    assert policy.sets["primes"].exposure_budget == 400
    assert policy.sets["primes"].kind is SetKind.FROZEN
    assert asdict(policy.schedules["nightly"]) == {
        "name": "nightly",
        "cron": "30 4 * * *",
        "timezone": "Europe/Berlin",
        "deployments": ("support",),
        "catch_up_s": 7200.0,
        "every_s": None,
        "anchor": datetime(1970, 1, 1, tzinfo=UTC),
        "jitter_s": 0.0,
        "blackouts": (),
        "postpone": True,
    }
    rules = policy.alerts.rules
    assert set(rules) == set(RULES)
    assert asdict(rules["ReplayMissed"]) == {
        "name": "ReplayMissed",
        "enabled": True,
        "severity": "critical",
        "for_s": 5.0,
        "keep_firing_for_s": 0.0,
        "repeat_s": 86_400.0,
        "receivers": ("hook",),
    }
    assert rules["IngestLagging"].repeat_s == 120.0
    assert (rules["IngestLagging"].for_s, rules["QualityRegression"].for_s) == (300.0, 60.0)
    assert asdict(replace(policy.alerts, rules={})) == {
        "rules": {},
        "group_by": ("deployment",),
        "group_wait_s": 1.0,
        "group_interval_s": 2.0,
        "max_per_minute": 30,
        "watchdog": {"every_s": 60.0, "receivers": ()},
        "maintenance": (),
        "acknowledging": (),
        "change_receivers": (),
        "runbook_url": "https://wiki/runbooks",
        "cleared_for": {"hook": ("pii",)},
        "escalation": {"after_s": 600.0, "receivers": (), "severity": "warning"},
        "flapping": {"episodes": 5, "window_s": 3600.0, "clear_s": 7200.0},
        "for_s": 60.0,
        "repeat_s": 120.0,
        "receivers": ("hook",),
        "dashboard_url": "http://dash",
        "max_pause_s": 60,
        "imported_max_age_s": 18_000.0,
        "replays": {
            "grace_s": 7200.0,
            "empty_s": 604_800.0,
            "repeat_s": 86_400.0,
        },
        "checks": {
            "replay_start_s": 60.0,
            "replay_late_factor": 2.0,
            "replay_late_least_s": 300.0,
            "change_s": 7200.0,
            "target_failed_share": 0.4,
            "ingest_window_s": 300.0,
            "ingest_fewest": 3,
            "refused_share": 0.3,
            "dead_letter_share": 0.2,
            "intake_share": 0.8,
            "commit_wait_s": 9.0,
            "disk_free_share": 0.01,
            "disk_free_bytes": 4e9,
            "candidate_age_s": 86_400.0,
            "candidates_most": 6,
            "traffic_false_alarms": 2.0,
        },
        "backoff_s": 1.0,
    }


def test_the_history_of_production_series_follows_the_retention() -> None:
    watched = to_policy(config()).deployments["support"].production
    assert watched.series == tuple(series for series in Series if series is not Series.COST)  # the target has no price
    assert (watched.alpha, watched.horizon_days, watched.baseline_days, watched.late_days) == (0.05, 180, 28, 2)
    assert watched.history_days == 90 - 2 - 2
    short = config(retention={"feedback": {"max_age_d": 40}}, deployments__support__drift={"horizon_nights": 90})
    assert to_policy(short).deployments["support"].production.history_days == 36
    assert to_policy(short).deployments["support"].production.horizon_days == 90
    kept = config(retention={"interactions": {"max_age_d": None}, "feedback": {"max_age_d": None}})
    assert to_policy(kept).deployments["support"].production.history_days == 112 - 2


def test_each_production_series_can_be_disabled() -> None:
    off = {series.value: False for series in Series if series is not Series.LATENCY}
    only = config(deployments__support__drift={"production": {**off, "alpha": 0.01}})
    assert to_policy(only).deployments["support"].production.series == (Series.LATENCY,)
    priced = config(targets__model__price={"input_usd_per_mtok": 1.0, "output_usd_per_mtok": 4.0})
    watched = to_policy(priced).deployments["support"].production
    assert Series.COST in watched.series
    assert (watched.input_usd_per_mtok, watched.output_usd_per_mtok) == (1.0, 4.0)
    free = config(deployments__support__drift={"production": {"cost_of_calls": True}})
    watched = to_policy(free).deployments["support"].production
    assert (Series.COST in watched.series, watched.cost_of_calls, watched.input_usd_per_mtok) == (True, True, None)
    without = to_policy(config(traffic_reports={"enabled": False})).deployments["support"].production
    assert Series.TRAFFIC not in without.series


def test_a_limit_of_attempts_is_refused_with_a_correction() -> None:
    with pytest.raises(ConfigError, match=r"alerts\.max_attempts: remove this key: a notification stays due"):
        config(alerts__max_attempts=8)


@pytest.mark.parametrize(
    ("key", "rule"),
    [
        ("failed", "ReplayFailed"),
        ("insufficient", "ReplayInsufficient"),
        ("missed", "ReplayMissed"),
        ("too_few_cases", "DynamicSetTooSmall"),
    ],
)
def test_a_moved_severity_is_refused_with_its_new_key(key: str, rule: str) -> None:
    with pytest.raises(ConfigError, match=rf"alerts\.replays\.{key}: this key moved: set alerts\.rules\.{rule}\."):
        config(alerts__replays={key: "off"})


def test_the_defaults_of_the_thresholds_are_those_of_the_configuration() -> None:
    assert to_policy(config()).alerts.checks == CheckPolicy()


def test_the_deployment_needs_as_many_reviewers_as_its_strictest_set() -> None:
    policy = to_policy(config(sets__corrections__reviewers=2))
    assert policy.reviewers_of("support") == 2
    assert policy.reviewers_of("unknown") == to_policy(config()).reviewers_of("support") == 1


def test_two_reviewers_and_auto_accept_exclude_each_other() -> None:
    with pytest.raises(ConfigError, match=r"sets.corrections.reviewers: two reviewers cannot agree"):
        config(sets__corrections__reviewers=2, sets__corrections__auto_accept=True)
