"""The button that reveals the texts of a sealed set. The daemon logs each look."""

import streamlit as st

from dashboards.formatting import plain
from dashboards.two_runs import sender


def reveal_requested(case: str) -> bool:
    """Return whether a person with the role `reveal` has pressed the button for this sealed case."""
    who = sender()
    if "reveal" not in who.roles:
        st.info(
            "This set is sealed: its questions, answers and reasons are visible with the role `reveal` only, and every "
            "access is logged.",
            icon=":material/lock:",
        )
        return False
    st.caption(f"This set is sealed. Each access is logged under the name {plain(who.name)}.")
    return st.button("Reveal (logged)", key=f"reveal {case}", icon=":material/lock_open:")
