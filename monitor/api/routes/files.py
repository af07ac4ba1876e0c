"""Ingestion of files: chunks of records are stored together with the read position."""

import base64
import binascii
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.batch import committed
from monitor.api.body import WritePiece, WriteRequest, model_body
from monitor.api.context import ApiContext, Context
from monitor.api.problems import InvalidRequest
from monitor.api.schema import ChunkResult, FileChunk, FileRecordItem, FileStart, RefusedRecord
from monitor.errors import DriftdError
from monitor.ingest.files.base import FileFormat
from monitor.ingest.files.reader import SOURCE, PieceReader
from monitor.ingest.intake import Batch
from monitor.store.traffic import file_positions
from monitor.store.traffic.file_positions import FileMove

router = APIRouter(prefix="/api/v1/files", tags=["files"])
DIGEST = r"^[0-9a-f]{64}$"


@router.get("", **needs(Role.INGEST))
def file_position(context: Context, digest: Annotated[str, Query(pattern=DIGEST)]) -> FileStart:
    """Return the position after the last stored chunk of a file, or its beginning."""
    with context.store.read() as tx:
        found = file_positions.position_of(tx, digest)
    offset, number = (found.read_to, found.records) if found else (0, 0)
    return FileStart(offset=offset, number=number, max_record_bytes=context.limits.plain_bytes)


@router.post("", **needs(Role.INGEST, **model_body(FileChunk)))
async def add_chunk(context: Context, write: WritePiece) -> ChunkResult:
    """Store the records of a chunk; the response follows the commit."""
    try:
        with context.telemetry.span("ingest.receive", {"driftd.transport": SOURCE, "driftd.signal": "file"}) as span:
            async with context.room.decoders:
                batch, refused = await run_in_threadpool(_decode, context, write)
            span.set_attributes({"driftd.rows": batch.rows, "driftd.dead_letters": len(batch.dead_letters)})
            counts = await committed(context, batch)
    except DriftdError as error:
        context.telemetry.count("driftd.ingest.refused", 1, {"transport": SOURCE, "code": error.code})
        raise
    return ChunkResult(accepted=counts.accepted, duplicates=counts.duplicates, rejected=refused)


def _decode(context: ApiContext, write: WriteRequest) -> tuple[Batch, list[RefusedRecord]]:
    with context.telemetry.span("ingest.decode"):
        chunk = write.parse(FileChunk)
        now = context.clock.now()
        reader = PieceReader(
            normalizer=context.normalizer,
            limits=context.limits,
            now=now,
            what=f"{chunk.name} {chunk.unit}",
            format=_content(chunk.format),
        )
        for record in chunk.records:
            reader.add(record.number, _raw(record))
        move = FileMove(
            digest=chunk.digest,
            before=chunk.before.number,
            after=chunk.after.number,
            offset=chunk.after.offset,
            whole=chunk.whole,
            at=now,
        )
        refused = [RefusedRecord(number=r.number, code=r.code, reason=r.reason) for r in reader.refused]
        return reader.batch([move]), refused


def _content(format_: str | None) -> FileFormat | None:
    """Return the format of the records in a file of this format."""
    if format_ is None:
        return None
    return FileFormat.NATIVE_JSON if format_ == FileFormat.PARQUET else FileFormat(format_)


def _raw(record: FileRecordItem) -> bytes | None:
    if record.text is not None:
        return record.text.encode("utf-8", "surrogatepass")
    if record.base64 is None:
        return None
    try:
        return base64.b64decode(record.base64, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidRequest(f"body.records: record {record.number} is not valid base64") from None
