"""`driftd db dead-letters | retry | discard`: records that cannot be read."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from monitor.api.schema import (
    DeadLetterDetail,
    DeadLetterItem,
    ListPage,
    RemovedDeadLetter,
    RemoveDeadLetter,
    RetryDeadLetter,
)
from monitor.cli.connection.session import Session, with_session, with_storing_session, with_writing_session
from monitor.cli.options import Limit
from monitor.cli.terminal.output import note, print_facts, print_line, print_table
from monitor.errors import UsageError

PATH = "/api/v1/dead_letters"
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of dead letters, from `driftd db dead-letters`.")]


def register(app: typer.Typer) -> None:
    """Add the commands to `driftd db`."""
    app.command("dead-letters")(show_dead_letters)
    app.command("retry")(retry)
    app.command("discard")(discard)


@with_session
def show_dead_letters(
    session: Session,
    id_: Annotated[str | None, typer.Argument(metavar="[ID]", help="Show this one with its content.")] = None,
    limit: Limit = 50,
) -> None:
    """List dead letters: records of any source that cannot be read, with the reason. With an ID, show one."""
    if id_ is not None:
        letter = session.api.get(f"{PATH}/{id_}", DeadLetterDetail)
        session.show(letter, lambda: _print_letter(letter))
        return
    page = session.api.list(PATH, DeadLetterItem, limit=limit)
    rows = [(r.id, r.received_at, r.source, r.code, f"{r.raw_bytes} B", r.reason) for r in page.items]
    columns = ("dead letter", "received", "source", "code", "size", "why")
    session.show(page, lambda: print_table(columns, rows, "no dead letters"))


@with_storing_session
def retry(
    session: Session,
    ids: Ids,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A corrected record as JSON, in place of the stored one. For one ID."),
    ] = None,
) -> None:
    """Decode dead letters again, for example after an upgrade, and remove each one when its record is stored."""
    if record is not None and len(ids) > 1:
        raise UsageError("--record is the correction of one dead letter; give one ID")
    order = RetryDeadLetter(record=None if record is None else _read(record))
    done = [session.api.post(f"{PATH}/{each}/retry", order, RemovedDeadLetter) for each in ids]
    session.show(ListPage(items=done, next_cursor=None), lambda: _print_retried(done))


@with_writing_session
def discard(session: Session, ids: Ids) -> None:
    """Remove dead letters without a retry."""
    done = [session.api.post(f"{PATH}/{each}/remove", RemoveDeadLetter(), RemovedDeadLetter) for each in ids]
    session.show(
        ListPage(items=done, next_cursor=None), lambda: print_line(f"removed {', '.join(one.id for one in done)}")
    )


def _print_letter(letter: DeadLetterDetail) -> None:
    print_facts(
        [
            ("dead letter", letter.id),
            ("received", letter.received_at),
            ("source", letter.source),
            ("code", letter.code),
            ("reason", letter.reason),
            ("size", f"{letter.raw_bytes} B"),
            ("retry", letter.not_retryable or f"driftd db retry {letter.id}"),
        ]
    )
    print_line(letter.content)
    if letter.truncated:
        note("the content is the beginning of the record; the rest is not stored")


def _print_retried(done: list[RemovedDeadLetter]) -> None:
    for one in done:
        state = "was stored before" if one.duplicate else "is stored"
        print_line(f"{one.id}: {one.type} {one.record_id} {state}; the dead letter is removed")


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"--record {path}: {error}; give a file with one JSON object") from None
    if not isinstance(found, dict):
        raise UsageError(f"--record {path}: this is not a JSON object; give one record")
    return found
