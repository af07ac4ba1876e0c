"""What replays cost, against the budgets of the day and of the month."""

from collections.abc import Iterator, Sequence

import streamlit as st

from dashboards.formatting import count, plain
from dashboards.times import moment_in_zone
from monitor.api.schema import BudgetItem, RunItem


def show_spent(runs: Sequence[RunItem], days: int) -> None:
    """Show what the replays of the last days cost, by deployment."""
    names = sorted({run.deployment for run in runs})
    for name in names:
        mine = [run for run in runs if run.deployment == name and run.state != "planned"]
        known = [run.cost_usd for run in mine if run.cost_usd is not None]
        unknown = "" if len(known) == len(mine) else f"; the cost of {count(len(mine) - len(known), 'run')} is unknown"
        st.markdown(f"**{plain(name)}**: {sum(known):,.2f} USD for {count(len(mine), 'run')} in {days} days{unknown}")


def show_costs(budgets: Sequence[BudgetItem]) -> None:
    """Show one bar for each limit of each budget."""
    if not budgets:
        st.caption("No budget is configured: a replay may send any number of requests. Set `budget` of a deployment.")
        return
    for item in budgets:
        with st.container(border=True):
            renewed = f"renewed {moment_in_zone(item.renewed_at)}"
            state = f" :orange-badge[:material/block: {plain(item.met)} used up]" if item.met else ""
            st.markdown(f"**{plain(item.deployment)}**, budget of the {item.period} :gray[{renewed}]{state}")
            for used, limit, unit in _limits(item):
                share = min(1.0, used / limit) if limit else 1.0
                st.progress(share, text=f"{used:,.4g} of {limit:,.4g} {unit} ({100 * share:.0f} %)")


def _limits(item: BudgetItem) -> Iterator[tuple[float, float, str]]:
    spent = item.spent
    for used, limit, unit in (
        (spent.usd, item.usd, "USD"),
        (spent.tokens, item.tokens, "tokens"),
        (spent.requests, item.requests, "requests"),
    ):
        if limit is not None:
            yield float(used or 0), float(limit), unit
