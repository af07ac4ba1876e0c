"""Account: who is logged in, what this reader may do, and the logout."""

import sys

import streamlit as st

from dashboards.client import DaemonError
from dashboards.connection import Connection, read_arguments
from dashboards.formatting import plain
from dashboards.live import connection_now
from dashboards.login.reader import log_out
from dashboards.times import moment

MAY = {
    "read": "read everything except sealed texts and tokens",
    "review": "decide on candidates, outcomes and alerts",
    "operate": "start replays, pause schedules, silence alerts, accept findings",
    "reveal": "read the texts of sealed sets; each look is recorded",
    "admin": "create tokens, erase users, change keys, read the audit log",
    "ingest": "send calls, feedback and files",
}


def show() -> None:
    st.title("Account", anchor=False)
    try:
        _show_roles(connection_now())
    except DaemonError as error:
        st.error(f"**The daemon does not accept your login.** {plain(str(error))}", icon=":material/error:")
    if st.button("Log out", icon=":material/logout:"):
        log_out(read_arguments(sys.argv[1:]).login)


def _show_roles(connection: Connection) -> None:
    with connection.open() as client:
        who = client.sender()
    st.markdown(f"**{plain(who.name)}** at `{connection.url}`")
    if who.expires_at is not None:
        st.caption(f"The login ends {moment(who.expires_at)}. Then the page asks you to log in again.")
    st.dataframe(
        [{"role": role, "granted": role in who.roles, "what it permits": what} for role, what in MAY.items()],
        hide_index=True,
        column_config={"granted": st.column_config.CheckboxColumn(width="small")},
        alt="Roles and whether you have them",
    )
    missing = [role for role in MAY if role not in who.roles]
    if missing:
        st.caption("Roles come from your token or your groups. Ask an administrator of driftd for a missing role.")


show()
