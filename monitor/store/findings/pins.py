"""Pinned runs. A set has at most one pin; earlier pins stay in the list."""

from datetime import datetime

from monitor.domain.baseline import Pin
from monitor.store.engine.append import row_of
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx


def insert(tx: Tx, pin: Pin) -> None:
    """Insert a pin, and end the previous pin of the set."""
    end(tx, pin.deployment, pin.set_name, at=pin.at, who=pin.who)
    tx.insert("pin", table_of(TABLES["pin"], [row_of(pin)]))


def end(tx: Tx, deployment: str, set_name: str, *, at: datetime, who: str) -> bool:
    """Remove the pin of the set; False when it has none."""
    return bool(tx.execute("end_pin", deployment=deployment, set_name=set_name, at=at, who=who))


def current(tx: Tx, deployment: str, set_name: str) -> Pin | None:
    row = tx.one("current_pin", deployment=deployment, set_name=set_name)
    return to_pin(row) if row else None


def page(tx: Tx, q: PageQuery) -> Page[Pin]:
    return fetch_page(tx, "page_pins", q, to_pin, at="at")


def to_pin(row: Row) -> Pin:
    return Pin(**row)
