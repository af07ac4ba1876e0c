"""`driftd ingest`: reads records from files and sends them to the API in chunks."""

import base64
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from monitor.api.schema import ChunkResult, FileChunk, FilePosition, FileRecordItem, FileStart
from monitor.cli.connection.client import Api
from monitor.cli.connection.session import Session, with_ingesting_session
from monitor.cli.terminal.output import note, print_line
from monitor.cli.terminal.progress import Advance, progress
from monitor.errors import DiskReserveReached, IntakeFull
from monitor.ingest.files.base import FileFormat, FileOffset, FileRecord, OpenFile
from monitor.ingest.files.detect import identity_of, open_records

MAX_RECORDS = 1_000  # the default size of a commit, so that a chunk is one commit
MAX_BYTES = 4 * 2**20  # far below the largest body, since texts may grow on the way; a larger record goes as base64


def chunks(
    reading: OpenFile, *, digest: str, name: str, after: FileOffset, forced: FileFormat | None = None
) -> Iterator[FileChunk]:
    """Yield consecutive chunks from `after` to the end of the file; the last one has `whole` set."""
    held: list[FileRecord] = []
    size, before = 0, after
    for record in reading.records(after):
        if len(held) == MAX_RECORDS or (held and size + len(record.raw or b"") > MAX_BYTES):
            yield _piece(reading, digest, name, forced, before, held, whole=False)
            before, size = held[-1].end, 0
            held = []
        held.append(record)
        size += len(record.raw or b"")
    yield _piece(reading, digest, name, forced, before, held, whole=True)


def _piece(  # noqa: PLR0917 - the fields of a chunk
    reading: OpenFile,
    digest: str,
    name: str,
    forced: FileFormat | None,
    before: FileOffset,
    held: list[FileRecord],
    *,
    whole: bool,
) -> FileChunk:
    after = held[-1].end if held else before
    return FileChunk(
        digest=digest,
        name=name[-1000:],
        unit=reading.unit.value,
        format=forced and forced.value,
        before=FilePosition(offset=before.offset, number=before.number),
        after=FilePosition(offset=after.offset, number=after.number),
        whole=whole,
        records=[_item(record) for record in held],
    )


def _item(record: FileRecord) -> FileRecordItem:
    number = record.end.number
    if record.raw is None:
        return FileRecordItem(number=number)
    if len(record.raw) <= MAX_BYTES:
        with suppress(UnicodeDecodeError):
            return FileRecordItem(number=number, text=record.raw.decode())
    return FileRecordItem(number=number, base64=base64.b64encode(record.raw).decode())


ROUTE = "/api/v1/files"
_SHOWN = 20  # rejected records that are printed; --json has them all
_FULL_ATTEMPTS = 60
Files = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="JSON Lines, Parquet, or OTLP files of a Collector.")
]
Format = Annotated[FileFormat | None, typer.Option("--format", help="Format of the files. By default it is detected.")]
AgainFromTheBeginning = Annotated[
    bool, typer.Option("--from-start", help="Read a partly ingested file from its beginning.")
]


class RejectedLine(BaseModel):
    """A rejected record. `line` is the number of the line, row or message in its file."""

    file: str
    line: int
    code: str
    reason: str


class IngestReport(BaseModel):
    """The result of all files."""

    accepted: int = 0
    duplicates: int = 0
    rejected: list[RejectedLine] = []


@with_ingesting_session
def ingest(session: Session, files: Files, format_: Format = None, from_start: AgainFromTheBeginning = False) -> None:
    """Ingest interactions and feedback from files. Exit code 1 when a record is rejected; the other records are stored.

    A file whose reading was broken off is read on from there; one that was read whole is read again, and what is there
    already is counted as such.
    """
    for path in files:
        open_records(path, format_).close()  # send nothing if one of them cannot be read
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
        note(f"{path.name}: continues after {reading.unit} {after.number}")
    for file_chunk in chunks(reading, digest=identity_of(path), name=str(path), after=after, forced=forced):
        result = _post(api, file_chunk)
        report.accepted += result.accepted
        report.duplicates += result.duplicates
        report.rejected += [
            RejectedLine(file=str(path), line=r.number, code=r.code, reason=r.reason) for r in result.rejected
        ]
        advance(reading.done, reading.total)


def _post(api: Api, file_chunk: FileChunk) -> ChunkResult:
    """Send one chunk and return the answer; wait while the intake is full, and while the disk of driftd is."""
    noted = False
    for _ in range(_FULL_ATTEMPTS):
        try:
            return api.post(ROUTE, file_chunk, ChunkResult)
        except IntakeFull as full:
            time.sleep(full.retry_after_s)
        except DiskReserveReached as full:
            if not noted:
                note(f"waiting: {full}")
                noted = True
            time.sleep(full.retry_after_s)
    return api.post(ROUTE, file_chunk, ChunkResult)


def _print(report: IngestReport, units: dict[str, str]) -> None:
    print_line(f"{report.accepted} accepted, {report.duplicates} duplicates, {len(report.rejected)} rejected")
    for bad in report.rejected[:_SHOWN]:
        print_line(f"{bad.file} {units[bad.file]} {bad.line}: {bad.reason}")
    if len(report.rejected) > _SHOWN:
        print_line(f"and {len(report.rejected) - _SHOWN} more; --json lists all")
