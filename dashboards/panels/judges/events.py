"""The events of a judge: it moved, or a person accepted how it judges."""

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.times import moment
from monitor.api.schema.judge_history import JudgeHistoryItem

NAMES = {"drifted": "✗ moved", "accepted": "✓ accepted"}


def show_events(found: JudgeHistoryItem) -> None:
    """Draw the events, the newest first."""
    if not found.events:
        st.caption("No event: the sentinels never showed a judge that moved.")
        return
    rows = [
        {
            "at": moment(row.at),
            "event": NAMES.get(row.kind, row.kind),
            "by": row.who,
            "reason": row.reason,
            "judge": row.model or "unknown",
            "current judge": "yes" if row.is_current else "no",
        }
        for row in found.events
    ]
    st.dataframe(rows, hide_index=True, key="events of the judge")
    show_downloads(f"events of {found.scorer}", rows)
