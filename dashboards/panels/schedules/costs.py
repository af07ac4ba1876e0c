"""What replays cost, against the budgets of the day and of the month."""

from collections.abc import Iterator, Sequence

import streamlit as st

from dashboards.formatting import plain
from dashboards.times import moment_in_zone
from monitor.api.schema import BudgetItem


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
