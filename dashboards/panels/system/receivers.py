"""Receivers of alerts: their last delivery, what waits for them, and a test notification."""

import streamlit as st

from dashboards.actions import may
from dashboards.client import Client, DaemonRefusal
from dashboards.formatting import ago, count, plain
from dashboards.panels.empty import show_empty
from dashboards.requests import system
from monitor.api.schema import CallerItem, ReceiverItem, StatusItem


def show_receivers(client: Client, status: StatusItem, who: CallerItem) -> None:
    """Show one box a receiver."""
    found = system.receivers(client)
    if not found:
        show_empty(
            "No receiver is configured, so no alert reaches a person.",
            do="Add one under `alerts.receivers` in the configuration; docs/receivers.md lists all kinds.",
        )
        return
    allowed = may(who, system.OPERATE, "send a test notification")
    for item in found:
        with st.container(border=True):
            _show_one(client, status, item, allowed=allowed)


def _show_one(client: Client, status: StatusItem, item: ReceiverItem, *, allowed: bool) -> None:
    text, button = st.columns([5, 1], vertical_alignment="center")
    text.markdown(f"**{plain(item.name)}** {_badge(item)}")
    last = "no notification yet" if item.sent_at is None else f"last delivery {ago(item.sent_at, status.now)}"
    waits = f"{count(item.queued, 'notification')} queued" if item.queued else "nothing queued"
    since = f" since {ago(item.queued_since, status.now)}" if item.queued_since else ""
    lost = f" · {count(item.failed, 'notification')} given up" if item.failed else ""
    text.caption(f"{last} · {waits}{since}{lost}")
    if item.error is not None:
        text.markdown(f":material/error: {plain(item.error)}")
    if item.configured and button.button(
        "Test", icon=":material/send:", key=f"test {item.name}", disabled=not allowed, width="stretch"
    ):
        _test(client, item.name)


def _badge(item: ReceiverItem) -> str:
    if not item.configured:
        return ":gray-badge[:material/block: not configured any more]"
    if item.queued and item.error:
        return ":orange-badge[:material/error: not delivered]"
    if item.sent_at is None:
        return ":gray-badge[:material/radio_button_unchecked: not used yet]"
    return ":green-badge[:material/check_circle: delivered]"


def _test(client: Client, name: str) -> None:
    try:
        tested = system.test_receiver(client, name, None)
    except DaemonRefusal as refused:
        st.error(plain(str(refused)), icon=":material/error:")
        return
    if tested.delivered:
        st.success(f"{plain(name)} accepted the test notification.", icon=":material/check:")
    else:
        st.error(f"{plain(name)} did not accept it: {plain(tested.error or '')}", icon=":material/error:")
