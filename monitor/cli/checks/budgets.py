"""Checks replay budgets: the limits of a run, a day and a month, and what is spent."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from monitor.api.schema import BudgetItem, ListPage
from monitor.cli.checks.line import Line, ok, warn
from monitor.cli.connection.client import Api
from monitor.config.policy import to_policy
from monitor.config.resources import resources
from monitor.config.tree import Config
from monitor.domain.budgets import BudgetState, budget_states, spent_reason
from monitor.domain.policy import DeploymentPolicy
from monitor.errors import DriftdError
from monitor.store.engine.connect import open_read_only
from monitor.store.runs import spending
from replay.periods import Period
from replay.run.budget import Budget, Spent

CHECK = "replay budget"
_UNITS = {"requests": "{:,} requests", "tokens": "{:,} tokens", "usd": "{:,.2f} USD"}


def check_budgets(config: Config, api: Api | None, now: datetime) -> list[Line]:
    """Return one line for each deployment with a budget; `api` is the daemon that has the file open."""
    deployments = [each for each in to_policy(config).deployments.values() if _limited(each)]
    if not deployments:
        return []
    states = _states(config, api, now)
    return [_line(each, [state for state in states or () if state.deployment == each.name]) for each in deployments]


def _limited(deployment: DeploymentPolicy) -> bool:
    return bool(deployment.replay.periods or _limits(deployment.replay.budget))


def _line(deployment: DeploymentPolicy, states: Sequence[BudgetState]) -> Line:
    spent = {state.period: f" ({_limits(state.budget, state.spent)} spent)" for state in states}
    parts = [f"{limits} per run" for limits in [_limits(deployment.replay.budget)] if limits]
    for period, budget in deployment.replay.periods.items():
        parts.append(f"{_limits(budget)} per {period.value}{spent.get(period, '')}")
    sentence = f"{deployment.name}: limits are {', '.join(parts)}"
    for state in states:
        if state.met is not None:
            within = state.renewed_at - timedelta(seconds=1)
            return warn(CHECK, f"{sentence}; {spent_reason(deployment.name, state.met + state.period.suffix, within)}")
    return ok(CHECK, sentence)


def _limits(budget: Budget, spent: Spent | None = None) -> str:
    """Return the configured limits, or what is spent of each of them."""
    limited = [name for name in _UNITS if getattr(budget, name) is not None]
    return ", ".join(_UNITS[name].format(getattr(spent or budget, name)) for name in limited)


def _states(config: Config, api: Api | None, now: datetime) -> list[BudgetState] | None:
    """Return the budgets with what is spent, from the daemon or the file. None if neither can be read: another line
    reports it.
    """
    deployments = to_policy(config).deployments.values()
    try:
        if api is not None:
            return [_state(item) for item in api.get("/api/v1/budgets", ListPage[BudgetItem]).items]
        if config.store.url is not None:
            return None
        if not config.store.path.exists():
            return budget_states(deployments, lambda _: {}, now)
        with open_read_only(config.store.path, resources(config).memory_limit_mb.value) as opened:
            return None if opened.pending else budget_states(deployments, lambda at: spending.since(opened.tx, at), now)
    except DriftdError:
        return None


def _state(item: BudgetItem) -> BudgetState:
    return BudgetState(
        deployment=item.deployment,
        period=Period(item.period),
        budget=Budget(requests=item.requests, tokens=item.tokens, usd=item.usd),
        spent=Spent(requests=item.spent.requests, tokens=item.spent.tokens, usd=item.spent.usd),
        met=item.met,
        renewed_at=item.renewed_at,
    )
