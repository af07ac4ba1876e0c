"""What every format gives: records in their order, each with its number and where it ends."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

MAX_RECORD_BYTES = 16 * 1024 * 1024  # where nobody says what a record may have


class FileFormat(StrEnum):
    """What a person may call it; without a name the content tells."""

    NATIVE_JSON = "native_json"  # driftd's own records, one a line
    OTLP_JSON = "otlp_json"  # requests of OTLP, one a line, as the Collector's file exporter writes them
    OTLP_PROTO = "otlp_proto"  # the same in protobuf, each behind its length in four bytes
    PARQUET = "parquet"  # driftd's own records, one a row


class Unit(StrEnum):
    """How a record of a file is called where it is named."""

    LINE = "line"
    ROW = "row"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOffset:
    """How far a file has been read: records, and the offset behind the last one, unpacked; of Parquet the row."""

    offset: int = 0
    number: int = 0


BEGINNING = FileOffset()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """`raw` is None for one that is larger than records may be."""

    raw: bytes | None
    end: FileOffset


class OpenFile(Protocol):
    """One file that is open. `done` and `total` are for progress, in whatever counts."""

    unit: Unit
    total: int

    @property
    def done(self) -> int: ...

    def records(self, after: FileOffset) -> Iterator[FileRecord]:
        """What follows a place. UsageError when the file cannot be read on."""
        ...

    def close(self) -> None: ...
