"""Accepted baselines. The newest of a set or of a production series defines from which night on its nights count."""

from datetime import datetime

from monitor.domain.baseline import AcceptedBaseline
from monitor.domain.finding import Finding
from monitor.domain.production import Series
from monitor.store.engine.append import row_of
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.findings import findings


def accept(tx: Tx, baseline: AcceptedBaseline, ending: Finding | None) -> None:
    """Store an accepted baseline. `ending` is the finding that resolves the open alert of the set, None without one."""
    tx.insert("baseline", table_of(TABLES["baseline"], [row_of(baseline)]))
    if ending is not None:
        findings.insert(tx, ending)


def of_finding(tx: Tx, finding_id: str) -> AcceptedBaseline | None:
    """Return the baseline that was accepted from this finding."""
    row = tx.one("baseline_of_finding", finding_id=finding_id)
    return to_baseline(row) if row else None


def current(tx: Tx, deployment: str, set_name: str) -> AcceptedBaseline | None:
    """Return the newest baseline of the set; None while its first nights are its baseline."""
    row = tx.one("current_baseline", deployment=deployment, set_name=set_name)
    return to_baseline(row) if row else None


def of_set(tx: Tx, deployment: str, set_name: str) -> list[AcceptedBaseline]:
    """Return all baselines of the set, the latest start first."""
    return [to_baseline(row) for row in tx.query("baselines_of_set", deployment=deployment, set_name=set_name)]


def current_of_series(tx: Tx, deployment: str) -> dict[Series, AcceptedBaseline]:
    """Return the newest baseline of each production series; none while the first days of a series are its baseline."""
    rows = tx.query("current_baselines_of_series", deployment=deployment)
    return {Series(row["series"]): to_baseline(row) for row in rows}


def without_event(tx: Tx, receiver: str, since: datetime) -> list[AcceptedBaseline]:
    """Return the baselines since a time that the receiver has no change event of, the oldest first."""
    return [to_baseline(row) for row in tx.query("baselines_without_event", receiver=receiver, since=since)]


def page(tx: Tx, q: PageQuery) -> Page[AcceptedBaseline]:
    return fetch_page(tx, "page_baselines", q, to_baseline, at="at")


def to_baseline(row: Row) -> AcceptedBaseline:
    return AcceptedBaseline(**row)
