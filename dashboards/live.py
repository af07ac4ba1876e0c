"""The start of every page: the state of the daemon, or the reason why it is not available."""

import sys
from dataclasses import replace
from typing import NoReturn

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.client import DaemonError, DaemonUnreachable
from dashboards.connection import Connection, read_arguments
from dashboards.formatting import count, plain
from dashboards.login.reader import SESSION_ENDED, Login, token_of_reader
from dashboards.snapshot import Snapshot, read_snapshot
from dashboards.times import moment, zone_name

REFRESH_S = 30.0  # how often an open page reads the state again
CACHE_S = 5.0  # how often all open pages together read it at most
PERIODS = {"7 days": 7, "30 days": 30, "90 days": 90, "a year": 365, "all": None}
DEFAULT_PERIOD = "30 days"


def begin_page(title: str, deployment: str | None = None) -> Snapshot:
    """Draw the head of a page (title, period, address and time of the state) and return the state, of one deployment or
    of all. The period is in the address of the page, unless it is the default.
    """
    linked = st.query_params.get("period")
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        st.title(title, anchor=False, width="content")
        chosen = st.segmented_control(
            "Period",
            list(PERIODS),
            default=linked if linked in PERIODS else DEFAULT_PERIOD,
            key="period",
            required=True,
            label_visibility="collapsed",
        )
    period = chosen or DEFAULT_PERIOD
    keep_in_address(period=None if period == DEFAULT_PERIOD else period)
    return snapshot_or_stop(PERIODS[period], deployment)


def chosen_days() -> int | None:
    """Return the days of the chosen period, None for all of them."""
    return PERIODS[st.session_state.get("period") or DEFAULT_PERIOD]


def snapshot_or_stop(days: int | None, deployment: str | None = None) -> Snapshot:
    """Return the state of the daemon over these days, None for all of them, of one deployment or of all. When it is not
    available, show the reason and stop the page.
    """
    try:
        connection = connection_now()
        snapshot = _read(connection, days, deployment)
    except DaemonUnreachable as error:
        stop("The daemon cannot be reached", error)
    except DaemonError as error:
        stop("The daemon's answer cannot be shown", error)
    st.caption(
        f"{moment(snapshot.now)} (clock of the daemon) · `{connection.url}` · "
        f"{count(len(snapshot.deployments), 'deployment')} · times in {zone_name()}"
    )
    return snapshot


def connection_now() -> Connection:
    """Return the connection with the token of the reader. Raise DaemonError when the login has ended."""
    found = read_arguments(sys.argv[1:])
    if found.login is Login.NONE:
        return found
    token = token_of_reader(found.login)
    if token is None and not found.is_open:
        raise DaemonError(SESSION_ENDED)
    return replace(found, token=token)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _read(connection: Connection, days: int | None, deployment: str | None) -> Snapshot:
    with connection.open() as client:
        return read_snapshot(client, days=days, deployment=deployment)


def stop(title: str, error: DaemonError) -> NoReturn:
    """Show why the state is not available, and end the page."""
    st.error(f"**{title}.** {plain(str(error))}", icon=":material/cloud_off:")
    st.caption("Until this is fixed, the status of every deployment is unknown.")
    st.stop()
