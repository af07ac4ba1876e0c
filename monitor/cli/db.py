"""`driftd db`: the database file."""

import typer

from monitor.api.schema import StatusItem
from monitor.cli.output import print_facts
from monitor.cli.session import Session, with_session

app = typer.Typer(help="The database: info.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """The database."""  # with a callback, a group of one command stays a group


@app.command("info")
@with_session
def info(session: Session) -> None:
    """Show what the daemon, or the file when none runs, says of itself."""
    status = session.api.get("/api/v1/status", StatusItem)
    daemon = session.api.app is None
    loops = status.loops.items() if daemon else ()  # in this process they were not started
    facts: list[tuple[str, object]] = [
        ("daemon", session.api.where if daemon else "none runs; this is the file itself"),
        ("driftd", status.code_version),
        ("now", status.now),
        ("size", f"{status.store_bytes / 2**20:.1f} MiB"),
        ("intake", f"{status.intake_rows} of {status.intake_capacity} rows"),
        ("dead letters", status.dead_letters),
        *((f"loop {name}", state) for name, state in loops),
    ]
    session.show(status, lambda: print_facts(facts))
