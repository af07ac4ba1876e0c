"""Requests of the page Failure modes. Finished runs do not change, so their counts are cached for some time."""

from datetime import datetime

import streamlit as st

from dashboards.connection import Connection
from dashboards.live import connection_now
from monitor.api.schema import ListPage
from monitor.api.schema.categories import FailureGroupItem
from monitor.api.schema.failures import CorrectionDaysItem, SetFailuresItem

CACHE_S = 30.0
MOST_RUNS = 400
MOST_DAYS = 365


def failures_of_set(deployment: str, set_name: str, *, metric: str | None, since: datetime | None) -> SetFailuresItem:
    """Return the failure categories of the runs of a set that started since then."""
    query = {"deployment": deployment, "set_name": set_name, "runs": str(MOST_RUNS)}
    query |= {} if metric is None else {"metric": metric}
    query |= {} if since is None else {"since": since.isoformat()}
    return _failures(connection_now(), tuple(query.items()))


def correction_days(deployment: str, days: int | None) -> CorrectionDaysItem:
    """Return the corrections of production by day and failure category."""
    return _correction_days(connection_now(), deployment, min(days or MOST_DAYS, MOST_DAYS))


def metric_names(deployment: str, set_name: str) -> list[str]:
    """Return the metrics of the newest run of a set."""
    return _metric_names(connection_now(), deployment, set_name)


def failure_groups(deployment: str) -> list[FailureGroupItem]:
    """Return the groups of corrections that no category describes, which wait for a decision, the largest first."""
    return _groups(connection_now(), deployment)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _failures(connection: Connection, query: tuple[tuple[str, str], ...]) -> SetFailuresItem:
    with connection.open() as client:
        return client.read("/api/v1/sets/failures", SetFailuresItem, dict(query))


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _correction_days(connection: Connection, deployment: str, days: int) -> CorrectionDaysItem:
    query = {"deployment": deployment, "days": str(days)}
    with connection.open() as client:
        return client.read("/api/v1/failure-categories/days", CorrectionDaysItem, query)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _metric_names(connection: Connection, deployment: str, set_name: str) -> list[str]:
    with connection.open() as client:
        found = client.set_metrics(deployment, set_name, nights=1)
    return [metric.metric for metric in found.metrics if metric.metric is not None]


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _groups(connection: Connection, deployment: str) -> list[FailureGroupItem]:
    query = {"deployment": deployment, "state": "proposed"}
    with connection.open() as client:
        return client.read("/api/v1/failure-groups", ListPage[FailureGroupItem], query).items
