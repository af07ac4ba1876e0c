"""Traffic reports: numbers, and the HTML page of Evidently, which contains no user text."""

import hashlib
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import ListQuery, as_list
from monitor.api.lookup import Identifier
from monitor.api.schema import ListPage, ReportItem
from monitor.domain.traffic_report import PAGE_POLICY, TrafficReport
from monitor.errors import NotFound
from monitor.store.findings import traffic_reports

router = APIRouter(prefix="/api/v1/reports", tags=["reports"])
# `sandbox` gives the page its own origin: its scripts run without access to driftd.
_HEADERS = {
    "Content-Security-Policy": f"{PAGE_POLICY}; frame-ancestors 'none'; sandbox allow-scripts",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@router.get("", **needs(Role.READ))
def list_reports(context: Context, query: ListQuery) -> ListPage[ReportItem]:
    with context.store.read() as tx:
        return as_list(traffic_reports.page(tx, query), encode.report)


@router.get("/{id}", **needs(Role.READ))
def get_report(context: Context, id: Identifier) -> ReportItem:  # noqa: A002 - the path uses id
    """Return the distances, counts and evidence of one traffic window."""
    with context.store.read() as tx:
        return encode.report(traffic_reports.get(tx, id))


@router.get("/{id}/page", response_class=HTMLResponse, **needs(Role.READ))
def get_report_page(context: Context, id: Identifier) -> HTMLResponse:  # noqa: A002
    """Return the HTML page of Evidently: it is self-contained, and its sandbox allows scripts only."""
    with context.store.read() as tx:
        traffic_report = traffic_reports.get(tx, id)
    return HTMLResponse(_page_of(traffic_report, context.reports), headers=_HEADERS)


def _page_of(traffic_report: TrafficReport, folder: Path | None) -> bytes:
    """Return the file if it exists and is unchanged."""
    if traffic_report.path is None or folder is None:
        raise NotFound(
            f"report {traffic_report.id!r} has no page, or retention removed it; "
            f"its numbers are at /api/v1/reports/{traffic_report.id}"
        )
    try:
        content = (folder / traffic_report.path).read_bytes()
    except OSError as error:
        raise NotFound(f"the page of report {traffic_report.id!r} cannot be read: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != traffic_report.sha256:
        raise NotFound(f"the page of report {traffic_report.id!r} was changed after it was written; it is not served")
    return content
