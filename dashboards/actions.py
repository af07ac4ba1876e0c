"""Orders of a page to the daemon: the role they need, their result, and the errors."""

from collections.abc import Callable

import streamlit as st

from dashboards.client import DaemonRefusal
from dashboards.formatting import plain
from monitor.api.schema import CallerItem

_NEWS = "news of the page"


def may(who: CallerItem, role: str, what: str) -> bool:
    """Return whether the sender has the role; show a sentence with the role when it has not. `what` completes "You
    cannot …".
    """
    if role in who.roles:
        return True
    st.caption(f":material/lock: You cannot {what}: {plain(who.name)} lacks the role `{role}`.")
    return False


def order(send: Callable[[], object], done: str) -> None:
    """Send an order, and draw the page again with `done`. A refusal of the daemon is shown in place."""
    try:
        send()
    except DaemonRefusal as refused:
        st.error(f"Not done: {plain(str(refused))}", icon=":material/error:")
        return
    st.session_state[_NEWS] = done
    st.rerun()


def show_news() -> None:
    """Show the result of the last order, once."""
    news = st.session_state.pop(_NEWS, None)
    if news is not None:
        st.success(plain(news), icon=":material/check:")
