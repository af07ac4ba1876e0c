"""The interface of all file formats: records in order, each with its number and its end."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

MAX_RECORD_BYTES = 16 * 1024 * 1024  # the default limit of a record


class FileFormat(StrEnum):
    """The names of `--format`. By default the content decides."""

    NATIVE_JSON = "native_json"  # driftd's own records, one for each line
    OTLP_JSON = "otlp_json"  # OTLP requests, one for each line, from the Collector's file exporter
    OTLP_PROTO = "otlp_proto"  # the same in protobuf, each after its length in four bytes
    PARQUET = "parquet"  # driftd's own records, one for each row


class Unit(StrEnum):
    """What a record of a file is called in messages."""

    LINE = "line"
    ROW = "row"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOffset:
    """The read position of a file: the number of records, and the offset after the last one in the decompressed bytes;
    for Parquet the row.
    """

    offset: int = 0
    number: int = 0


BEGINNING = FileOffset()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """`raw` is None for a record above the size limit."""

    raw: bytes | None
    end: FileOffset


class OpenFile(Protocol):
    """An open file. `done` and `total` are for progress, in any unit."""

    unit: Unit
    total: int

    @property
    def done(self) -> int: ...

    def records(self, after: FileOffset) -> Iterator[FileRecord]:
        """Yield the records after an offset. Raise UsageError when the file cannot be read further."""
        ...

    def close(self) -> None: ...
