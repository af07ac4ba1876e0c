"""Decides whether a daily or monthly budget of a deployment is spent."""

from monitor.alerting.checks.condition import Condition, ConditionState, when
from monitor.domain.budgets import BudgetState, budget_key

RULE = "BudgetExhausted"


def budget_condition(state: BudgetState) -> Condition:
    """Return the condition of one budget. It fires while a limit is spent, and clears when the period ends."""
    key = f"deployments.{state.deployment}.replay.{budget_key(state.period)}"
    what = f"the {state.period.value} budget of {state.deployment}"
    if state.met is None:
        reason = f"{what} has something left ({key})"
    else:
        limit = state.met.removesuffix(state.period.suffix)
        spent, allowed = getattr(state.spent, limit, None), getattr(state.budget, limit, None)
        reason = (
            f"{what} is spent: {spent:g} of {allowed:g} {limit} ({key}.{limit}); replays continue at "
            f"{when(state.renewed_at)}; raise the limit, or see `driftd replay budget`"
        )
    return Condition(
        rule=RULE,
        deployment=state.deployment,
        subject=f"{state.period.value} budget",
        state=ConditionState.CLEAR if state.met is None else ConditionState.FIRING,
        reason=reason,
    )
