"""API tokens: list, create, rotate and revoke. The text of a token is shown once."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

import streamlit as st

from dashboards.actions import may, order
from dashboards.client import Client, DaemonRefusal
from dashboards.formatting import plain
from dashboards.panels.empty import show_empty
from dashboards.requests import system
from dashboards.times import moment
from monitor.api.schema import CallerItem, StatusItem
from monitor.api.schema.tokens import ConfiguredTokenItem, CreateToken, NewTokenItem, RoleName, TokenItem

ROLES = ("ingest", "read", "review", "operate", "reveal", "admin")
LENGTHS = {"30 days": 30, "90 days": 90, "1 year": 365, "without end": None}


def show_tokens(client: Client, status: StatusItem, who: CallerItem) -> None:
    """Show the stored tokens with their actions; only `admin` sees them."""
    if not may(who, system.ADMIN, "see or change tokens"):
        return
    found = system.tokens(client)
    if found:
        st.dataframe([_row(item) for item in found], hide_index=True)
    else:
        show_empty(
            "No token is stored.",
            do="Create one below. The first stored token needs the role `admin`.",
        )
    _show_configured(client)
    create, change = st.columns(2)
    with create.popover("Create a token", icon=":material/key:"):
        _show_create(client, status)
    active = {f"{item.name} ({item.beginning}…)": item for item in found if item.state == "active"}
    if active:
        with change.popover("Rotate or revoke", icon=":material/autorenew:"):
            _show_change(client, active)


def _show_configured(client: Client) -> None:
    """Show the tokens of the configuration; nothing without any."""
    found = system.configured_tokens(client)
    if not found:
        return
    st.markdown("**Tokens of the configuration**")
    st.dataframe([_configured_row(item) for item in found], hide_index=True, key="configured tokens")
    st.caption("They change with the configuration and a restart. `begins` is that of the SHA-256 of a token.")


def _configured_row(item: ConfiguredTokenItem) -> dict[str, Any]:
    return {
        "name": item.name,
        "begins": item.beginning,
        "roles": ", ".join(item.roles),
        "deployments": "all" if item.deployments is None else ", ".join(item.deployments),
        "last used": "never" if item.last_used_at is None else moment(item.last_used_at),
        "from": item.last_used_from or "",
    }


def _row(item: TokenItem) -> dict[str, Any]:
    return {
        "name": item.name,
        "begins": item.beginning,
        "roles": ", ".join(item.roles),
        "deployments": "all" if item.deployments is None else ", ".join(item.deployments),
        "state": f"{item.state}, expires soon" if item.expires_soon else item.state,
        "last used": "never" if item.last_used_at is None else moment(item.last_used_at),
        "from": item.last_used_from or "",
        "created": moment(item.created_at),
        "by": item.created_by,
        "expires": "never" if item.expires_at is None else moment(item.expires_at),
        "id": item.id,
    }


def _show_create(client: Client, status: StatusItem) -> None:
    with st.form("create token", border=False):
        name = st.text_input("Owner", max_chars=64, help="A service or a person. The logs contain it.")
        roles = st.multiselect("Roles", ROLES, default=["read"])
        named = st.text_input(
            "Deployments",
            placeholder="all",
            help="Names of deployments that the token reaches, separated by commas. Not with the role admin.",
        )
        length = st.selectbox("Expires", list(LENGTHS), index=1)
        pressed = st.form_submit_button("Create")
    if not pressed:
        return
    if not name.strip() or not roles:
        st.error("A token needs an owner and at least one role.")
        return
    days = LENGTHS[length]
    until = None if days is None else status.now + timedelta(days=days)
    made = CreateToken.model_construct(
        name=name.strip(),
        roles=cast("list[RoleName]", roles),
        expires_at=until,
        deployments=[each.strip() for each in named.split(",") if each.strip()] or None,
    )
    _show_new(lambda: system.create_token(client, made, None))


def _show_change(client: Client, active: dict[str, TokenItem]) -> None:
    chosen = active[st.selectbox("Token", list(active))]
    st.caption("After a rotation the old token works for 24 hours. A revoked token stops now.")
    rotate, revoke = st.columns(2)
    if rotate.button("Rotate", icon=":material/autorenew:"):
        _show_new(lambda: system.rotate_token(client, chosen.id, None))
    if revoke.button("Revoke", icon=":material/block:"):
        order(lambda: system.revoke_token(client, chosen.id, None), f"Token {chosen.name} is revoked")


def _show_new(make: Callable[[], NewTokenItem]) -> None:
    try:
        made = make()
    except DaemonRefusal as refused:
        st.error(plain(str(refused)), icon=":material/error:")
        return
    st.success("Copy the token now. driftd stores only its hash and cannot show it again.", icon=":material/key:")
    st.code(made.token, language=None)
