"""Charts: rows in, an Altair chart out. No requests, no Streamlit."""
