"""Compaction orders. An order is stored with the removal of the rows, and is done when the new file is in use."""

from collections.abc import Sequence
from datetime import datetime

from monitor.domain.compaction import Compaction, CompactionKind
from monitor.errors import NotFound
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.transaction import Row, Tx


def insert(tx: Tx, order: Compaction) -> None:
    tx.execute(
        "insert_compaction",
        id=order.id,
        kind=order.kind.value,
        at=order.at,
        who=order.who,
        user_hash=order.user_hash,
        removed=to_json(dict(order.removed)),
    )


def get(tx: Tx, compaction_id: str) -> Compaction:
    row = tx.one("compaction_by_id", id=compaction_id)
    if row is None:
        raise NotFound(f"compaction {compaction_id!r} is unknown; GET /api/v1/compactions lists those that are there")
    return to_compaction(row)


def open_orders(tx: Tx) -> list[Compaction]:
    """What was ordered and is not done, oldest first."""
    return [to_compaction(row) for row in tx.query("open_compactions")]


def finish(tx: Tx, at: datetime) -> None:
    """Mark every open order as done. Only for the new file, before it takes the old one's place."""
    tx.execute("finish_compactions", at=at)


def finish_some(tx: Tx, ids: Sequence[str], at: datetime) -> None:
    """Mark some orders as done. Only for a lake, whose maintenance removes files one by one."""
    tx.execute("finish_some_compactions", ids=list(ids), at=at)


def page(tx: Tx, q: PageQuery) -> Page[Compaction]:
    return fetch_page(tx, "page_compactions", q, to_compaction, at="at")


def to_compaction(row: Row) -> Compaction:
    return Compaction(**row | {"kind": CompactionKind(row["kind"]), "removed": from_json(row["removed"])})
