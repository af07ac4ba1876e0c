"""Cached API requests about two runs, for pages that are redrawn often.

Complete runs do not change, so their numbers are cached for some time. Texts are never cached: each view is a request
that the daemon can log.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st

from dashboards.connection import Connection
from dashboards.live import CACHE_S, connection_now
from monitor.api.schema import CallerItem, ComparedCaseItem, ComparisonItem, FlipItem, RunItem
from monitor.api.schema.compared_amounts import ComparedAmountsItem
from monitor.api.schema.version_comparisons import VersionComparisonItem

KEPT_S = 300.0
MOST_FLIPS = 500  # cases of one request of a download
MOST_KEPT = 200  # entries of each kind, for all users together

Narrowed = tuple[tuple[str, str], ...]  # pairs of a parameter of /comparisons/flips and its value


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipPage:
    """One page of flipped cases; `next_cursor` is the cursor of the next page. The cache can store this class."""

    items: list[FlipItem]
    next_cursor: str | None


def run_of(run_id: str) -> RunItem:
    return _run(connection_now(), run_id)


def comparison_of(baseline: str, candidate: str, metric: str | None) -> ComparisonItem:
    return _comparison(connection_now(), baseline, candidate, metric)


def versions_of(
    deployment: str, set_name: str, baseline: str, candidate: str, metric: str | None
) -> VersionComparisonItem:
    """Return the comparison of two versions, by id, over all their comparable nights."""
    query = {"deployment": deployment, "set_name": set_name, "baseline": baseline, "candidate": candidate}
    return _versions(connection_now(), tuple((query | ({"metric": metric} if metric else {})).items()))


def amounts_of(baseline: str, candidate: str) -> ComparedAmountsItem:
    return _amounts(connection_now(), baseline, candidate)


def every_flip(connection: Connection, baseline: str, candidate: str, narrowed: Narrowed) -> Iterator[FlipItem]:
    """Return all flipped cases that match, for a download."""
    cursor: str | None = None
    with connection.open() as client:
        while True:
            page = client.flips(baseline, candidate, limit=MOST_FLIPS, cursor=cursor, narrowed=dict(narrowed))
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return


def flips_of(baseline: str, candidate: str, narrowed: Narrowed, *, cursor: str | None, limit: int) -> FlipPage:
    return _flips(connection_now(), baseline, candidate, narrowed, cursor, limit)


def case_of(
    baseline: str, candidate: str, case_id: str, *, metric: str | None = None, reveal: bool = False
) -> ComparedCaseItem:
    with connection_now().open() as client:
        return client.compared_case(baseline, candidate, case_id, metric=metric, reveal=reveal)


def sender() -> CallerItem:
    return _sender(connection_now())


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _run(connection: Connection, run_id: str) -> RunItem:
    with connection.open() as client:
        return client.run(run_id)


@st.cache_data(ttl=KEPT_S, max_entries=MOST_KEPT, show_spinner=False)
def _comparison(connection: Connection, baseline: str, candidate: str, metric: str | None) -> ComparisonItem:
    with connection.open() as client:
        return client.comparison(baseline, candidate, metric)


@st.cache_data(ttl=KEPT_S, max_entries=MOST_KEPT, show_spinner=False)
def _versions(connection: Connection, query: Narrowed) -> VersionComparisonItem:
    with connection.open() as client:
        return client.read("/api/v1/comparisons/versions", VersionComparisonItem, dict(query))


@st.cache_data(ttl=KEPT_S, max_entries=MOST_KEPT, show_spinner=False)
def _amounts(connection: Connection, baseline: str, candidate: str) -> ComparedAmountsItem:
    query = {"baseline": baseline, "candidate": candidate}
    with connection.open() as client:
        return client.read("/api/v1/comparisons/amounts", ComparedAmountsItem, query)


@st.cache_data(ttl=KEPT_S, max_entries=MOST_KEPT, show_spinner=False)
def _flips(  # noqa: PLR0917 - the cache's key
    connection: Connection, baseline: str, candidate: str, narrowed: Narrowed, cursor: str | None, limit: int
) -> FlipPage:
    with connection.open() as client:
        page = client.flips(baseline, candidate, limit=limit, cursor=cursor, narrowed=dict(narrowed))
    return FlipPage(items=page.items, next_cursor=page.next_cursor)


@st.cache_data(ttl=CACHE_S, show_spinner=False)
def _sender(connection: Connection) -> CallerItem:
    with connection.open() as client:
        return client.sender()
