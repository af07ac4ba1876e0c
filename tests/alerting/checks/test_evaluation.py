"""When budgets, changes and candidates need a person."""

from datetime import UTC, datetime, timedelta

from monitor.alerting.checks.budgets import budget_condition
from monitor.alerting.checks.candidates import Waiting, candidates_condition
from monitor.alerting.checks.changes import change_condition
from monitor.alerting.checks.condition import ConditionState
from monitor.domain.budgets import BudgetState
from monitor.domain.check_policy import CheckPolicy
from monitor.domain.version import Change, ChangeKind, How
from replay.periods import Period
from replay.run.budget import Budget, Spent

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)
DAY = timedelta(days=1)
FIRING, CLEAR, UNKNOWN = ConditionState.FIRING, ConditionState.CLEAR, ConditionState.UNKNOWN
CHANGE = Change(
    id="change-1",
    deployment="support",
    at=NOW - 2 * DAY,
    noted_at=NOW - 2 * DAY,
    kind=ChangeKind.MODEL,
    how=How.OBSERVED,
    from_version="a",
    to_version="b",
)


def budget(met: str | None) -> BudgetState:
    return BudgetState(
        deployment="support",
        period=Period.DAY,
        budget=Budget(requests=500),
        spent=Spent(requests=500),
        met=met,
        renewed_at=NOW + DAY,
    )


def test_a_spent_budget_fires_with_its_figure_its_key_and_its_renewal() -> None:
    found = budget_condition(budget("requests of the day"))
    assert (found.state, found.subject) == (FIRING, "day budget")
    for part in (
        "500 of 500 requests",
        "deployments.support.replay.daily_budget.requests",
        "continue at 2026-03-03 10:00 UTC",
    ):
        assert part in found.reason
    assert budget_condition(budget(None)).state is CLEAR


def test_a_change_without_a_verdict_fires_after_a_day() -> None:
    def state(hours: float) -> ConditionState:
        waiting = {"primes": NOW - timedelta(hours=hours)}
        return change_condition("support", CHANGE, waiting, 86_400.0, NOW).state

    assert (state(23), state(24), state(25)) == (UNKNOWN, UNKNOWN, FIRING)


def test_a_change_with_a_verdict_on_every_set_is_clear() -> None:
    assert change_condition("support", CHANGE, {}, 86_400.0, NOW).state is CLEAR
    assert change_condition("support", None, {}, 86_400.0, NOW).state is CLEAR


def test_the_sentence_about_a_change_names_the_late_sets_and_the_command() -> None:
    waiting = {"primes": NOW - 2 * DAY, "other": NOW}
    reason = change_condition("support", CHANGE, waiting, 86_400.0, NOW).reason
    for part in ("change-1", "for 2 days on primes", "limit 24 h", "driftd replay run support primes"):
        assert part in reason
    assert "other" not in reason


def test_candidates_wait_too_long_or_are_too_many() -> None:
    def state(count: int, days: float) -> ConditionState:
        waiting = Waiting(count=count, oldest=NOW - days * DAY)
        return candidates_condition("support", waiting, CheckPolicy(), NOW).state

    assert candidates_condition("support", Waiting(), CheckPolicy(), NOW).state is CLEAR
    assert (state(200, 14), state(201, 1), state(1, 14.1)) == (CLEAR, FIRING, FIRING)
