"""Daily and monthly budgets of the replays of a deployment, and the message when one is spent."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.policy import DeploymentPolicy
from replay.periods import Period
from replay.run.budget import Account, Budget, Spent

SpentSince = Callable[[datetime], Mapping[str, Spent]]  # by deployment


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetState:
    """One budget of one deployment. `met` names the limit that is spent until `renewed_at`; None while all limits have
    something left.
    """

    deployment: str
    period: Period
    budget: Budget
    spent: Spent
    met: str | None
    renewed_at: datetime


def budget_states(deployments: Iterable[DeploymentPolicy], spent_since: SpentSince, now: datetime) -> list[BudgetState]:
    """Return every configured daily and monthly budget with the amount that is spent of it."""
    wanted = [(each.name, period, budget) for each in deployments for period, budget in each.replay.periods.items()]
    spent = {period: spent_since(period.begin(now)) for period in {period for _, period, _ in wanted}}
    return [_state(name, period, budget, spent[period].get(name, Spent()), now) for name, period, budget in wanted]


def spent_reason(deployment: str, stopped_by: str, at: datetime) -> str:
    """Return why no run of the deployment could continue at that time, and when the next run can start."""
    for period in Period:
        if stopped_by.endswith(period.suffix):
            limit = stopped_by.removesuffix(period.suffix)
            key = f"deployments.{deployment}.replay.{budget_key(period)}.{limit}"
            return (
                f"deployment {deployment!r}: the {limit} budget of the {period.value} is spent ({key}); "
                f"replays can run again from {period.end(at):%Y-%m-%d %H:%M} UTC"
            )
    key = f"deployments.{deployment}.replay.budget.{'minutes' if stopped_by == 'seconds' else stopped_by}"
    return (
        f"deployment {deployment!r}: the {stopped_by} budget of the run is spent ({key}); "
        "raise it, or check why calls fail"
    )


def budget_key(period: Period) -> str:
    """Return the configuration key of the budget."""
    return "daily_budget" if period is Period.DAY else "monthly_budget"


def _state(deployment: str, period: Period, budget: Budget, spent: Spent, now: datetime) -> BudgetState:
    met = Account(budget, spent=spent).limit()
    return BudgetState(
        deployment=deployment, period=period, budget=budget, spent=spent, met=met, renewed_at=period.end(now)
    )
