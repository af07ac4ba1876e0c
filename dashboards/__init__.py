"""Streamlit pages over the daemon's HTTP API."""
