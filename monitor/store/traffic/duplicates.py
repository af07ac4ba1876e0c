"""Finds reports of one call in different traces. See monitor/domain/duplicates.py."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from monitor.domain.duplicates import NEAR, Pair, duplicates
from monitor.domain.interaction import Status
from monitor.domain.reports import Report
from monitor.store.aggregates import settled_days
from monitor.store.engine.schema import KEPT_REPORTS, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.traffic.call_revisions import revise

APART: Final = timedelta(seconds=10)  # the longest time between the starts of two reports of one response
MOST_PAIRS: Final = 100_000  # of one step; a test model that gives every response the same id produces very many


def find(tx: Tx, *, since: datetime, calls_since: datetime) -> Mapping[str, str]:
    """Return the kept report of each duplicate, where at least one of the two arrived after `since`."""
    window = {"since": since, "calls_since": calls_since, "limit": MOST_PAIRS}
    pairs = _pairs(tx.query("duplicates_by_response", apart_ms=_ms(APART), **window))
    return duplicates(pairs + _by_time(tx, window))


def mark(tx: Tx, found: Mapping[str, str], *, since: datetime) -> int:
    """Set `duplicate_of` of each duplicate, and return their number. None of them arrived before `since`."""
    if not found:
        return 0
    batch = table_of(KEPT_REPORTS, [{"id": id_, "kept": kept} for id_, kept in found.items()])
    settled_days.unsettle_calls(tx, found, received_since=since)
    return revise(tx, "set_duplicate_of", batch, since=since)


def _by_time(tx: Tx, window: Row) -> list[Pair]:
    """Return pairs with equal texts at nearly the same time. It reads texts, so it runs only for reports without a
    response id.
    """
    found = tx.one("calls_without_response_id", since=window["since"])
    if found is None or found["first_at"] is None:
        return []
    first_at, last_at = found["first_at"] - NEAR, found["last_at"] + NEAR
    return _pairs(tx.query("duplicates_by_text", first_at=first_at, last_at=last_at, apart_ms=_ms(NEAR), **window))


def _pairs(rows: Iterable[Row]) -> list[Pair]:
    return [Pair(one=_report(row, "one_"), other=_report(row, "other_")) for row in rows]


def _report(row: Row, side: str) -> Report:
    started_at: datetime = row[f"{side}started_at"]
    return Report(
        id=row[f"{side}id"],
        convention=row[f"{side}convention"],
        status=Status(row[f"{side}status"]),
        started_at=started_at,
        ended_at=started_at + timedelta(milliseconds=row[f"{side}duration_ms"] or 0.0),
        response_id=row[f"{side}response_id"],
        error_type=row[f"{side}error_type"],
        counted=row[f"{side}counted"],
        inputs=row.get(f"{side}inputs"),
        outputs=row.get(f"{side}outputs"),
    )


def _ms(span: timedelta) -> int:
    return round(span.total_seconds() * 1000)
