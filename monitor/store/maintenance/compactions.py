"""Orders to rewrite the file: each written with the rows that went, done when the new file is in place."""

from datetime import datetime

from monitor.domain.compaction import Rewrite, RewriteKind
from monitor.errors import NotFound
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.transaction import Row, Tx


def insert(tx: Tx, order: Rewrite) -> None:
    tx.execute(
        "insert_rewrite",
        id=order.id,
        kind=order.kind.value,
        at=order.at,
        who=order.who,
        user_hash=order.user_hash,
        removed=to_json(dict(order.removed)),
    )


def get(tx: Tx, rewrite_id: str) -> Rewrite:
    row = tx.one("rewrite_by_id", id=rewrite_id)
    if row is None:
        raise NotFound(f"rewrite {rewrite_id!r} is unknown; GET /api/v1/rewrites lists those that are there")
    return to_rewrite(row)


def open_orders(tx: Tx) -> list[Rewrite]:
    """What was ordered and is not done, oldest first."""
    return [to_rewrite(row) for row in tx.query("open_rewrites")]


def finish(tx: Tx, at: datetime) -> None:
    """Mark every open order as done. Only for the new file, before it takes the old one's place."""
    tx.execute("finish_rewrites", at=at)


def page(tx: Tx, q: PageQuery) -> Page[Rewrite]:
    return fetch_page(tx, "page_rewrites", q, to_rewrite, at="at")


def to_rewrite(row: Row) -> Rewrite:
    return Rewrite(**row | {"kind": RewriteKind(row["kind"]), "removed": from_json(row["removed"])})
