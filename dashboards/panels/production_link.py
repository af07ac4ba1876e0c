"""Link from an alert on production traffic to the part of the page Production that explains it."""

import streamlit as st

from monitor.api.schema import AlertItem


def show_production_link(alert: AlertItem) -> None:
    """Draw the link: to the drift of the inputs for an alert on it, else to the monitored series."""
    drifted = alert.series == "traffic"
    label = "Input drift" if drifted else f"Daily values of {alert.deployment} in production"
    st.page_link(
        "screens/production.py",
        label=label,
        icon=":material/timeline:",
        query_params={"deployment": alert.deployment, "view": "drift" if drifted else "series"},
    )
