"""The entry point of the dashboard: `streamlit run dashboards/app.py -- --url http://127.0.0.1:8400 --token-file FILE`.

Both arguments are optional. Without a token file, requests have no token. `.streamlit/config.toml` in this folder has
the theme, and it disables Streamlit's usage statistics.
"""

from pathlib import Path

import streamlit as st

# Streamlit leaves a wide margin above every page. Use less, so that more of the page is visible.
TIGHT = "<style>.stMainBlockContainer { padding-top: 4rem; padding-bottom: 3rem; }</style>"

# The folder is not called `pages`: Streamlit would use it for its own navigation. A new server whose first request is
# /compare would then draw that page without this script.
page = st.navigation(
    {
        "": [
            st.Page("screens/overview.py", title="Overview", default=True),
            st.Page("screens/alerts.py", title="Alerts"),
            st.Page(
                "screens/deployment.py", title="Deployment", visibility="hidden"
            ),  # rows of the overview link to it
        ],
        "Quality": [
            st.Page("screens/failure_modes.py", title="Failure modes"),
            st.Page("screens/metrics.py", title="Metrics"),
            st.Page("screens/compare.py", title="Compare"),
            st.Page("screens/cases.py", title="Cases"),
        ],
        "Evaluation": [
            st.Page("screens/review.py", title="Review"),
            st.Page("screens/judges.py", title="Judges"),
        ],
        "Operation": [
            st.Page("screens/production.py", title="Production"),
            st.Page("screens/schedules.py", title="Schedules"),
            st.Page("screens/system.py", title="System"),
        ],
    },
    position="top",
)
# Use a local icon: browsers would fetch a Material page icon from a public font server.
st.set_page_config(page_title=f"{page.title} · driftd", page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
st.html(TIGHT)
page.run()
