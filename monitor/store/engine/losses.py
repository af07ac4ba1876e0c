"""Losses: acknowledged rows that a start found missing, until a person acknowledges them."""

from datetime import datetime

from monitor.domain.loss import Loss, LossReason
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.transaction import Row, Tx


def insert(tx: Tx, loss: Loss) -> None:
    tx.execute(
        "insert_loss",
        id=loss.id,
        found_at=loss.found_at,
        reason=loss.reason.value,
        commits=loss.commits,
        changed_rows=loss.changed_rows,
        since=loss.since,
        until=loss.until,
    )


def unacknowledged(tx: Tx) -> list[Loss]:
    """Return the unacknowledged losses, the oldest first."""
    return [_to_loss(row) for row in tx.query("open_losses")]


def page(tx: Tx, q: PageQuery) -> Page[Loss]:
    """Return losses, acknowledged or not."""
    return fetch_page(tx, "page_losses", q, _to_loss, at="found_at")


def acknowledge(tx: Tx, *, who: str, note: str | None, now: datetime) -> int:
    """Acknowledge all open losses, and return their number."""
    return tx.execute("acknowledge_losses", who=who, note=note, now=now)


def _to_loss(row: Row) -> Loss:
    return Loss(**row | {"reason": LossReason(row["reason"])})
