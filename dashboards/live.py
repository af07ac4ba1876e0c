"""What every page begins with: the daemon's state, or the sentence that says why there is none."""

import sys
from pathlib import Path
from typing import NoReturn

import streamlit as st

from dashboards.client import DaemonError, DaemonUnreachable
from dashboards.connection import Connection, read_arguments
from dashboards.snapshot import Snapshot, read_snapshot
from dashboards.words import count, moment, plain

REFRESH_S = 30.0  # an open page looks again so often
CACHE_S = 5.0  # many open pages ask the daemon at most so often
PERIODS = {"7 days": 7, "30 days": 30, "90 days": 90, "a year": 365}


def begin_page(title: str) -> Snapshot:
    """The page's head: its title, the period to look back over, and whose state this is, as of when."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        st.title(title, anchor=False, width="content")
        chosen = st.segmented_control(
            "Period", list(PERIODS), default="30 days", key="period", required=True, label_visibility="collapsed"
        )
    return snapshot_or_stop(PERIODS[chosen or "30 days"])


def snapshot_or_stop(days: int) -> Snapshot:
    """The daemon's state; when it cannot be had, the page says why and ends here."""
    try:
        connection = connection_now()
        snapshot = _read(connection.url, connection.token_file, days)
    except DaemonUnreachable as error:
        _stop("The daemon cannot be reached", error)
    except DaemonError as error:
        _stop("The daemon's answer cannot be shown", error)
    st.caption(
        f"{moment(snapshot.now)} UTC by the daemon's clock · `{connection.url}` · "
        f"{count(len(snapshot.deployments), 'deployment')} · all times in UTC"
    )
    return snapshot


def connection_now() -> Connection:
    return read_arguments(sys.argv[1:])


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _read(url: str, token_file: Path | None, days: int) -> Snapshot:
    with Connection(url=url, token_file=token_file).open() as client:
        return read_snapshot(client, days=days)


def _stop(title: str, error: DaemonError) -> NoReturn:
    st.error(f"**{title}.** {plain(str(error))}", icon=":material/cloud_off:")
    st.caption("Nothing is known while this lasts: neither that something regressed, nor that nothing did.")
    st.stop()
