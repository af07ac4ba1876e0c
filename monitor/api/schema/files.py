"""Pieces of files that a command reads and the daemon stores."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from monitor.api.schema.wire import Wire

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=2**62)]


class FilePosition(Wire):
    """How far a file is read: records, and the offset at which the next one begins."""

    offset: Count
    number: Count


class FileStart(FilePosition):
    """Where reading begins or goes on, and how large a record may be."""

    max_record_bytes: Count


class FileRecordItem(Wire):
    """A record as it stands in the file: as `text`, or as `base64` when it is no UTF-8. Neither: too long to send."""

    number: Count
    text: str | None = None
    base64: str | None = None


class FileChunk(Wire):
    """Records of a file that follow a place, in their order. `digest` is the file's, `whole` when nothing follows."""

    digest: Digest
    name: Annotated[str, StringConstraints(max_length=1000)]
    unit: Literal["line", "row", "message"]
    format: Literal["native_json", "otlp_json", "otlp_proto", "parquet"] | None = None
    before: FilePosition
    after: FilePosition
    whole: bool
    records: Annotated[list[FileRecordItem], Field(max_length=10_000)]


class RefusedRecord(Wire):
    """A record that is a dead letter now, or has one in it."""

    number: int
    code: str
    reason: str


class ChunkResult(Wire):
    """What became of a piece. It is sent after the commit."""

    accepted: int
    duplicates: int
    rejected: list[RefusedRecord]
