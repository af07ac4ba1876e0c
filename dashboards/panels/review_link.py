"""Link to the corrections that wait for a review."""

import streamlit as st

from monitor.api.schema import DeploymentItem


def show_review_link(deployment: DeploymentItem) -> None:
    """Show the link; nothing when no candidate waits."""
    waiting = deployment.candidates.proposed
    if not waiting:
        return
    st.page_link(
        "screens/review.py",
        label=f"{waiting_text(waiting)} for a review before {'it enters' if waiting == 1 else 'they enter'} the set",
        icon=":material/rate_review:",
        query_params={"deployment": deployment.name},
    )


def waiting_text(waiting: int) -> str:
    return "1 corrected answer waits" if waiting == 1 else f"{waiting:,} corrected answers wait"
