"""`driftd alerts`: lists and shows alerts."""

from collections.abc import Sequence
from typing import Annotated

import typer

from monitor.api.schema import AlertItem, NotificationItem, StatusItem
from monitor.cli.connection.session import Session, with_session
from monitor.cli.options import Deployment, Limit
from monitor.cli.terminal.output import about, accepted, print_facts, print_line, print_table

app = typer.Typer(help="Alerts: list, show.", no_args_is_help=True, add_completion=False)
_RECENT = 500  # notifications searched for those of one alert


@app.command("list")
@with_session
def list_alerts(session: Session, deployment: Deployment = None, limit: Limit = 50) -> None:
    """List alerts, newest first."""
    page = session.api.list("/api/v1/alerts", AlertItem, limit=limit, deployment=deployment)
    rows = [(a.id, a.deployment, _state(a), a.severity, a.pending_since, a.resolved_at, a.summary) for a in page.items]
    columns = ("alert", "deployment", "state", "severity", "since", "resolved", "summary")
    session.show(page, lambda: _print_alerts(session, columns, rows))


def _print_alerts(session: Session, columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> None:
    print_table(columns, rows, "no alert yet")
    for warning in session.api.get("/api/v1/status", StatusItem).warnings:
        print_line(f"warning: {warning}")


def _state(alert: AlertItem) -> str:
    """Return the state. An alert that resolved by acceptance is marked, because the score did not recover."""
    return "accepted" if alert.acceptance is not None else alert.state


@app.command("show")
@with_session
def show(session: Session, alert_id: Annotated[str, typer.Argument(metavar="ALERT", help="Id of an alert.")]) -> None:
    """Show one alert and its notifications."""
    found = session.api.get(f"/api/v1/alerts/{alert_id}", AlertItem)
    session.show(found, lambda: _print_alert(session, found))


def _print_alert(session: Session, alert: AlertItem) -> None:
    print_facts(
        [
            ("alert", alert.id),
            ("deployment", alert.deployment),
            ("about", about(alert)),
            ("state", f"{alert.state} ({alert.severity})"),
            ("summary", alert.summary),
            ("from", alert.from_version_label or alert.from_version),
            ("to", alert.to_version_label or alert.to_version),
            ("pending since", alert.pending_since),
            ("fired", alert.fired_at),
            ("resolved", alert.resolved_at),
            (
                "accepted",
                None if alert.acceptance is None else f"{accepted(alert.acceptance)}; the rate has not recovered",
            ),
            ("finding", alert.last_finding_id),
        ]
    )
    sent = session.api.list("/api/v1/notifications", NotificationItem, limit=_RECENT).items
    rows = [
        (n.receiver, n.reason, n.status, n.attempt, n.at, n.next_attempt_at, n.error)
        for n in sent
        if n.alert_id == alert.id
    ]
    print_line("")
    columns = ("receiver", "reason", "status", "attempts", "sent", "next attempt", "error")
    print_table(columns, rows, "no notification yet")
