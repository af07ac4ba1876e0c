"""Chunks of files that a command reads and the daemon stores."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from monitor.api.schema.wire import Wire

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=2**62)]


class FilePosition(Wire):
    """A position in a file: the number of records read, and the offset of the next one."""

    offset: Count
    number: Count


class FileStart(FilePosition):
    """The position where reading starts or continues, and the largest accepted record."""

    max_record_bytes: Count


class FileRecordItem(Wire):
    """A record of a file, as `text`, or as `base64` if it is not UTF-8. Both are null for a record that is too long to
    send.
    """

    number: Count
    text: str | None = None
    base64: str | None = None


class FileChunk(Wire):
    """Consecutive records of a file. `digest` identifies the file; `whole` is true for the last chunk."""

    digest: Digest
    name: Annotated[str, StringConstraints(max_length=1000)]
    unit: Literal["line", "row", "message"]
    format: Literal["native_json", "otlp_json", "otlp_proto", "parquet"] | None = None
    before: FilePosition
    after: FilePosition
    whole: bool
    records: Annotated[list[FileRecordItem], Field(max_length=10_000)]


class RefusedRecord(Wire):
    """A record that became a dead letter, completely or in part."""

    number: int
    code: str
    reason: str


class ChunkResult(Wire):
    """The result of a chunk. It is sent after the commit."""

    accepted: int
    duplicates: int
    rejected: list[RefusedRecord]
