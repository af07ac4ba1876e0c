"""Charts: functions from rows to Altair charts, without requests and without Streamlit."""
