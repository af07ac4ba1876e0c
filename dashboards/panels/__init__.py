"""Parts of pages: each draws one thing with Streamlit from what it is given."""
