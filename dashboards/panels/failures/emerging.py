"""Emerging categories: groups of corrections that no failure category describes."""

import streamlit as st

from dashboards.client import DaemonError
from dashboards.downloads import show_downloads
from dashboards.formatting import count, percent, plain
from dashboards.panels.command import show_command
from dashboards.panels.empty import show_empty
from dashboards.panels.grid import grid
from dashboards.requests.failures import failure_groups
from dashboards.times import moment
from monitor.api.schema.categories import FailureGroupItem

MOST_SHOWN = 6


def show_emerging(deployment: str) -> None:
    """Show the proposed groups of a deployment, the largest first."""
    st.subheader("Emerging categories", anchor=False)
    try:
        groups = failure_groups(deployment)
    except DaemonError as error:
        st.warning(f"The emerging categories cannot be shown: {plain(str(error))}")
        return
    if not groups:
        show_empty(
            "No emerging category",
            do="driftd groups corrections without a failure category once a day. Corrections of production are needed.",
            command="driftd categories groups --state proposed",
        )
        return
    for column, group in zip(grid(min(len(groups), MOST_SHOWN)), groups, strict=False):
        with column:
            _show_group(group)
    show_downloads("emerging-categories", [group.model_dump() for group in groups])


def _show_group(group: FailureGroupItem) -> None:
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{plain(group.name)}** :gray[proposed]")
        st.markdown(", ".join(plain(term) for term in group.terms))
        st.caption(
            f"{count(group.corrections, 'correction')}, {percent(group.share)} of those without a category, "
            f"{moment(group.first_seen)} to {moment(group.last_seen)}."
        )
        show_command(f"driftd categories accept {group.id}")
