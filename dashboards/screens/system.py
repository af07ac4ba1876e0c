"""System: what driftd reads, what it could not read, whom it notifies, who may use it, and its database."""

from collections.abc import Callable, Mapping

import streamlit as st

from dashboards.actions import show_news
from dashboards.client import Client, DaemonError
from dashboards.formatting import plain
from dashboards.live import connection_now
from dashboards.panels.system.audit_log import show_audit_log
from dashboards.panels.system.dead_letters import show_dead_letters
from dashboards.panels.system.health import show_database, show_ingest
from dashboards.panels.system.receivers import show_receivers
from dashboards.panels.system.tokens import show_tokens
from dashboards.times import moment, zone_name
from monitor.api.schema import CallerItem, StatusItem

Part = Callable[[Client, StatusItem, CallerItem], None]
PARTS: Mapping[str, Part] = {
    "Ingest": show_ingest,
    "Dead letters": show_dead_letters,
    "Receivers": show_receivers,
    "Tokens": show_tokens,
    "Audit log": show_audit_log,
    "Database": show_database,
}


def show() -> None:
    """Draw the page when it is opened and after each action, without a timer: a timer would discard typed text."""
    st.title("System", anchor=False)
    try:
        with connection_now().open() as client:
            _show_page(client)
    except DaemonError as error:
        st.error(f"**The state of the daemon cannot be shown.** {plain(str(error))}", icon=":material/cloud_off:")


def _show_page(client: Client) -> None:
    status, who = client.status(), client.sender()
    st.caption(
        f"`{connection_now().url}` · driftd {plain(status.code_version)} · {moment(status.now)} (daemon) · "
        f"times in {zone_name()}"
    )
    for sentence in status.warnings:
        st.warning(plain(sentence), icon=":material/info:")
    show_news()
    chosen = st.segmented_control(
        "Part",
        list(PARTS),
        default="Ingest",
        key="part",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    try:
        PARTS[chosen or "Ingest"](client, status, who)
    except DaemonError as error:
        st.error(plain(str(error)), icon=":material/error:")


show()
