"""Failures of the frozen set, of the dynamic set and of production next to each other, on one axis of time."""

from collections.abc import Mapping
from datetime import datetime

import streamlit as st

from dashboards.charts.draw import draw_chart
from dashboards.charts.share_areas import share_areas
from dashboards.charts.time_axis import TimeAxis
from dashboards.client import DaemonError
from dashboards.failure_shares import UNKNOWN, Shares, categories_of, shares_of_corrections, shares_of_set, steps_of
from dashboards.formatting import count, plain
from dashboards.markers import changes_within, tagged_markers
from dashboards.palette import assign
from dashboards.panels.failures.filters import Filtered
from dashboards.panels.grid import grid
from dashboards.panels.legend import show_changes_of_chart, show_legend
from dashboards.requests.failures import correction_days, failures_of_set
from dashboards.set_status import SetStatus, set_statuses
from dashboards.snapshot import Snapshot

HEIGHT = 240
PRODUCTION = "Corrections of production"


def show_side_by_side(
    snapshot: Snapshot, status: SetStatus, filtered: Filtered, *, since: datetime | None, days: int | None
) -> None:
    """Draw the chosen set, a set of the other kind, and the corrections of production."""
    st.subheader("Frozen, dynamic and production", anchor=False)
    found = _sources(snapshot, status, filtered, since=since, days=days)
    moments = [row.at for shares in found.values() for row in shares]
    changes = changes_within(snapshot, status.deployment, moments)
    axis = TimeAxis.of([*moments, *(change.at for change in changes)], until=snapshot.now)
    colours = assign(categories_of([row for shares in found.values() for row in shares]), grey=(UNKNOWN,))
    markers = tagged_markers(snapshot, changes, axis)
    for column, (title, shares) in zip(grid(len(found)), found.items(), strict=True):
        with column:
            st.markdown(f"**{plain(title)}**")
            if not categories_of(shares):
                st.caption(_nothing(title, shares))
                continue
            kind = "share of corrections" if title == PRODUCTION else "share of scored cases"
            chart = share_areas(
                steps_of(shares, axis), markers, colours, axis.x(4, title=False), title=kind, height=HEIGHT
            )
            draw_chart(chart, key=f"side by side {title}")
    show_legend(colours)
    show_changes_of_chart(snapshot, changes)
    st.caption(
        "Sets and production count different things: the failed cases of the scored ones, and the categories of all "
        "corrections of a day. Compare when a category moves, not its height."
    )


def _sources(
    snapshot: Snapshot, status: SetStatus, filtered: Filtered, *, since: datetime | None, days: int | None
) -> Mapping[str, list[Shares]]:
    found = {_title(status): filtered.shares}
    other = _other_kind(snapshot, status)
    try:
        if other is not None:
            failures = failures_of_set(other.deployment, other.set_name, metric=None, since=since)
            found[_title(other)] = shares_of_set(failures, filtered.severities)
        found[PRODUCTION] = shares_of_corrections(correction_days(status.deployment, days))
    except DaemonError as error:
        st.warning(f"A part of this comparison cannot be shown: {plain(str(error))}")
    return dict(sorted(found.items(), key=lambda item: ORDER.index(item[0].partition(" ")[0])))


ORDER = ("Frozen", "Dynamic", "Unknown", "Corrections")


def _other_kind(snapshot: Snapshot, status: SetStatus) -> SetStatus | None:
    """Return the first set of the deployment with another kind and a run."""
    deployment = next((row for row in snapshot.deployments if row.name == status.deployment), None)
    others = set_statuses(snapshot, deployment) if deployment is not None else []
    return next((row for row in others if row.kind != status.kind and row.scored_runs), None)


def _title(status: SetStatus) -> str:
    return f"{status.kind.capitalize()} set {status.set_name}"


def _nothing(title: str, shares: list[Shares]) -> str:
    if title == PRODUCTION:
        return "No correction in this period. Corrections come from feedback, and from turns if they are judged."
    return f"No case failed in {count(len(shares), 'run')}."
