"""Append rows to a large table, each id once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from operator import attrgetter
from typing import Any

from monitor.store.engine.schema import TABLES, Columns, columns_of, table_from
from monitor.store.engine.transaction import Row, Tx
from monitor.store.traffic.recent_ids import RecentIds


@dataclass(frozen=True, slots=True, kw_only=True)
class Inserted:
    """The result of a batch: the number of new rows, and of rows that are stored already or repeated."""

    accepted: int
    duplicates: int


def row_of(item: Any) -> Row:
    """Return a struct or a slotted dataclass as a row by field name. The values are not copied."""
    names: tuple[str, ...] = item.__slots__
    return dict(zip(names, attrgetter(*names)(item), strict=True))


def append_new(tx: Tx, name: str, table: str, rows: Sequence[Row], *, at: str, margin: timedelta) -> Inserted:
    """Append the rows whose id is new. `sql/<name>.sql` compares the ids with the rows of the batch's time window.

    `margin` widens the window: a record without a time gets its receive time, so a resent record has a later time.
    """
    return append_columns(tx, name, table, columns_of(TABLES[table].names, rows), at=at, margin=margin)


def append_columns(
    tx: Tx, name: str, table: str, columns: Columns, *, at: str, margin: timedelta, recent: RecentIds | None = None
) -> Inserted:
    """Append columns instead of rows. When `recent` proves that every id is new, the table is not searched."""
    sent = len(columns["id"])
    if not sent:
        return Inserted(accepted=0, duplicates=0)
    kept = _first_of_each_id(columns)
    ids, times, batch = kept["id"], kept[at], table_from(TABLES[table], kept)
    since, until = min(times) - margin, max(times) + margin
    if recent is not None and recent.are_new(ids, since=since, until=until):
        accepted = tx.insert(table, batch)
    else:
        accepted = tx.execute(name, batch=batch, since=since, until=until)
    if recent is not None:
        recent.add(ids, times)
    return Inserted(accepted=accepted, duplicates=sent - accepted)


def _first_of_each_id(columns: Columns) -> Columns:
    """Return the columns without repeated ids. The first row of an id is kept."""
    ids = columns["id"]
    if len(set(ids)) == len(ids):
        return columns
    first = {row_id: i for i, row_id in zip(range(len(ids) - 1, -1, -1), reversed(ids), strict=True)}
    chosen = sorted(first.values())
    return {name: [values[i] for i in chosen] for name, values in columns.items()}
