"""What entered a set and what left it: its revisions, and the refreshes of a dynamic set."""

from collections.abc import Sequence

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import count, plain
from dashboards.times import moment
from monitor.api.schema import RefreshItem, SetItem

OPENED = 3
LISTED = 30


def show_changes(revisions: Sequence[SetItem], refreshes: Sequence[RefreshItem]) -> None:
    """Draw the newest revisions; of those that a refresh made, the cases that entered and left, with reasons."""
    by_revision = {row.revision: row for row in refreshes}
    for number, item in enumerate(revisions[:LISTED]):
        refresh = by_revision.get(item.revision)
        title = f"{moment(item.created_at)} · {count(item.cases, 'case')} · {plain(item.origin)}"
        if refresh is None:
            st.caption(f"{title} · revision {item.revision[:12]}")
            continue
        changed = f"{len(refresh.entered)} entered, {len(refresh.left)} left, {refresh.carried} stayed"
        with st.expander(f"{title} · {changed}", expanded=number < OPENED and bool(refresh.entered or refresh.left)):
            _show_refresh(refresh)
    show_downloads("revisions", [item.model_dump(mode="json") for item in revisions])


def _show_refresh(found: RefreshItem) -> None:
    rows = [{"case": case, "change": "entered", "reason": ""} for case in found.entered]
    rows += [{"case": case, "change": "left", "reason": reason} for case, reason in found.left.items()]
    rows += [{"case": case, "change": "replaced", "reason": "a newer version of the case"} for case in found.replaced]
    if rows:
        st.dataframe(rows, hide_index=True, alt="Cases that entered and left")
    for reason, number in found.excluded.items():
        st.caption(f"{count(number, 'accepted case')} stayed out: {plain(reason)}")
