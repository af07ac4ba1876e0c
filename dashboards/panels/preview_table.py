"""The preview of schedules: each planned time with its state and the expected calls, tokens and cost."""

import streamlit as st

from dashboards.formatting import NO_DATA, count, plain
from dashboards.times import moment, zone_name
from monitor.api.schema import OccasionItem, PreviewItem

MOST_ROWS = 500


def show_preview(found: PreviewItem, days: int) -> None:
    """Show the totals, a table of the planned times, and the sets that do not run."""
    if not found.occasions:
        st.caption(f"No schedule runs in the next {days} days.")
        return
    tokens = "unknown tokens" if found.tokens is None else count(found.tokens, "token")
    cost = "unknown cost" if found.usd is None else f"{found.usd:.2f} USD"
    st.markdown(f"**{count(found.replays, 'replay')}**, {count(found.calls, 'call')}, {tokens}, {plain(cost)}")
    columns = {"state": st.column_config.TextColumn(width=310)}  # the default width cuts off the blackout
    st.dataframe([_row(one) for one in found.occasions[:MOST_ROWS]], hide_index=True, column_config=columns)
    if len(found.occasions) > MOST_ROWS:
        st.caption(f"The first {MOST_ROWS} of {len(found.occasions)} times.")
    for each in found.forecasts:
        if each.refused is not None:
            st.caption(f"{plain(each.set_name)} on {plain(each.deployment)} does not run: {plain(each.refused)}")
    st.caption("The forecast is from the last run of each set, or from its texts. Budgets may end a run earlier.")


def _row(one: OccasionItem) -> dict[str, str]:
    runs = one.state in {"planned", "postponed"}
    return {
        "schedule": one.schedule,
        "deployment": one.deployment,
        "local time": one.local,
        "time zone": one.timezone,
        zone_name(): moment(one.at),
        "state": _state(one),
        "calls": f"{one.calls:,}" if runs else "",
        "tokens": (NO_DATA if one.tokens is None else f"{one.tokens:,}") if runs else "",
        "cost": (NO_DATA if one.usd is None else f"{one.usd:.4f} USD") if runs else "",
    }


def _state(one: OccasionItem) -> str:
    if one.state == "paused":
        return f"paused by {one.paused_by}"
    if one.state == "postponed":
        return f"postponed from {moment(one.nominal_at)} by {one.window}"
    return one.state if one.window is None else f"{one.state} by {one.window}"
