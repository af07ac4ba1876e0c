"""Requests of the page Production. Counts are cached for some time; interactions never, because reads are logged."""

from collections.abc import Mapping
from datetime import datetime

import streamlit as st

from dashboards.client import segment
from dashboards.connection import Connection
from dashboards.live import connection_now
from monitor.api.schema import CorrectionRates, ProductionDays, ProductionSeriesItem, ReportItem
from monitor.api.schema.interactions import InteractionDetail, InteractionPage

CACHE_S = 60.0
MOST_DAYS = 800
MOST_REPORTS = 120
MOST_SERIES = 50
PAGE = 50  # interactions of one page of the table
MOST_STEPS = 10  # requests of one search, each with the time limit of the daemon


def days_of(deployment: str, days: int | None) -> ProductionDays:
    """Return the counts of the newest UTC days, with today; None for all."""
    return _days(connection_now(), deployment, min(days or MOST_DAYS, MOST_DAYS))


def series_of(deployment: str) -> list[ProductionSeriesItem]:
    return _series(connection_now(), deployment)


def correction_rates(deployment: str, by: str) -> CorrectionRates:
    return _rates(connection_now(), deployment, by)


def reports_of(deployment: str) -> list[ReportItem]:
    """Return the newest traffic reports."""
    return _reports(connection_now(), deployment)


def report_page(report: ReportItem) -> str:
    """Return the HTML page of Evidently."""
    with connection_now().open() as client:
        return client.text(f"/api/v1/reports/{segment(report.id)}/page")


def interactions(deployment: str, filters: Mapping[str, str], cursor: str | None) -> InteractionPage:
    """Return one page of the production calls that match.

    The daemon stops a search of rare words after its time limit: continue it while nothing is found, for MOST_STEPS.
    """
    query = {"deployment": deployment, "traffic": "true", "limit": str(PAGE), **filters}
    with connection_now().open() as client:
        for _ in range(MOST_STEPS):
            asked = query | ({"cursor": cursor} if cursor is not None else {})
            found = client.read("/api/v1/interactions", InteractionPage, asked)
            cursor = found.next_cursor
            if found.items or cursor is None:
                break
    return found


def interaction(id_: str, at: datetime | None) -> InteractionDetail:
    """Return one call; its start time makes the search fast."""
    query = {} if at is None else {"at": at.isoformat()}
    with connection_now().open() as client:
        return client.read(f"/api/v1/interactions/{segment(id_)}", InteractionDetail, query)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _days(connection: Connection, deployment: str, days: int) -> ProductionDays:
    with connection.open() as client:
        query = {"deployment": deployment, "days": str(days)}
        return client.read("/api/v1/production/days", ProductionDays, query)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _series(connection: Connection, deployment: str) -> list[ProductionSeriesItem]:
    with connection.open() as client:
        return client.items("production", ProductionSeriesItem, most=MOST_SERIES, deployment=deployment)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _rates(connection: Connection, deployment: str, by: str) -> CorrectionRates:
    with connection.open() as client:
        return client.correction_rates(deployment, by)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _reports(connection: Connection, deployment: str) -> list[ReportItem]:
    with connection.open() as client:
        return client.items("reports", ReportItem, most=MOST_REPORTS, deployment=deployment)
