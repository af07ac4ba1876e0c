"""Legends below charts: names of colours, and the changes that the letters of a chart mark. They wrap on a phone."""

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboards.formatting import plain
from dashboards.markers import explain_change, tag
from dashboards.snapshot import Snapshot
from dashboards.times import moment
from dashboards.word_diff import escaped
from monitor.api.schema import ChangeItem

MOST_CHANGES = 8  # listed at once; the others are in an expander

_LEGEND = '<div style="display:flex;flex-wrap:wrap;gap:0.2rem 1rem;font-size:0.85rem">{entries}</div>'
_ENTRY = (
    '<span style="display:inline-flex;align-items:baseline;gap:0.4rem;overflow-wrap:anywhere">'
    '<span style="flex:none;width:0.7rem;height:0.7rem;border-radius:2px;background:{colour}"></span>{name}</span>'
)


def show_legend(palette: Mapping[str, str]) -> None:
    """Show the name of each colour in the order of the stack, the lowest first."""
    entries = "".join(_ENTRY.format(colour=colour, name=escaped(name)) for name, colour in palette.items())
    st.html(_LEGEND.format(entries=entries))


def show_changes_of_chart(snapshot: Snapshot, changes: Sequence[ChangeItem]) -> None:
    """Explain the letters of a chart, the newest change first; nothing without changes."""
    lines = [
        f"**{tag(number)}** {moment(change.at)} {plain(explain_change(snapshot, change))}"
        for number, change in enumerate(changes)
    ][::-1]
    if lines:
        st.caption("  \n".join(lines[:MOST_CHANGES]))
    if len(lines) > MOST_CHANGES:
        with st.expander(f"{len(lines) - MOST_CHANGES} earlier changes"):
            st.caption("  \n".join(lines[MOST_CHANGES:]))
