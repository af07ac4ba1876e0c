"""Links to the page Cases with its filters."""

import streamlit as st


def show_cases_link(label: str, deployment: str, set_name: str, **filters: str | None) -> None:
    """Draw the link. `filters` are parameters of the page: state, category, failure, severity, run."""
    query = {"deployment": deployment, "set": set_name} | {name: value for name, value in filters.items() if value}
    st.page_link("screens/cases.py", label=label, icon=":material/fact_check:", query_params=query)
