"""Requests of the page Sets, all of figures and ids: texts of cases are on the page Cases."""

import streamlit as st

from dashboards.client import DaemonError
from dashboards.connection import Connection
from dashboards.live import connection_now
from monitor.api.schema import DeploymentItem, ListPage, RefreshItem, SetDiff, SetHealthItem, SetItem
from monitor.api.schema.findings import NoiseItem
from monitor.api.schema.overview import OverviewItem
from monitor.api.schema.set_health import HealthDayItem, HealthDaysItem, SetStateItem, SetStatesItem

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


def states() -> list[SetStateItem]:
    """Return the newest measured health of every set, those with most concerns first."""
    return _states(connection_now())


def health_days(set_name: str, deployment: str | None) -> list[HealthDayItem]:
    """Return the health of the set on each UTC day, the oldest first."""
    return _health_days(connection_now(), set_name, deployment)


def diff(set_name: str, before: str, after: str) -> SetDiff:
    """Return the ids of the cases that differ between two revisions."""
    return _diff(connection_now(), set_name, before, after)


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


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _states(connection: Connection) -> list[SetStateItem]:
    with connection.open() as client:
        return client.read("/api/v1/sets/health/all", SetStatesItem, {}).items


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _health_days(connection: Connection, set_name: str, deployment: str | None) -> list[HealthDayItem]:
    query = {"set_name": set_name} | ({"deployment": deployment} if deployment else {})
    with connection.open() as client:
        return client.read("/api/v1/sets/health/days", HealthDaysItem, query).days


@st.cache_data(ttl=3600.0, show_spinner=False)
def _diff(connection: Connection, set_name: str, before: str, after: str) -> SetDiff:
    """Two revisions never change, so the answer is kept for long."""
    with connection.open() as client:
        return client.read("/api/v1/sets/diff", SetDiff, {"set_name": set_name, "before": before, "after": after})
