"""The name of the person who acts, next to the actions."""

import streamlit as st


def operator() -> str | None:
    """Draw the field and return the name, None without one. All pages of the session share it."""
    return st.text_input("Your name", key="operator", placeholder="stored with each action", max_chars=100) or None
