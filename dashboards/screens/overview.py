"""Overview: the state of every deployment in one row, the worst first."""

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.client import DaemonError, DaemonUnreachable
from dashboards.connection import Connection
from dashboards.downloads import show_downloads
from dashboards.formatting import about, count, plain
from dashboards.live import CACHE_S, REFRESH_S, connection_now, stop
from dashboards.panels.empty import show_empty
from dashboards.panels.overview.filters import Chosen, matching, show_filters
from dashboards.panels.overview.flat_rows import flat_rows
from dashboards.panels.overview.row import STYLE, show_row, summary
from dashboards.requests.overview import OverviewRows, read_overview
from dashboards.times import moment, zone_name
from monitor.api.schema import AlertItem

PER_PAGE = 25  # rows; the worst are first
MOST_WARNINGS = 4


@st.fragment(run_every=REFRESH_S)
def show() -> None:
    st.title("Overview", anchor=False)
    rows = _rows_or_stop()
    st.caption(
        f"{moment(rows.now)} (clock of the daemon) · `{connection_now().url}` · "
        f"{count(len(rows.items), 'deployment')} · times in {zone_name()}"
    )
    _show_warnings(rows)
    if not rows.items:
        show_empty(
            "No deployment is configured, and no results are imported.",
            do="Add one under `deployments` in the configuration of the daemon and restart it. This shows whether the "
            "configuration is correct:",
            command="driftd check",
        )
        return
    st.markdown(summary(rows.items))
    _show_rows(rows, show_filters(rows.items))


def _rows_or_stop() -> OverviewRows:
    try:
        return _read(connection_now())
    except DaemonUnreachable as error:
        stop("The daemon cannot be reached", error)
    except DaemonError as error:
        stop("The daemon's answer cannot be shown", error)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _read(connection: Connection) -> OverviewRows:
    with connection.open() as client:
        return read_overview(client)


def _show_warnings(rows: OverviewRows) -> None:
    """Show what concerns all deployments: alerts about driftd itself, paused schedules, receivers that fail."""
    for alert in rows.alerts[:MOST_WARNINGS]:
        _show_own_alert(alert)
    reasons = {item.reason for item in rows.items} | {alert.summary for alert in rows.alerts}
    others = [sentence for sentence in rows.warnings if sentence not in reasons]
    for sentence in others[:MOST_WARNINGS]:
        st.warning(plain(sentence), icon=":material/info:")
    if len(others) > MOST_WARNINGS:
        with st.expander(f"{count(len(others) - MOST_WARNINGS, 'more warning')}"):
            st.markdown("\n".join(f"- {plain(sentence)}" for sentence in others[MOST_WARNINGS:]))


def _show_own_alert(alert: AlertItem) -> None:
    st.warning(f"**{plain(alert.rule)}**, {plain(about(alert))}: {plain(alert.summary)}", icon=":material/error:")
    st.page_link("screens/alerts.py", label="Open this alert", query_params={"alert": alert.id})


def _show_rows(rows: OverviewRows, chosen: Chosen) -> None:
    found = matching(rows.items, chosen)
    if not found:
        show_empty("No deployment matches.", do="Remove a state from the filter, or search for another text.")
        return
    st.html(STYLE)
    shown = _shown(st.query_params.get("rows"))
    for item in found[:shown]:
        show_row(item, rows.now)
    if len(found) > shown:
        left = len(found) - shown
        label = f"Show {min(left, PER_PAGE)} more of {left}"
        st.button(label, key="more rows", on_click=keep_in_address, kwargs={"rows": str(shown + PER_PAGE)})
    st.caption(
        "Each line has the newest 30 nights of a set with the 95 % interval of each; a dashed line is a change of "
        "version. Green means measured within two planned replays, with nothing found."
    )
    show_downloads("overview", flat_rows(found))


def _shown(text: str | None) -> int:
    """Return the number of rows of the address, PER_PAGE without a valid one."""
    return int(text) if text is not None and text.isascii() and text.isdigit() and 0 < len(text) < 5 else PER_PAGE


def _open_linked_alert() -> None:
    """Links of older messages have the alert in the address of this page."""
    alert_id = st.query_params.get("alert")
    if alert_id is not None:
        st.switch_page("screens/alerts.py", query_params={"alert": alert_id})


_open_linked_alert()
show()
