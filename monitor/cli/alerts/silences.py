"""`driftd alerts silence`, `silences` and `expire`."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from monitor.api.schema import CreateSilence, ExpireSilence, SilenceItem, SilencePreview
from monitor.cli.connection.session import Session, with_session, with_writing_session
from monitor.cli.options import Limit
from monitor.cli.terminal.output import print_line, print_table
from monitor.errors import UsageError

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LENGTH = re.compile(r"(\d{1,5})([mhdw])")


Matchers = Annotated[
    list[str],
    typer.Argument(metavar="MATCHER...", help="Conditions on labels, for example deployment=bot severity!=critical."),
]
Comment = Annotated[str, typer.Option("--comment", "-m", help="The reason. Each person who sees the silence reads it.")]
Lasting = Annotated[str | None, typer.Option("--for", metavar="LENGTH", help="Length: 30m, 2h, 3d or 1w.")]
Until = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%dT%H:%M:%S%z"], help="End, for example 2026-11-22T06:00:00+01:00."),
]
Starting = Annotated[
    datetime | None, typer.Option("--from", formats=["%Y-%m-%dT%H:%M:%S%z"], help="Start. The default is now.")
]
Preview = Annotated[bool, typer.Option("--preview", help="Show the open alerts that it hides, and create nothing.")]


@with_writing_session
def silence(
    *,
    session: Session,
    matchers: Matchers,
    comment: Comment,
    lasting: Lasting = None,
    until: Until = None,
    starting: Starting = None,
    preview: Preview = False,
) -> None:
    """Send no notifications for alerts that match every MATCHER, until the end. It needs --for or --until.

    Labels: alertname, deployment, set, series, source, category, severity. Operators: =, !=, =~, !~.
    """
    order = CreateSilence(
        matchers=matchers, comment=comment, starts_at=starting, ends_at=_end(starting, lasting, until)
    )
    hidden = session.api.post("/api/v1/silences/preview", order, SilencePreview)
    if preview:
        session.show(hidden, lambda: _print_hidden(hidden))
        return
    made = session.api.post("/api/v1/silences", order, SilenceItem)
    session.show(made, lambda: _print_made(made, hidden))


@with_session
def list_silences(session: Session, limit: Limit = 50) -> None:
    """List silences, newest first, expired ones included."""
    page = session.api.list("/api/v1/silences", SilenceItem, limit=limit)
    rows = [(s.id, s.state, ", ".join(s.matchers), s.starts_at, s.ends_at, s.created_by, s.comment) for s in page.items]
    columns = ("silence", "state", "matchers", "starts", "ends", "author", "comment")
    session.show(page, lambda: print_table(columns, rows, "no silence yet"))


@with_writing_session
def expire(
    session: Session, silence_id: Annotated[str, typer.Argument(metavar="SILENCE", help="Id of a silence.")]
) -> None:
    """End a silence now. It stays in the list."""
    ended = session.api.post(f"/api/v1/silences/{silence_id}/expire", ExpireSilence(), SilenceItem)
    session.show(ended, lambda: print_line(f"{ended.id}: {ended.state}, by {ended.expired_by}"))


def _end(starting: datetime | None, lasting: str | None, until: datetime | None) -> datetime:
    if (lasting is None) == (until is None):
        raise UsageError("give --for or --until: a silence must have an end")
    if until is not None:
        return until
    found = _LENGTH.fullmatch(lasting or "")
    if found is None:
        raise UsageError(f"--for {lasting!r} is not a length; write for example 30m, 2h, 3d or 1w")
    return (starting or datetime.now(UTC)) + timedelta(**{_UNITS[found[2]]: int(found[1])})


def _print_made(made: SilenceItem, hidden: SilencePreview) -> None:
    print_line(f"{made.id}: {made.state} until {made.ends_at:%Y-%m-%d %H:%M} UTC, {', '.join(made.matchers)}")
    _print_hidden(hidden)


def _print_hidden(hidden: SilencePreview) -> None:
    rows = [(alert.id, alert.deployment, alert.rule, alert.severity, alert.summary) for alert in hidden.alerts]
    print_table(("alert", "deployment", "rule", "severity", "summary"), rows, "no open alert matches")
