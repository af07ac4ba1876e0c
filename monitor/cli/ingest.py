"""`driftd ingest`: records from files, sent to the API piece by piece."""

import time
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from monitor.api.schema import FilePiece, FileStart, PieceResult
from monitor.cli.connection.client import Api
from monitor.cli.connection.session import Session, with_ingesting_session
from monitor.cli.pieces import pieces
from monitor.cli.terminal.output import note, say
from monitor.cli.terminal.progress import Advance, progress
from monitor.errors import IntakeFull
from monitor.ingest.files.base import FileFormat, FileOffset, OpenFile
from monitor.ingest.files.detect import identity_of, open_records

ROUTE = "/api/v1/files"
_SHOWN = 20  # rejected records that are printed; --json has them all
_FULL_ATTEMPTS = 60
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON lines, Parquet, or what a Collector wrote.")]
Format = Annotated[
    FileFormat | None, typer.Option("--format", help="What the files are written in, when it is not to be guessed.")
]
AgainFromTheBeginning = Annotated[
    bool, typer.Option("--from-start", help="Read from the beginning a file whose reading was broken off.")
]


class RejectedLine(BaseModel):
    """`line` is the number of a line, or of a row or message where the file has those."""

    file: str
    line: int
    code: str
    reason: str


class IngestReport(BaseModel):
    """What became of the records of all files."""

    accepted: int = 0
    duplicates: int = 0
    rejected: list[RejectedLine] = []


@with_ingesting_session
def ingest(session: Session, files: Files, format_: Format = None, from_start: AgainFromTheBeginning = False) -> None:
    """Read interactions and feedback from files. Exit 1 when a record was rejected; the others land.

    A file whose reading was broken off is read on from there; one that was read whole is read again, and what is there
    already is counted as such.
    """
    for path in files:
        open_records(path, format_).close()  # nothing is sent when one of them cannot be read
    report = IngestReport()
    units: dict[str, str] = {}
    for path in files:
        start = session.api.get(ROUTE, FileStart, digest=identity_of(path))
        reading = open_records(path, format_, max_bytes=start.max_record_bytes)
        units[str(path)] = reading.unit.value
        after = FileOffset() if from_start else FileOffset(offset=start.offset, number=start.number)
        try:
            with progress(path.name) as advance:
                _send_file(session.api, path, reading, report, advance, format_, after)
        finally:
            reading.close()
    session.api.settle()
    session.show(report, lambda: _print(report, units))
    if report.rejected:
        raise typer.Exit(1)


def _send_file(  # noqa: PLR0917 - one file and how it is read
    api: Api,
    path: Path,
    reading: OpenFile,
    report: IngestReport,
    advance: Advance,
    forced: FileFormat | None,
    after: FileOffset,
) -> None:
    if after.number:
        note(f"{path.name}: goes on behind {reading.unit} {after.number}")
    for piece in pieces(reading, digest=identity_of(path), name=str(path), after=after, forced=forced):
        result = _post(api, piece)
        report.accepted += result.accepted
        report.duplicates += result.duplicates
        report.rejected += [
            RejectedLine(file=str(path), line=r.number, code=r.code, reason=r.reason) for r in result.rejected
        ]
        advance(reading.done, reading.total)


def _post(api: Api, piece: FilePiece) -> PieceResult:
    """The answer to one piece; a full intake is waited for."""
    for _ in range(_FULL_ATTEMPTS):
        try:
            return api.post(ROUTE, piece, PieceResult)
        except IntakeFull as full:
            time.sleep(full.retry_after_s)
    return api.post(ROUTE, piece, PieceResult)


def _print(report: IngestReport, units: dict[str, str]) -> None:
    say(f"{report.accepted} accepted, {report.duplicates} already there, {len(report.rejected)} rejected")
    for bad in report.rejected[:_SHOWN]:
        say(f"{bad.file} {units[bad.file]} {bad.line}: {bad.reason}")
    if len(report.rejected) > _SHOWN:
        say(f"and {len(report.rejected) - _SHOWN} more; --json lists them all")
