"""Silences: the form with its preview, and the list."""

from collections.abc import Callable
from datetime import timedelta

import streamlit as st

from dashboards.client import Client, DaemonRefusal
from dashboards.downloads import show_downloads
from dashboards.formatting import about, count, plain
from dashboards.panels.empty import show_empty
from dashboards.requests import alerts as requests
from dashboards.times import moment
from monitor.api.schema import AlertItem, CreateSilence, SilenceItem

LENGTHS = {"1 hour": 1, "4 hours": 4, "12 hours": 12, "1 day": 24, "3 days": 72, "7 days": 168}
NAMED = {"alertname", "deployment", "set", "metric", "series", "source"}  # labels that the form starts with
COLOUR = {"active": "violet", "pending": "blue"}
Send = Callable[[Callable[[], object], str], None]
"""Sends an order and draws the page again with the sentence as its result."""


def show_silence_form(
    client: Client, alert: AlertItem | None, user: str | None, *, send: Send, place: str = ""
) -> None:
    """Draw the form of a new silence, and the open alerts that it would hide now. `place` separates two forms."""
    key = f"{'new' if alert is None else alert.id}{place}"
    named = {} if alert is None else {name: value for name, value in alert.labels.items() if name in NAMED}
    text = st.text_area(
        "Matchers, one on each line",
        value="\n".join(f'{name}="{value}"' for name, value in named.items()),
        key=f"matchers {key}",
        help='As in Alertmanager: set="a", set!~"b.*"',
    )
    length = st.selectbox("Length", list(LENGTHS), key=f"length {key}")
    matchers = [line.strip() for line in text.splitlines() if line.strip()]
    if not matchers:
        st.caption("A silence needs at least one matcher.")
        return
    ends_at = client.status().now + timedelta(hours=LENGTHS[length])
    if not _show_preview(client, requests.silence_order(matchers, "preview", ends_at)):
        return
    comment = st.text_input("Comment", key=f"comment {key}", max_chars=2000, placeholder="why, for the others")
    order = requests.silence_order(matchers, comment.strip() or "no comment", ends_at)
    if st.button("Create the silence", key=f"silence {key}", disabled=not comment.strip()):
        send(lambda: requests.create_silence(client, order, user), "The silence is active")
    if not comment.strip():
        st.caption("A silence needs a comment.")


def show_silences(client: Client, user: str | None, *, send: Send, allowed: bool) -> None:
    """Draw all silences, active ones with a button that ends them."""
    with st.popover("New silence", icon=":material/notifications_off:", disabled=not allowed):
        show_silence_form(client, None, user, send=send)
    found = requests.silences(client)
    if not found:
        show_empty("No silence yet.", do="A silence stops the notifications of alerts that match it, until it ends.")
    for item in found:
        _show_silence(client, item, user, send=send, allowed=allowed)
    show_downloads("silences", [item.model_dump(mode="json") for item in found])


def _show_preview(client: Client, order: CreateSilence) -> bool:
    """Show what the silence would hide now; False when the daemon rejects its matchers."""
    try:
        hidden = requests.preview_silence(client, order).alerts
    except DaemonRefusal as refused:
        st.error(plain(str(refused)), icon=":material/error:")
        return False
    st.markdown(f"It hides **{count(len(hidden), 'open alert')}** now, until {moment(order.ends_at)}.")
    for one in hidden:
        st.markdown(f"- {plain(one.rule)} · {plain(one.deployment)} · {plain(about(one))} ({one.severity})")
    return True


def _show_silence(client: Client, item: SilenceItem, user: str | None, *, send: Send, allowed: bool) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        matchers = ", ".join(plain(matcher) for matcher in item.matchers)
        st.markdown(
            f":{COLOUR.get(item.state, 'gray')}-badge[{item.state}] **{matchers}**  \n"
            f"{moment(item.starts_at)} to {moment(item.ends_at)} · {plain(item.comment)} · {plain(item.created_by)}"
        )
        if item.state != "expired" and st.button("End", key=f"expire {item.id}", disabled=not allowed):
            send(lambda: requests.expire_silence(client, item.id, user), "The silence has ended")
