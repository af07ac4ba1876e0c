"""`driftd db audit`: verify and read the audit log."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from monitor.api.schema.audit import AcknowledgeBreaks, AuditItem, AuditVerification
from monitor.cli.connection.session import Session, with_session, with_writing_session
from monitor.cli.options import Deployment, Limit
from monitor.cli.terminal.output import print_line, print_table
from monitor.errors import UsageError

Time = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="UTC time or date.", metavar="TIME")
]
Anchors = Annotated[
    list[str] | None,
    typer.Option("--anchor", metavar="NUMBER:HASH", help="A known entry, for example of a log line. Repeatable."),
]


@with_session
def verify(session: Session, anchors: Anchors = None) -> None:
    """Verify the chain of the audit log and name the first broken link; the exit code is then 1."""
    given: dict[str, Any] = {"anchor": anchors} if anchors else {}
    found = session.api.get("/api/v1/audit/verification", AuditVerification, **given)
    session.show(found, lambda: _print_result(found))
    if not found.ok:
        raise typer.Exit(1)


@with_session
def entries(  # noqa: PLR0917 - one option a filter
    session: Session,
    since: Time = None,
    until: Time = None,
    principal: Annotated[str | None, typer.Option(help="Name of a token or of a person.")] = None,
    operation: Annotated[str | None, typer.Option(help="Part of an operation, for example tokens.")] = None,
    kind: Annotated[str | None, typer.Option(help="For example write, reveal, export, login_failed.")] = None,
    deployment: Deployment = None,
    limit: Limit = 50,
) -> None:
    """List the entries of the audit log, the newest first."""
    filters = {
        "since": since and since.replace(tzinfo=UTC).isoformat(),
        "until": until and until.replace(tzinfo=UTC).isoformat(),
        "principal": principal,
        "operation": operation,
        "kind": kind,
        "deployment": deployment,
    }
    page = session.api.list("/api/v1/audit", AuditItem, limit=limit, **filters)
    columns = ("entry", "time", "kind", "who", "operation", "object", "status", "count", "from")
    session.show(page, lambda: print_table(columns, [_row(item) for item in page.items], "no entry"))


@with_writing_session
def acknowledge(
    session: Session,
    numbers: Annotated[
        list[int] | None, typer.Argument(metavar="[ENTRY]...", help="Numbers of broken links. Default: all, up to 10.")
    ] = None,
) -> None:
    """Acknowledge broken links of the audit log, for example after a restored backup, and resolve the alert."""
    found = session.api.get("/api/v1/audit/verification", AuditVerification)
    chosen = numbers or [each.number for each in found.breaks][:10]
    if not chosen:
        raise UsageError("the audit log has no broken link to acknowledge")
    done = session.api.post("/api/v1/audit/acknowledge", AcknowledgeBreaks(numbers=chosen), AuditVerification)
    session.show(done, lambda: _print_result(done))


def _row(item: AuditItem) -> tuple[object, ...]:
    return (
        item.number,
        item.at,
        item.kind,
        item.principal,
        item.operation,
        item.object_id,
        item.status,
        item.count,
        item.address,
    )


def _print_result(found: AuditVerification) -> None:
    for each in found.breaks:
        print_line(f"broken link: {each.reason}")
    for each in found.acknowledged:
        print_line(f"acknowledged: {each.reason}")
    if found.head is None:
        print_line("the audit log has no entry")
    elif found.ok:
        print_line(f"ok: {found.entries} entries from {found.first}, the newest is {found.head}")
