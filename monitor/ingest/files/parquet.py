"""Parquet files of native records, one for each row, read in small batches.

A column has the name of a field. A field that is an object is a struct, a map or JSON text here; times are timestamps
or texts in RFC 3339. Without a column `type`, the rows are interactions.
"""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from monitor.errors import UsageError
from monitor.ingest.files.base import MAX_RECORD_BYTES, FileOffset, FileRecord, Unit
from monitor.ingest.native.feedback import FIELDS as OF_FEEDBACK
from monitor.ingest.native.schema import FIELDS as OF_INTERACTION

BATCH_ROWS = 256
OBJECTS = ("request", "response", "usage", "prompt", "attributes")
LISTS = ("documents",)
TIMES = ("started_at", "at")
NUMBERS = ("duration_ms", "cost_usd")
SEVERAL = ("error", "value")  # with more than one allowed type
TEXTS = tuple({*OF_INTERACTION, *OF_FEEDBACK}.difference(OBJECTS, LISTS, TIMES, NUMBERS, SEVERAL))

Fits = Callable[[pa.DataType], bool]
TEXT: tuple[Fits, ...] = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
COLUMNS: dict[str, tuple[tuple[Fits, ...], str]] = {
    **dict.fromkeys(OBJECTS, ((pa.types.is_struct, pa.types.is_map), "a struct, a map or JSON text")),
    **dict.fromkeys(LISTS, ((pa.types.is_list, pa.types.is_large_list), "a list of structs or JSON text")),
    **dict.fromkeys(TIMES, ((pa.types.is_timestamp,), "a timestamp or text in RFC 3339")),
    **dict.fromkeys(NUMBERS, ((pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal), "a number")),
    **dict.fromkeys(TEXTS, ((pa.types.is_dictionary, pa.types.is_integer), "a text")),
}


class Parquet:
    """Row groups are read in order, each in batches."""

    unit = Unit.ROW

    def __init__(self, path: Path, *, max_bytes: int = MAX_RECORD_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        try:
            self._file = pq.ParquetFile(path)
        except (OSError, pa.ArrowException) as error:
            raise UsageError(f"{path} cannot be read as Parquet: {str(error)[:200]}") from None
        self.total = self._file.metadata.num_rows
        self.done = 0
        _demand_columns(path, self._file.schema_arrow)

    def records(self, after: FileOffset) -> Iterator[FileRecord]:
        number = 0
        try:
            for group in range(self._file.num_row_groups):
                rows = self._file.metadata.row_group(group).num_rows
                if number + rows <= after.number:
                    number += rows
                    continue
                for batch in self._file.iter_batches(BATCH_ROWS, row_groups=[group]):
                    for row in batch.to_pylist():
                        number += 1
                        if number > after.number:
                            self.done = number
                            raw = _record(row)
                            fits = len(raw) <= self._max_bytes
                            yield FileRecord(raw=raw if fits else None, end=FileOffset(offset=number, number=number))
        except (OSError, pa.ArrowException) as error:
            raise UsageError(
                f"{self._path} cannot be read after row {number}: {str(error)[:200]}; the rows before are stored"
            ) from None

    def close(self) -> None:
        self._file.close()


def _demand_columns(path: Path, schema: pa.Schema) -> None:
    known = {*OF_INTERACTION, *OF_FEEDBACK}
    for column in schema:
        if column.name not in known:
            raise UsageError(
                f"{path} column {column.name!r} is not a field of a record; known: {', '.join(sorted(known))}"
            )
        wanted = _wanted(column.name, column.type)
        if wanted is not None:
            raise UsageError(f"{path} column {column.name!r} has type {column.type}; expected {wanted}")
    if not {"started_at", "at"} & set(schema.names):
        raise UsageError(f"{path} has neither a column 'started_at' (for interactions) nor 'at' (for feedback)")


def _wanted(name: str, kind: pa.DataType) -> str | None:
    """Return the expected type when the column has another one. Text is allowed everywhere, because it may be JSON."""
    if name not in COLUMNS or any(fits(kind) for fits in TEXT):
        return None
    fitting, words = COLUMNS[name]
    return None if any(fits(kind) for fits in fitting) else words


def _record(row: dict[str, Any]) -> bytes:
    """Return the row as a native record in JSON."""
    record = {"type": "interaction"} | {key: _value(key, value) for key, value in row.items() if value is not None}
    return json.dumps(_without_nulls(record), default=_as_json, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _value(name: str, value: Any) -> Any:
    if name in TIMES and isinstance(value, datetime):
        return _instant(value)
    if name in NUMBERS and isinstance(value, str):
        return _parsed(value)
    if name in OBJECTS or name in LISTS:
        if isinstance(value, str):
            return _parsed(value)
        if name in OBJECTS and isinstance(value, list):  # a map is a list of pairs here
            return dict(value)
    if name in TEXTS and isinstance(value, int):
        return str(value)
    return value


def _parsed(text: str) -> Any:
    """Return the parsed JSON; the text itself when it is invalid, so that the decoder of the record names the field."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _without_nulls(value: Any) -> Any:
    """Return a struct without null fields: a struct has every field in every row."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value


def _instant(value: datetime) -> str:
    """Return the time in RFC 3339; a timestamp without a zone is UTC."""
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()


def _as_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return _instant(value)
    if isinstance(value, date):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else str(value)
