"""When a set needs a person."""

from dataclasses import replace
from datetime import UTC, datetime

from monitor.alerting.checks.condition import ConditionState
from monitor.health.exposure import Exposure
from monitor.health.saturation import Saturation
from monitor.health.staleness import Staleness
from monitor.jobs.alerting.set_conditions import Leak, SetState, set_conditions

FIRING, CLEAR, UNKNOWN = ConditionState.FIRING, ConditionState.CLEAR, ConditionState.UNKNOWN
AT = datetime(2026, 3, 1, 2, tzinfo=UTC)
NEW = SetState(deployment="support", set_name="primes", revision="abcdef0123456789")
EXPOSED = Exposure(
    cases=10,
    budget=400,
    max_exposure=400,
    median=200.0,
    revealed_cases=0,
    over_budget=("a", "b"),
    to_replace=("a", "b"),
    days_left=0.0,
)
SATURATED = Saturation(versions=4, judged=10, share=0.5, always_pass=5, always_fail=0, separating=None, items=())
STALE = Staleness(
    calls=500, cases=50, distant=0.3, distant_low=0.25, distant_high=0.35, uncovered=0.2, uncovered_categories={}
)


def found(state: SetState) -> dict[str, tuple[ConditionState, str]]:
    return {one.rule: (one.state, one.reason) for one in set_conditions(state)}


def test_a_set_without_runs_traffic_or_calls_is_unknown_and_not_exposed() -> None:
    assert {rule: state for rule, (state, _) in found(NEW).items()} == {
        "SetLeaked": UNKNOWN,
        "ExposureBudgetSpent": CLEAR,
        "SetSaturated": UNKNOWN,
        "SetStale": UNKNOWN,
    }


def test_each_rule_fires_with_its_figure_and_its_command() -> None:
    bad = replace(NEW, leak=Leak(calls=3, first_at=AT), exposure=EXPOSED, saturation=SATURATED, staleness=STALE)
    parts = {
        "SetLeaked": ("3 production calls", "2026-03-01 02:00 UTC", "driftd sets leakcheck primes"),
        "ExposureBudgetSpent": ("2 of 10 cases", "400 calls", "driftd sets rotate primes"),
        "SetSaturated": ("50% of the cases", "4 versions", "driftd sets health primes"),
        "SetStale": ("30% of the traffic", "at least 25%", "driftd sets health primes"),
    }
    for rule, (state, reason) in found(bad).items():
        assert state is FIRING
        assert all(part in reason for part in parts[rule]), reason


def test_below_the_limits_a_set_is_clear() -> None:
    good = replace(
        NEW,
        exposure=replace(EXPOSED, over_budget=()),
        saturation=replace(SATURATED, versions=3),
        staleness=replace(STALE, distant_low=0.2),
    )
    states = {rule: state for rule, (state, _) in found(good).items()}
    assert states == {"SetLeaked": UNKNOWN, "ExposureBudgetSpent": CLEAR, "SetSaturated": CLEAR, "SetStale": CLEAR}


def test_a_new_revision_is_another_subject_of_a_leak() -> None:
    subjects = {one.subject for state in (NEW, replace(NEW, revision="f" * 64)) for one in set_conditions(state)}
    assert subjects == {"set primes revision abcdef012345", "set primes revision ffffffffffff", "set primes"}
