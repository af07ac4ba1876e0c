"""A page of Streamlit with one line: what every page takes at least."""

import streamlit as st

st.title("A bare page")
