"""Appending rows to a big table, each id once."""

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
    """What became of a batch: rows that are new, and rows that were there already or twice in it."""

    accepted: int
    duplicates: int


def row_of(item: Any) -> Row:
    """Return a struct or a slotted dataclass as a row by field name. The values are not copied."""
    names: tuple[str, ...] = item.__slots__
    return dict(zip(names, attrgetter(*names)(item), strict=True))


def append_new(tx: Tx, name: str, table: str, rows: Sequence[Row], *, at: str, margin: timedelta) -> Inserted:
    """Append the rows whose id is new, by the anti-join of `sql/<name>.sql` in the batch's time window.

    `margin` widens the window: a sender that leaves the time out gets the receiving time, so a resend has a later one.
    """
    return append_columns(tx, name, table, columns_of(TABLES[table].names, rows), at=at, margin=margin)


def append_columns(
    tx: Tx, name: str, table: str, columns: Columns, *, at: str, margin: timedelta, recent: RecentIds | None = None
) -> Inserted:
    """The same for rows that are columns already. What is new by `recent` is looked for nowhere else."""
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
    """Of two rows with one id, the first stays."""
    ids = columns["id"]
    if len(set(ids)) == len(ids):
        return columns
    first = {row_id: i for i, row_id in zip(range(len(ids) - 1, -1, -1), reversed(ids), strict=True)}
    chosen = sorted(first.values())
    return {name: [values[i] for i in chosen] for name, values in columns.items()}
