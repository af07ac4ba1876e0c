"""Replay budgets of each deployment for the day and the month."""

from fastapi import APIRouter

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema import BudgetItem, ListPage, SpentItem
from monitor.domain.budgets import BudgetState, budget_states
from monitor.store.runs import spending

router = APIRouter(prefix="/api/v1/budgets", tags=["runs"])


@router.get("", **needs(Role.READ))
def list_budgets(context: Context) -> ListPage[BudgetItem]:
    """List the configured daily and monthly budgets and what is spent."""
    with context.store.read() as tx:
        states = budget_states(
            context.policy.deployments.values(), lambda begin: spending.since(tx, begin), context.clock.now()
        )
    return ListPage(items=[_item(state) for state in states], next_cursor=None)


def _item(state: BudgetState) -> BudgetItem:
    budget = state.budget
    return BudgetItem(
        deployment=state.deployment,
        period=state.period.value,
        requests=budget.requests,
        tokens=budget.tokens,
        usd=budget.usd,
        spent=SpentItem.model_validate(state.spent, from_attributes=True),
        met=state.met,
        renewed_at=state.renewed_at,
    )
