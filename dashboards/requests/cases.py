"""Requests of the page Cases. Figures are cached for some time; texts never, because the daemon logs each look."""

from collections.abc import Iterator

import streamlit as st

from dashboards.connection import Connection
from dashboards.live import connection_now
from monitor.api.schema import DeploymentItem
from monitor.api.schema.case_histories import CaseHistoryItem, CaseRepliesItem, CaseTrendItem, CaseTrendsItem

CACHE_S = 15.0
PAGE = 50  # cases of one page of the table
MOST = 500  # cases of one request of a download

Query = tuple[tuple[str, str], ...]  # parameters of /cases/trends


def deployments() -> list[DeploymentItem]:
    return _deployments(connection_now())


def trends(query: Query, cursor: str | None) -> CaseTrendsItem:
    """Return one page of the cases that match."""
    return _trends(connection_now(), query, cursor)


def every_trend(connection: Connection, query: Query) -> Iterator[CaseTrendItem]:
    """Return all cases that match, for a download."""
    cursor: str | None = None
    with connection.open() as client:
        while True:
            asked = {**dict(query), "limit": str(MOST)} | ({"cursor": cursor} if cursor is not None else {})
            page = client.read("/api/v1/cases/trends", CaseTrendsItem, asked)
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return


def history(deployment: str, set_name: str, case_id: str, runs: str) -> CaseHistoryItem:
    return _history(connection_now(), deployment, set_name, case_id, runs)


def replies(run_id: str, case_id: str, *, reveal: bool = False) -> CaseRepliesItem:
    """Return the case with its replies in one run. With `reveal`, sealed texts are included and the look is logged."""
    query = {"run_id": run_id, "case_id": case_id} | ({"reveal": "true"} if reveal else {})
    with connection_now().open() as client:
        return client.read("/api/v1/cases/replies", CaseRepliesItem, query)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _deployments(connection: Connection) -> list[DeploymentItem]:
    with connection.open() as client:
        return client.items("deployments", DeploymentItem, most=MOST)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _trends(connection: Connection, query: Query, cursor: str | None) -> CaseTrendsItem:
    asked = {**dict(query), "limit": str(PAGE)} | ({"cursor": cursor} if cursor is not None else {})
    with connection.open() as client:
        return client.read("/api/v1/cases/trends", CaseTrendsItem, asked)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _history(connection: Connection, deployment: str, set_name: str, case_id: str, runs: str) -> CaseHistoryItem:
    query = {"deployment": deployment, "set_name": set_name, "case_id": case_id, "runs": runs}
    with connection.open() as client:
        return client.read("/api/v1/cases/history", CaseHistoryItem, query)
