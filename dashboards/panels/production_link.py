"""The way from an alert on production traffic to its days."""

import streamlit as st


def show_production_link(deployment: str) -> None:
    st.page_link(
        "screens/production.py",
        label=f"The days of {deployment}'s production traffic",
        icon=":material/timeline:",
        query_params={"deployment": deployment},
    )
