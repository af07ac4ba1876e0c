"""Stored responses of writes, so that a repeated request gets the same response."""

from dataclasses import dataclass
from datetime import datetime

from monitor.store.engine.append import row_of
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResponse:
    """A stored response. `request_hash` distinguishes a repeated request from another one that reuses the key."""

    key: str
    route: str
    request_hash: str
    status: int
    body: str
    at: datetime


def get(tx: Tx, key: str, route: str) -> StoredResponse | None:
    row = tx.one("idempotent_response", key=key, route=route)
    return StoredResponse(**row) if row else None


def put(tx: Tx, remembered: StoredResponse) -> bool:
    """Store a response; False when the key has one. The write lock makes check and insert atomic."""
    if get(tx, remembered.key, remembered.route) is not None:
        return False
    tx.insert("idempotency", table_of(TABLES["idempotency"], [row_of(remembered)]))
    return True
