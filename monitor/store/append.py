"""Appending rows to a big table, each id once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from operator import attrgetter
from typing import Any

from monitor.store.columns import TABLES, table_of
from monitor.store.transaction import Row, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Inserted:
    """What became of a batch: rows that are new, and rows that were there already or twice in it."""

    accepted: int
    duplicates: int


def row_of(item: Any) -> Row:
    """A dataclass as a row, field by field, not copied. Ours are all slotted: the slots name the fields."""
    names: tuple[str, ...] = item.__slots__
    return dict(zip(names, attrgetter(*names)(item), strict=True))


def append_new(tx: Tx, name: str, table: str, rows: Sequence[Row], *, at: str, margin: timedelta) -> Inserted:
    """Append the rows whose id is new, by the anti-join of `sql/<name>.sql` in the batch's time window.

    `margin` widens the window: a sender that leaves the time out gets the receiving time, so a resend has a later one.
    """
    if not rows:
        return Inserted(accepted=0, duplicates=0)
    first = {row["id"]: row for row in reversed(rows)}  # reversed: of two with one id, the first stays
    times = [row[at] for row in rows]
    batch = table_of(TABLES[table], list(first.values())[::-1])
    accepted = tx.execute(name, batch=batch, since=min(times) - margin, until=max(times) + margin)
    return Inserted(accepted=accepted, duplicates=len(rows) - accepted)
