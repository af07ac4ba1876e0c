"""`driftd report`: what was measured of production traffic."""

import math
from typing import Annotated

import typer

from monitor.api.schema import ReportItem
from monitor.cli.options import Deployment, Limit
from monitor.cli.output import print_facts, print_table, say
from monitor.cli.session import Session, with_session

app = typer.Typer(help="Reports on production traffic: traffic, show.", no_args_is_help=True)


@app.command("traffic")
@with_session
def traffic(session: Session, deployment: Deployment = None, limit: Limit = 50) -> None:
    """List the nightly comparisons of traffic with that of the weeks before, newest first."""
    page = session.api.list("/api/v1/reports", ReportItem, limit=limit, deployment=deployment)
    rows = [(r.id, r.deployment, r.until, r.state, r.evidence.get("verdict"), r.reason) for r in page.items]
    columns = ("report", "deployment", "until", "state", "verdict", "reason")
    session.show(page, lambda: print_table(columns, rows, "there is no report yet"))


@app.command("show")
@with_session
def show(session: Session, report_id: Annotated[str, typer.Argument(metavar="REPORT", help="Id of a report.")]) -> None:
    """Show the distance of each column, the furthest from its own past first, and where the page is."""
    found = session.api.get(f"/api/v1/reports/{report_id}", ReportItem)
    session.show(found, lambda: _print_report(found))


def _print_report(report: ReportItem) -> None:
    evidence = report.evidence
    verdict = evidence.get("verdict")
    missing = f", {evidence['missing']} windows are missing" if evidence.get("missing") else ""
    print_facts(
        [
            ("report", report.id),
            ("deployment", report.deployment),
            ("window", f"{report.since:%Y-%m-%d %H:%MZ} to {report.until:%Y-%m-%d %H:%MZ}"),
            ("reference", f"from {report.reference_since:%Y-%m-%d %H:%MZ}"),
            ("state", f"{report.state}: {report.reason}"),
            ("verdict", verdict and f"{verdict}{missing}"),
            ("drifted since", evidence.get("onset")),
            ("page", f"GET /api/v1/reports/{report.id}/page" if report.page else None),
        ]
    )
    strength: dict[str, float | None] = evidence.get("columns") or {}
    order = sorted(report.distances, key=lambda name: (-_known(strength.get(name)), name))
    rows = [
        (name, _rounded(report.distances[name]), *report.counts[name], _rounded(strength.get(name))) for name in order
    ]
    say("")
    print_table(("column", "distance", "reference", "window", "log evidence"), rows, "nothing was measured")


def _known(log_e: float | None) -> float:
    return -math.inf if log_e is None else log_e


def _rounded(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"
