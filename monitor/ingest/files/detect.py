"""Open a file by its path. The content decides the format, unless the caller names it."""

import hashlib
import os
from pathlib import Path

from monitor.errors import UsageError
from monitor.ingest.files.base import MAX_RECORD_BYTES, FileFormat, OpenFile
from monitor.ingest.files.compression import Stream, as_usage_errors
from monitor.ingest.files.framed import Framed, is_framed
from monitor.ingest.files.lines import Lines

PARQUET = b"PAR1"
HEAD_BYTES = 64 * 1024


def open_records(path: Path, forced: FileFormat | None = None, *, max_bytes: int = MAX_RECORD_BYTES) -> OpenFile:
    """Open the file. Raise UsageError when it cannot be read, or is not of the forced format. Records above `max_bytes`
    are skipped.
    """
    with as_usage_errors(path), path.open("rb") as file:
        lead = file.read(8)
    if forced is FileFormat.PARQUET or (forced is None and lead.startswith(PARQUET)):
        from monitor.ingest.files.parquet import Parquet  # only Parquet files need Arrow

        return Parquet(path, max_bytes=max_bytes)
    stream = Stream(path)
    try:
        framed = forced is FileFormat.OTLP_PROTO or (forced is None and is_framed(stream.lead(8)))
    except UsageError:
        stream.close()
        raise
    return Framed(path, stream, max_bytes=max_bytes) if framed else Lines(path, stream, max_bytes=max_bytes)


def identity_of(path: Path) -> str:
    """Return a digest of the beginning, the size and the modification time, which identifies the content."""
    with as_usage_errors(path), path.open("rb") as file:
        stat = os.fstat(file.fileno())
        digest = hashlib.sha256(file.read(HEAD_BYTES))
    digest.update(f"{stat.st_size} {stat.st_mtime_ns}".encode())
    return digest.hexdigest()
