"""`driftd report`: run cards and traffic reports."""

import math
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from monitor.api.schema import ReportItem, RunCard
from monitor.cli.connection.session import Session, with_session
from monitor.cli.options import Deployment, Limit
from monitor.cli.replays.run_card import html, markdown
from monitor.cli.terminal.output import note, print_facts, print_line, print_lines, print_table
from monitor.errors import UsageError


class _RunFirst(TyperGroup):
    """Makes `driftd report RUN` equal to `driftd report run RUN`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            args = ["run", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_RunFirst,
    help="Reports on runs (driftd report RUN) and on production traffic.",
    no_args_is_help=True,
    add_completion=False,
)


@app.command("run")
@with_session
def run(
    session: Session,
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Id of a run.")],
    page: Annotated[Path | None, typer.Option("--html", help="Write one self-contained page to this file.")] = None,
) -> None:
    """Print a run card in Markdown: conditions, pass rate, failure categories and verdict."""
    card = session.api.get(f"/api/v1/runs/{run_id}/card", RunCard)
    if page is None:
        session.show(card, lambda: print_lines(markdown(card).rstrip()))
        return
    _write(page, html(card).encode())
    session.show(card, lambda: note(f"{page}: the card of {run_id}"))


@app.command("traffic")
@with_session
def traffic(session: Session, deployment: Deployment = None, limit: Limit = 50) -> None:
    """List the nightly reports that compare production traffic with the weeks before, newest first."""
    page = session.api.list("/api/v1/reports", ReportItem, limit=limit, deployment=deployment)
    rows = [(r.id, r.deployment, r.until, r.state, r.evidence.get("verdict"), r.reason) for r in page.items]
    columns = ("report", "deployment", "until", "state", "verdict", "reason")
    session.show(page, lambda: print_table(columns, rows, "no report yet"))


@app.command("show")
@with_session
def show(
    session: Session,
    report_id: Annotated[str, typer.Argument(metavar="REPORT", help="Id of a report.")],
    page: Annotated[Path | None, typer.Option("--html", help="Write the report's page to this file.")] = None,
) -> None:
    """Show the distance of each column from its reference, largest first. With --html, write the page."""
    found = session.api.get(f"/api/v1/reports/{report_id}", ReportItem)
    if page is not None:
        _write(page, session.api.page(f"/api/v1/reports/{report_id}/page"))
        note(f"{page}: the page of {report_id}")
    session.show(found, lambda: _print_report(found))


def _write(page: Path, content: bytes) -> None:
    try:
        page.write_bytes(content)
    except OSError as error:
        raise UsageError(f"--html {page}: cannot be written ({error.strerror}); choose another file") from None


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
            ("page", f"driftd report show {report.id} --html FILE" if report.page else None),
        ]
    )
    strength: dict[str, float | None] = evidence.get("columns") or {}
    order = sorted(report.distances, key=lambda name: (-_known(strength.get(name)), name))
    rows = [
        (name, _rounded(report.distances[name]), *report.counts[name], _rounded(strength.get(name))) for name in order
    ]
    print_line("")
    print_table(("column", "distance", "reference", "window", "log evidence"), rows, "no measurements")


def _known(log_e: float | None) -> float:
    return -math.inf if log_e is None else log_e


def _rounded(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"
