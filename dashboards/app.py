"""The dashboard's entry: `streamlit run dashboards/app.py -- --url http://127.0.0.1:8400 --token-file FILE`.

Both arguments are optional; without a token file no token is sent. Appearance and the switch that turns Streamlit's
usage statistics off are in `.streamlit/config.toml` beside this file.
"""

from pathlib import Path

import streamlit as st

# Streamlit leaves a hand's breadth free above every page; somebody on call has other uses for it.
TIGHT = "<style>.stMainBlockContainer { padding-top: 4rem; padding-bottom: 3rem; }</style>"

# Not in a folder `pages`: Streamlit takes one for a navigation of its own, and a fresh server that is first asked for
# /compare would draw that page without this script.
page = st.navigation(
    [
        st.Page("screens/overview.py", title="Overview", default=True),
        st.Page("screens/failure_modes.py", title="Failure modes"),
        st.Page("screens/compare.py", title="Compare"),
        st.Page("screens/production.py", title="Production"),
        st.Page("screens/review.py", title="Review"),
    ],
    position="top",
)
# An own icon: Streamlit has browsers fetch Material page icons from a public font server.
st.set_page_config(page_title=f"{page.title} · driftd", page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
st.html(TIGHT)
page.run()
