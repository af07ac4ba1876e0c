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
from dashboards.snapshot import Frame, Snapshot, read_frame, read_snapshot
from dashboards.times import moment, zone_name

REFRESH_S = 30.0  # how often an open page reads the state again
CACHE_S = 5.0  # how often all open pages together read it at most
PERIODS = {"7 days": 7, "30 days": 30, "90 days": 90, "a year": 365, "all": None}
DEFAULT_PERIOD = "30 days"


def begin_page(title: str) -> Frame:
    """Draw the head of a page (title, period, address and time of the state) and return what the page chooses from. The
    period is in the address of the page, unless it is the default.
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
    return _frame_or_stop()


def chosen_days() -> int | None:
    """Return the days of the chosen period, None for all of them."""
    return PERIODS[st.session_state.get("period") or DEFAULT_PERIOD]


def snapshot_of(deployment: str) -> Snapshot:
    """Return the state of a deployment over the chosen period. When it is not available, show the reason and stop the
    page.
    """
    try:
        return read_deployment(deployment)
    except DaemonError as error:
        _stop_by(error)


def read_deployment(deployment: str) -> Snapshot:
    """Return the state of a deployment over the chosen period. Raise DaemonError when it is not available."""
    return _snapshot(connection_now(), deployment, chosen_days())


def _frame_or_stop() -> Frame:
    try:
        connection = connection_now()
        frame = _frame(connection)
    except DaemonError as error:
        _stop_by(error)
    st.caption(
        f"{moment(frame.now)} (clock of the daemon) · `{connection.url}` · "
        f"{count(len(frame.deployments), 'deployment')} · times in {zone_name()}"
    )
    return frame


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
def _frame(connection: Connection) -> Frame:
    with connection.open() as client:
        return read_frame(client)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _snapshot(connection: Connection, deployment: str, days: int | None) -> Snapshot:
    frame = _frame(connection)
    with connection.open() as client:
        return read_snapshot(client, frame, deployment, days=days)


def _stop_by(error: DaemonError) -> NoReturn:
    unreachable = isinstance(error, DaemonUnreachable)
    stop("The daemon cannot be reached" if unreachable else "The daemon's answer cannot be shown", error)


def stop(title: str, error: DaemonError) -> NoReturn:
    """Show why the state is not available, and end the page."""
    st.error(f"**{title}.** {plain(str(error))}", icon=":material/cloud_off:")
    st.caption("Until this is fixed, the status of every deployment is unknown.")
    st.stop()
