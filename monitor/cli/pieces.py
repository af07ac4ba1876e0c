"""Records of a file, put together to the pieces that the API takes."""

import base64
from collections.abc import Iterator
from contextlib import suppress

from monitor.api.schema import FilePiece, FilePlace, FileRecordItem
from monitor.ingest.files.base import FileFormat, FileOffset, FileRecord, OpenFile

MAX_RECORDS = 1_000  # as many as are committed at once by default, so that none waits for others
MAX_BYTES = 4 * 2**20  # far below the largest body, since texts may grow on the way; a larger record goes as base64


def pieces(
    reading: OpenFile, *, digest: str, name: str, after: FileOffset, forced: FileFormat | None = None
) -> Iterator[FilePiece]:
    """Pieces that follow each other without a gap, from `after` to the end; the last one says that it is the last."""
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


def _piece(  # noqa: PLR0917 - what a piece says of itself
    reading: OpenFile,
    digest: str,
    name: str,
    forced: FileFormat | None,
    before: FileOffset,
    held: list[FileRecord],
    *,
    whole: bool,
) -> FilePiece:
    after = held[-1].end if held else before
    return FilePiece(
        digest=digest,
        name=name[-1000:],
        unit=reading.unit.value,
        format=forced and forced.value,
        before=FilePlace(offset=before.offset, number=before.number),
        after=FilePlace(offset=after.offset, number=after.number),
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
