"""The reader of a page: demands a login, and gives the token with which the page asks the daemon."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

import streamlit as st

from dashboards.login.sessions import COOKIE, OPEN

SESSION_ENDED: Final = "Your session has ended. Reload this page to log in."


class Login(StrEnum):
    """How readers identify themselves. `none`: all readers have the token of the dashboard, or none."""

    NONE = "none"
    TOKEN = "token"  # noqa: S105 - a word
    OIDC = "oidc"


def token_of_reader(login: Login) -> str | None:
    """Return the token of the reader, None before the login."""
    if login is Login.TOKEN:
        return OPEN.token_of(st.context.cookies.get(COOKIE))
    if login is Login.OIDC and st.user.is_logged_in and not has_ended():
        return str(st.user.tokens["id"])
    return None


def has_ended() -> bool:
    """Return whether the ID token has expired: the daemon would refuse it."""
    ends = st.user.get("exp")
    return not isinstance(ends, int | float) or datetime.fromtimestamp(ends, UTC) <= datetime.now(UTC)


def demand_login(login: Login, *, has_access: bool) -> None:
    """Ask the reader to log in and end the page, unless it has access."""
    if has_access:
        return
    if login is Login.TOKEN:
        st.warning(SESSION_ENDED, icon=":material/lock:")
        st.stop()
    expired = st.user.is_logged_in
    st.title("Log in to driftd", anchor=False)
    st.write("Your login has ended." if expired else "Your groups at the provider decide what you may do here.")
    if st.button("Log in again" if expired else "Log in", type="primary", icon=":material/login:"):
        st.login()
    st.stop()


def log_out(login: Login) -> None:
    """End the login of the reader. With a provider, the browser continues to its logout."""
    if login is Login.OIDC:
        st.logout()
    else:
        OPEN.end(st.context.cookies.get(COOKIE))
        st.rerun()
