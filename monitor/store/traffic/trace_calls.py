"""The reports of calls in changed traces, with the links between their spans."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from monitor.domain.call_tree import Link
from monitor.domain.deployment_limit import reaches
from monitor.domain.interaction import Status
from monitor.domain.reports import TEXT_CHARS, Report
from monitor.domain.span_link import SpanLink
from monitor.store.aggregates import settled_days
from monitor.store.engine.schema import IDS, KEPT_REPORTS, TABLES, TRACES, table_from, table_of
from monitor.store.engine.transaction import Row, Tx
from monitor.store.traffic.call_revisions import revise
from monitor.store.traffic.filled_calls import own_values

MOST_TRACES: Final = 200_000  # of one step: ids and counts
MOST_CALLS: Final = 2_000  # of one trace: the newest

NONE: Final = "[]"  # an empty list of messages in a column

Size = tuple[int, ...]  # counts of a trace that change when a row arrives for it


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceReports:
    """The calls of one deployment in one trace. `kept_in` are the stored duplicates, `filled` the filled rows."""

    reports: Sequence[Report]
    links: Mapping[str, Link]
    kept_in: Mapping[str, str]
    filled: frozenset[str]


def insert_links(tx: Tx, links: Sequence[SpanLink], limited_to: str | None = None) -> None:
    """Store links until the calls that they connect arrive. `limited_to` has the deployments of a limited sender, as
    JSON.
    """
    if links:
        columns = dict(zip(SpanLink._fields, map(list, zip(*links, strict=True)), strict=True))
        columns["limited_to"] = [limited_to] * len(links)
        tx.insert("span_link", table_from(TABLES["span_link"], columns))


def changed_traces(tx: Tx, *, since: datetime, calls_since: datetime) -> dict[str, Size]:
    """Return traces with several calls that received a row since then, with their size."""
    rows = tx.query("changed_traces", since=since, calls_since=calls_since, most_traces=MOST_TRACES)
    sizes = ("calls", "with_content", "output_chars", "links", "contents")
    return {row["trace_id"]: tuple(row[size] or 0 for size in sizes) for row in rows}


def reports_of(tx: Tx, traces: Sequence[str], *, calls_since: datetime) -> list[TraceReports]:
    """Return the original values of the calls of these traces, by trace and deployment."""
    batch = table_from(TRACES, {"trace_id": list(traces)})
    limits = {"most_calls": MOST_CALLS, "text_chars": TEXT_CHARS}
    calls: dict[str, list[Row]] = {}
    for row in tx.query("reports_of_traces", batch=batch, calls_since=calls_since, **limits):
        calls.setdefault(row["trace_id"], []).append(row)
    links: dict[str, list[Row]] = {}
    for row in tx.query("links_of_traces", batch=batch, calls_since=calls_since):
        links.setdefault(row["trace_id"], []).append(row)
    return [
        _of_deployment(deployment, rows, links.get(trace, ()))
        for trace, rows in calls.items()
        for deployment in dict.fromkeys(row["deployment"] for row in rows)
    ]


def set_kept_reports(tx: Tx, kept_in: Mapping[str, str | None], *, calls_since: datetime, since: datetime) -> int:
    """Set the kept report of each duplicate, also for reports in other traces that refer to a replaced one."""
    rows = [{"id": id_, "kept": kept} for id_, kept in kept_in.items()]
    settled_days.unsettle_calls(tx, kept_in, received_since=min(calls_since, since))
    changed = revise(tx, "set_kept_reports", table_of(KEPT_REPORTS, rows), since=calls_since)
    moved = [row for row in rows if row["kept"] is not None]
    if moved:
        revise(tx, "set_duplicate_of", table_of(KEPT_REPORTS, moved), since=since)
    return changed


def rows_of(tx: Tx, ids: Sequence[str]) -> dict[str, Row]:
    """Return the complete rows of these calls, by id."""
    found = tx.query("interactions_by_ids", batch=table_of(IDS, [{"id": id_} for id_ in ids]))
    return {row["id"]: row for row in found}


def _of_deployment(deployment: str, rows: Sequence[Row], links: Sequence[Row]) -> TraceReports:
    """Return the reports of one deployment. Calls of other deployments in the trace only connect spans, and so do
    spans that are not calls. What a sender sent that is limited to other deployments connects nothing.
    """
    own = [row for row in rows if row["deployment"] == deployment]
    foreign = [row for row in rows if row["deployment"] != deployment and reaches(row["limited_to"], deployment)]
    connecting = [row for row in links if reaches(row["limited_to"], deployment)]
    return TraceReports(
        reports=[_report(row) for row in own],
        links={
            **{row["span_id"]: Link(row["parent_span_id"], row["is_tool"]) for row in connecting},
            **{row["span_id"]: Link(row["parent_span_id"], is_tool=False) for row in foreign},
        },
        kept_in={row["id"]: row["duplicate_of"] for row in own if row["duplicate_of"] is not None},
        filled=frozenset(row["id"] for row in own if row["own_values"]),
    )


def _report(row: Row) -> Report:
    own = row | own_values(row)
    started_at: datetime = row["started_at"]
    return Report(
        id=row["id"],
        convention=row["convention"],
        status=Status(own["status"]),
        started_at=started_at,
        ended_at=started_at + timedelta(milliseconds=own["duration_ms"] or 0.0),
        span_id=row["span_id"],
        parent_span_id=row["parent_span_id"],
        response_id=own["response_id"],
        error_type=own["error_type"],
        counted=own["input_tokens"] is not None,
        inputs=str(own.get("input_text", row["inputs"]))[:TEXT_CHARS],
        outputs=str(own.get("output_text", row["outputs"]))[:TEXT_CHARS],
        has_messages=own["output_messages"] != NONE if "output_messages" in own else row["has_messages"],
    )
