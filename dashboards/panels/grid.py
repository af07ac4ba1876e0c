"""Rows of columns for charts of one kind. On a phone the columns follow each other."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

COLUMNS = 3


def grid(items: int, wide: int = COLUMNS) -> list[DeltaGenerator]:
    """Return a place for each item, row by row, at most `wide` in a row."""
    wide = max(1, min(wide, items))
    return [column for _ in range(0, items, wide) for column in st.columns(wide)][:items]
