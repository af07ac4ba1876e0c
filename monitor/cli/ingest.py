"""`driftd ingest`: native records from JSONL files, sent to the API like any other sender's."""

import time
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from monitor.api.schema import BatchResult
from monitor.cli.batches import BadLine, Batch, batches
from monitor.cli.gateway import Api
from monitor.cli.output import say
from monitor.cli.progress import Advance, progress
from monitor.cli.session import Session, with_storing_session
from monitor.errors import IntakeFull, UsageError

_SHOWN = 20  # rejected records that are printed; --json has them all
_FULL_ATTEMPTS = 60


class RejectedLine(BaseModel):
    file: str
    line: int
    code: str
    reason: str


class IngestReport(BaseModel):
    """What became of the records of all files."""

    accepted: int = 0
    duplicates: int = 0
    rejected: list[RejectedLine] = []


@with_storing_session
def ingest(
    session: Session, files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSONL files.")]
) -> None:
    """Read interactions and feedback, one JSON object a line. Exit 1 when a record was rejected; the others land."""
    for path in files:
        _demand_file(path)
    report = IngestReport()
    for path in files:
        with progress(path.name) as advance:
            _send_file(session.api, path, report, advance)
    session.api.settle()
    session.show(report, lambda: _print(report))
    if report.rejected:
        raise typer.Exit(1)


def _demand_file(path: Path) -> None:
    """Nothing is sent when one of the files cannot be read."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


def _send_file(api: Api, path: Path, report: IngestReport, advance: Advance) -> None:
    total = path.stat().st_size
    with path.open("rb") as lines:
        for found in batches(lines):
            if isinstance(found, BadLine):
                report.rejected.append(
                    RejectedLine(file=str(path), line=found.line, code="malformed", reason=found.reason)
                )
            else:
                _add(report, str(path), found, _post(api, found))
                advance(found.end, total)


def _post(api: Api, batch: Batch) -> BatchResult:
    """The answer to one batch; a full intake is waited for."""
    for _ in range(_FULL_ATTEMPTS):
        try:
            return api.post(batch.route, batch.records, BatchResult)
        except IntakeFull as full:
            time.sleep(full.retry_after_s)
    return api.post(batch.route, batch.records, BatchResult)


def _add(report: IngestReport, file: str, batch: Batch, result: BatchResult) -> None:
    report.accepted += result.accepted
    report.duplicates += result.duplicates
    report.rejected += [
        RejectedLine(file=file, line=batch.lines[r.index], code=r.code, reason=r.reason) for r in result.rejected
    ]


def _print(report: IngestReport) -> None:
    say(f"{report.accepted} accepted, {report.duplicates} already there, {len(report.rejected)} rejected")
    for bad in report.rejected[:_SHOWN]:
        say(f"{bad.file} line {bad.line}: {bad.reason}")
    if len(report.rejected) > _SHOWN:
        say(f"and {len(report.rejected) - _SHOWN} more; --json lists them all")
