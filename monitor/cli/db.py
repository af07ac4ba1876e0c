"""`driftd db`: the database file."""

import sys
import time
from typing import Annotated

import typer

from monitor.api.schema import (
    AcknowledgedLosses,
    AcknowledgeLosses,
    ArrivalsItem,
    CompactionItem,
    DiskItem,
    LossItem,
    OrderCompaction,
    StatusItem,
)
from monitor.cli import db_audit, db_backup, db_export, db_verify, dead_letters
from monitor.cli.connection.client import Api
from monitor.cli.connection.session import Session, with_session, with_writing_session
from monitor.cli.options import Limit
from monitor.cli.terminal.output import print_facts, print_line, print_table, text
from monitor.errors import Retryable, UsageError

POLL_S = 0.2


def compacted(api: Api, item: CompactionItem) -> CompactionItem:
    """Return the compaction when the new file is in place. In a lake it waits for the maintenance: return the order."""
    api.tidy()
    while item.compacted_at is None:
        status = api.get("/api/v1/status", StatusItem)
        if status.store_kind == "lake":
            return item
        _demand_progress(status)
        time.sleep(POLL_S)
        item = api.get(f"/api/v1/compactions/{item.id}", CompactionItem)
    return item


def _demand_progress(status: StatusItem) -> None:
    """Raise if the daemon cannot compact the file now. The daemon retries; the command does not wait."""
    state = status.loops.get("retention", "")
    if state.startswith(("retrying", "crashed")):
        raise Retryable(f"the rows are removed, but their bytes are still in the file; {state}")


app = typer.Typer(
    help="The database: info, backup, restore, export, import, verify, dead letters, losses, audit, erase.",
    no_args_is_help=True,
    add_completion=False,
)
dead_letters.register(app)


app.command("backup")(db_backup.backup)
app.command("restore")(db_backup.restore)
app.command("export")(db_export.export)
app.command("import")(db_export.import_)
app.command("verify")(db_verify.verify)
app.command("audit")(db_audit.verify)
app.command("audit-list")(db_audit.entries)
app.command("audit-acknowledge")(db_audit.acknowledge)


@app.command("info")
@with_session
def info(session: Session) -> None:
    """Show the status of the daemon, or of the database file when no daemon runs."""
    status = session.api.get("/api/v1/status", StatusItem)
    daemon = session.api.app is None
    loops = status.loops.items() if daemon else ()  # in this process they do not run
    facts: list[tuple[str, object]] = [
        ("daemon", session.api.where if daemon else "not running; status of the file"),
        *_served(status, daemon=daemon),
        ("driftd", status.code_version),
        ("now", status.now),
        ("size", f"{status.store_bytes / 2**20:.1f} MiB"),
        *_disk(status.disk),
        ("intake", f"{status.intake_rows} of {status.intake_capacity} rows"),
        ("dead letters", status.dead_letters),
        *((f"calls of {one.deployment}", _arrived(one)) for one in status.arrivals),
        *(
            (f"unmonitored service: {name}", f"calls of the last day: {calls}")
            for name, calls in status.unmonitored.items()
        ),
        *((f"unread {name}", f"{number} since {text(status.unread_since)}") for name, number in status.unread.items()),
        *((f"loop {name}", state) for name, state in loops),
    ]
    session.show(status, lambda: print_facts(facts))


def _disk(disk: DiskItem | None) -> list[tuple[str, object]]:
    if disk is None:
        return []
    paused = "; no new records are stored" if disk.paused else ""
    return [("disk", f"{disk.free_bytes / 2**20:,.0f} MiB free, reserve {disk.reserve_bytes / 2**20:,.0f} MiB{paused}")]


def _arrived(one: ArrivalsItem) -> str:
    if one.last_at is None:
        return "none"
    ahead = f"; {one.clock_ahead} with a clock more than one day ahead" if one.clock_ahead else ""
    return (
        f"{one.last_minute} in the last minute, {one.last_hour} in the last hour, {one.last_day} in the last day; "
        f"last at {text(one.last_at)}{ahead}"
    )


@app.command("erase")
@with_writing_session
def erase(
    session: Session,
    user: Annotated[str, typer.Option("--user", metavar="ID", help="Id of the user, as in telemetry.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Erase all data of a user and everything derived from it, from all results and from the database file."""
    if not user.strip():
        raise UsageError("--user is empty; give the user id of the telemetry")
    _confirm(user, yes=yes)
    done = _order(session.api, OrderCompaction(erase_user=user))
    session.show(done, lambda: _print_removed(done, "no data of this user was stored"))


@app.command("compact")
@with_writing_session
def compact(session: Session) -> None:
    """Compact the database file and securely drop deleted rows."""
    done = _order(session.api, OrderCompaction())
    session.show(done, lambda: print_line(_compacted(done)))


@app.command("losses")
@with_session
def list_losses(session: Session, limit: Limit = 50) -> None:
    """List acknowledged rows that were missing at a start, and who acknowledged the loss."""
    page = session.api.list("/api/v1/losses", LossItem, limit=limit)
    rows = [(r.id, r.found_at, r.commits, r.changed_rows, r.until, r.acknowledged_by, r.sentence) for r in page.items]
    columns = ("loss", "found", "commits", "rows", "until", "acknowledged by", "what")
    session.show(page, lambda: print_table(columns, rows, "no loss was found"))


@app.command("acknowledge")
@with_writing_session
def acknowledge(
    session: Session,
    note: Annotated[
        str | None, typer.Option("--note", help="Why the rows are missing. Stored with the acknowledgement.")
    ] = None,
) -> None:
    """Acknowledge missing rows, for example after a restored backup, and resolve the alert."""
    done = session.api.post("/api/v1/losses/acknowledge", AcknowledgeLosses(note=note), AcknowledgedLosses)
    session.show(done, lambda: print_line(f"losses acknowledged: {done.acknowledged}"))


@app.command("compactions")
@with_session
def compactions(session: Session, limit: Limit = 50) -> None:
    """List compactions of the database file with their cause: erasure, retention or `driftd db compact`."""
    page = session.api.list("/api/v1/compactions", CompactionItem, limit=limit)
    rows = [(r.id, r.kind, r.at, r.who, sum(r.removed.values()), r.compacted_at) for r in page.items]
    columns = ("compaction", "kind", "ordered", "who", "rows", "compacted")
    session.show(page, lambda: print_table(columns, rows, "no compaction yet"))


def _served(status: StatusItem, *, daemon: bool) -> list[tuple[str, object]]:
    if status.daemon is None:
        return []
    config = [("configuration", status.daemon.config_path)] if daemon else []
    return [("database", status.daemon.database), *config]


def _confirm(user: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("an erasure cannot be undone; add --yes to confirm without a terminal")
    typer.confirm(f"Erase all data of user {user!r}? This cannot be undone.", abort=True, err=True)


def _order(api: Api, order: OrderCompaction) -> CompactionItem:
    """Order a compaction and return it when the new file is in place."""
    return compacted(api, api.post("/api/v1/compactions", order, CompactionItem))


def _print_removed(done: CompactionItem, nothing: str) -> None:
    print_table(("table", "rows removed"), sorted(done.removed.items()), nothing)
    print_line(f"{_compacted(done)} ({done.id})")


def _compacted(done: CompactionItem) -> str:
    if done.compacted_at is None:
        return "the bytes of removed rows are in the files of the lake until its maintenance has rewritten them"
    return f"the file was compacted at {done.compacted_at:%Y-%m-%d %H:%M:%SZ}"
