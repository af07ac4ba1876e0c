"""The entry point of the dashboard, which `dashboards.server` serves. Its arguments follow `--`, all are optional:
`--url http://127.0.0.1:8400 --token-file FILE --login none|token|oidc`.

`.streamlit/config.toml` in this folder has the theme, and it disables Streamlit's usage statistics.
"""

import sys
from pathlib import Path

import streamlit as st

from dashboards.client import DaemonError
from dashboards.connection import read_arguments
from dashboards.login.open_daemon import requires_token
from dashboards.login.reader import Login, demand_login, token_of_reader
from dashboards.page_style import show_style


def _login() -> tuple[Login, bool]:
    """Return how readers identify themselves, and whether this reader has access."""
    try:
        given = read_arguments(sys.argv[1:])
    except DaemonError:
        return Login.NONE, True  # the page shows the error
    if given.login is Login.NONE or token_of_reader(given.login) is not None:
        return given.login, True
    return given.login, given.is_open and not _requires_token(given.url)


@st.cache_data(ttl=5.0, show_spinner=False)
def _requires_token(url: str) -> bool:
    return requires_token(url)


login, has_access = _login()
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
            st.Page("screens/sets.py", title="Sets"),
            st.Page("screens/judges.py", title="Judges"),
        ],
        "Operation": [
            st.Page("screens/production.py", title="Production"),
            st.Page("screens/schedules.py", title="Schedules"),
            st.Page("screens/system.py", title="System"),
        ],
        **({"Account": [st.Page("screens/account.py", title="Account")]} if login is not Login.NONE else {}),
    },
    position="top",
)
# Use a local icon: browsers would fetch a Material page icon from a public font server.
st.set_page_config(page_title=f"{page.title} · driftd", page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
show_style()
demand_login(login, has_access=has_access)
page.run()
