"""The filters of the page Failure modes: severity and metric. Both are in the address."""

from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from dashboards.failure_shares import Shares, severities_of, shares_of_set
from dashboards.linked_choice import linked_pills, linked_select
from dashboards.requests.failures import failures_of_set, metric_names

VERDICT = "verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered:
    """The shares of the chosen set, and the filters that were applied."""

    shares: list[Shares]
    severities: tuple[str, ...]
    metric: str | None


def choose_failures(deployment: str, set_name: str, since: datetime | None) -> Filtered:
    """Show the filters and return the shares of the set that started since then."""
    left, right = st.columns(2)
    names = [VERDICT, *metric_names(deployment, set_name)]
    metric = linked_select(right, "Metric", names, name="metric", hint="`verdict` is the deciding verdict of a case.")
    chosen = None if metric == VERDICT else metric
    found = failures_of_set(deployment, set_name, metric=chosen, since=since)
    severities = linked_pills(
        left,
        "Severity of the cases",
        severities_of(found),
        name="severity",
        hint="Without a selection, cases of every severity count.",
    )
    return Filtered(shares=shares_of_set(found, severities), severities=severities, metric=chosen)
