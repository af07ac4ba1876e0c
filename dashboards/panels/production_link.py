"""Link from an alert on production traffic to the days of the deployment."""

import streamlit as st


def show_production_link(deployment: str) -> None:
    st.page_link(
        "screens/production.py",
        label=f"Daily values of {deployment} in production",
        icon=":material/timeline:",
        query_params={"deployment": deployment},
    )
