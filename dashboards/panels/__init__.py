"""Parts of pages. Each draws one thing with Streamlit from its arguments."""
