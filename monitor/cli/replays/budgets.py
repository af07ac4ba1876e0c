"""`driftd replay budget`: the budgets of the day and the month, and what replays have spent."""

from monitor.api.schema import BudgetItem, ListPage
from monitor.cli.connection.session import Session, with_session
from monitor.cli.terminal.output import print_table


@with_session
def budget(session: Session) -> None:
    """List the daily and monthly budgets, and how much of them replays have used."""
    items = session.api.get("/api/v1/budgets", ListPage[BudgetItem])
    session.show(items, lambda: _print(items.items))


def _print(items: list[BudgetItem]) -> None:
    columns = ("deployment", "period", "limit", "spent", "budget", "renewed")
    rows = [
        (item.deployment, item.period, name, _amount(name, spent), _amount(name, limit), item.renewed_at)
        for item in items
        for name, spent, limit in limits_of(item)
    ]
    empty = "no deployment has a daily or monthly budget (deployments.NAME.replay.daily_budget, monthly_budget)"
    print_table(columns, rows, empty)


def limits_of(item: BudgetItem) -> list[tuple[str, float, float]]:
    """Return each configured limit: its name, what is spent, what is allowed."""
    spent = item.spent
    every = (
        ("requests", spent.requests, item.requests),
        ("tokens", spent.tokens, item.tokens),
        ("usd", spent.usd, item.usd),
    )
    return [(name, used, limit) for name, used, limit in every if limit is not None]


def _amount(name: str, value: float) -> str:
    return f"{value:.2f} USD" if name == "usd" else f"{value:.0f}"
