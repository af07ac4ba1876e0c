"""Empty states: what is missing, and what the reader does next."""

import streamlit as st

from dashboards.panels.command import show_command


def show_empty(missing: str, *, do: str, command: str | None = None) -> None:
    """Show what is missing and what to do. `command` is a shell command that does it. All three are our own text."""
    with st.container(border=True):
        st.markdown(f"**{missing}**")
        st.markdown(do)
        if command is not None:
            show_command(command)
