"""Requests of the page Sets, all of figures and ids: texts of cases are on the page Cases."""

import streamlit as st

from dashboards.client import DaemonError
from dashboards.connection import Connection
from dashboards.live import connection_now
from monitor.api.schema import DeploymentItem, ListPage, RefreshItem, SetHealthItem, SetItem
from monitor.api.schema.findings import NoiseItem
from monitor.api.schema.overview import OverviewItem

CACHE_S = 30.0
MOST = 500
NOT_FOUND = 404


def revisions() -> list[SetItem]:
    """Return every revision of every set, the newest first."""
    return _revisions(connection_now())


def overview() -> list[OverviewItem]:
    return _overview(connection_now())


def deployments() -> list[DeploymentItem]:
    return _deployments(connection_now())


def health(set_name: str, deployment: str | None) -> SetHealthItem:
    return _health(connection_now(), set_name, deployment)


def noise(deployment: str, set_name: str) -> NoiseItem | None:
    """Return the noise of the nights of a set, None before the first scored night."""
    try:
        return _noise(connection_now(), deployment, set_name)
    except DaemonError as error:
        if error.status == NOT_FOUND:
            return None
        raise


def refreshes(set_name: str) -> list[RefreshItem]:
    return _refreshes(connection_now(), set_name)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _revisions(connection: Connection) -> list[SetItem]:
    with connection.open() as client:
        return client.items("sets", SetItem, most=MOST)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _overview(connection: Connection) -> list[OverviewItem]:
    with connection.open() as client:
        return client.read("/api/v1/overview", ListPage[OverviewItem], {"limit": str(MOST)}).items


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _deployments(connection: Connection) -> list[DeploymentItem]:
    with connection.open() as client:
        return client.items("deployments", DeploymentItem, most=MOST)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _health(connection: Connection, set_name: str, deployment: str | None) -> SetHealthItem:
    query = {"set_name": set_name} | ({"deployment": deployment} if deployment else {})
    with connection.open() as client:
        return client.read("/api/v1/sets/health", SetHealthItem, query)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _noise(connection: Connection, deployment: str, set_name: str) -> NoiseItem:
    with connection.open() as client:
        return client.read("/api/v1/noise", NoiseItem, {"deployment": deployment, "set_name": set_name})


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _refreshes(connection: Connection, set_name: str) -> list[RefreshItem]:
    with connection.open() as client:
        query = {"set_name": set_name, "limit": "100"}
        return client.read("/api/v1/sets/refreshes", ListPage[RefreshItem], query).items
