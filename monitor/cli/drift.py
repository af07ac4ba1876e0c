"""`driftd drift`: what the replays were found to mean."""

from typing import Annotated

import typer

from monitor.api.schema import FindingItem
from monitor.cli.comparison import print_comparison
from monitor.cli.options import Deployment, Limit
from monitor.cli.output import points, print_facts, print_table, say
from monitor.cli.session import Session, with_session

app = typer.Typer(help="Findings: list, show.", no_args_is_help=True)


@app.command("list")
@with_session
def list_findings(session: Session, deployment: Deployment = None, limit: Limit = 50) -> None:
    """List findings, newest first."""
    page = session.api.list("/api/v1/findings", FindingItem, limit=limit, deployment=deployment)
    columns = ("finding", "deployment", "at", "set", "verdict", "points", "reason")
    session.show(page, lambda: print_table(columns, [_row(f) for f in page.items], "there is no finding yet"))


@app.command("show")
@with_session
def show(
    session: Session, finding_id: Annotated[str, typer.Argument(metavar="FINDING", help="Id of a finding.")]
) -> None:
    """Show one finding with its evidence."""
    found = session.api.get(f"/api/v1/findings/{finding_id}", FindingItem)
    session.show(found, lambda: _print_finding(found))


def _row(finding: FindingItem) -> tuple[object, ...]:
    effect = None if finding.comparison is None else points(finding.comparison.effect)
    return (finding.id, finding.deployment, finding.at, finding.set_name, finding.verdict, effect, finding.reason)


def _print_finding(finding: FindingItem) -> None:
    print_facts(
        [
            ("finding", finding.id),
            ("deployment", finding.deployment),
            ("at", finding.at),
            ("set", f"{finding.set_name} ({finding.set_kind})"),
            ("verdict", f"{finding.verdict} ({finding.severity})"),
            ("why", finding.reason),
            ("runs", f"{finding.baseline_run or 'no baseline'} to {finding.candidate_run}"),
            ("version", f"{finding.from_version or 'unknown'} to {finding.to_version or 'unknown'}"),
            ("change", finding.change_id),
        ]
    )
    if finding.comparison is not None:
        say("")
        print_comparison(finding.comparison)
