"""Traffic reports and the logged calls that they compare. Pages are files; the rows name the files that must exist."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import pyarrow as pa

from monitor.domain.traffic_report import TrafficReport, TrafficReportKind, TrafficReportState
from monitor.errors import NotFound
from monitor.store.engine.append import row_of
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import CALLS, table_of
from monitor.store.engine.transaction import Row, Tx

TEXT_CHARS: Final = 1_000  # of each text: enough to detect language, topic and refusal
_SUMMARY: Final = ("distances", "counts", "evidence")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCounts:
    reference: int
    now: int


def insert(tx: Tx, traffic_report: TrafficReport) -> None:
    row = row_of(traffic_report)
    summary = to_json({name: row.pop(name) for name in _SUMMARY})
    row |= {"kind": traffic_report.kind.value, "state": traffic_report.state.value, "page_digest": row.pop("sha256")}
    tx.execute("insert_traffic_report", **row, summary=summary)


def get(tx: Tx, traffic_report_id: str) -> TrafficReport:
    row = tx.one("traffic_report_by_id", id=traffic_report_id)
    if row is None:
        raise NotFound(f"report {traffic_report_id!r} is unknown; GET /api/v1/reports lists those that are there")
    return to_traffic_report(row)


def page(tx: Tx, q: PageQuery) -> Page[TrafficReport]:
    return fetch_page(tx, "page_traffic_reports", q, to_traffic_report, at="at")


def measured(tx: Tx, deployment: str, limit: int) -> list[TrafficReport]:
    """Return the newest traffic reports with numbers, the oldest of them first."""
    rows = tx.query(
        "measured_traffic_reports", deployment=deployment, kind=TrafficReportKind.TRAFFIC.value, limit=limit
    )
    return [to_traffic_report(row) for row in reversed(rows)]


def forget_pages(tx: Tx, deployment: str, *, keep: int) -> int:
    return tx.execute("forget_traffic_report_pages", deployment=deployment, keep=keep)


def expire(tx: Tx, before: datetime) -> int:
    return tx.execute("expire_traffic_reports", before=before)


def paths(tx: Tx) -> set[str]:
    """Return the path of every page that must exist."""
    return {row["path"] for row in tx.query("traffic_report_paths")}


def count_calls(tx: Tx, deployment: str, *, reference_since: datetime, since: datetime, until: datetime) -> CallCounts:
    """Return the number of production calls in [reference_since, since) and in [since, until)."""
    (row,) = tx.query(
        "count_traffic_calls", deployment=deployment, reference_since=reference_since, since=since, until=until
    )
    return CallCounts(**row)


def calls(tx: Tx, deployment: str, windows: Mapping[str, tuple[datetime, datetime]], *, max_calls: int) -> pa.Table:
    """Return production calls of each named window, at most `max_calls` for each, with the columns of `CALLS`."""
    rows: list[dict[str, Any]] = []
    for window, (since, until) in windows.items():
        rows += tx.query(
            "traffic_calls",
            deployment=deployment,
            window=window,
            since=since,
            until=until,
            max_calls=max_calls,
            text_chars=TEXT_CHARS,
        )
    return table_of(CALLS, rows)


def to_traffic_report(row: Row) -> TrafficReport:
    fields = dict(row)
    summary = from_json(fields.pop("summary"))
    counts = {name: (before, after) for name, (before, after) in summary["counts"].items()}
    return TrafficReport(
        **fields
        | {"kind": TrafficReportKind(row["kind"]), "state": TrafficReportState(row["state"])}
        | {"distances": summary["distances"], "counts": counts, "evidence": summary["evidence"]}
    )
