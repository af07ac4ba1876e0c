"""The limits of one record, for all sources.

A record beyond a limit is rejected with a reason; a longer text is truncated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import replace

from monitor.domain.interaction import ContentState, Interaction
from monitor.errors import MalformedRecord
from monitor.ingest.http.body import MAX_RECORDS, TooLarge

SHARED_CHARS: Final = 1024  # of a text of a resource or an ancestor span, which every record below it repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`ingest.max_body_mb` and `ingest.limits` in the units that the code compares."""

    wire_bytes: int = 16 * 1024 * 1024  # of a body as received
    plain_bytes: int = 16 * 1024 * 1024  # of a body after decompression, a Kafka record, a record of a file
    records: int = MAX_RECORDS  # spans, log records or native records of one request
    depth: int = 32  # nested lists and maps in one value
    attributes: int = 4_000  # of a span or log record with its resource, of an event, of a native record
    value_chars: int = 1024 * 1024  # of one text


def check_record_size(record: bytes, limits: Limits) -> None:
    """Raise MalformedRecord for a Kafka or file record that is larger than a body may be."""
    if len(record) > limits.plain_bytes:
        raise MalformedRecord(f"the record has {len(record)} bytes; ingest.max_body_mb allows {limits.plain_bytes}")


def check_record_count(number: int, limits: Limits, what: str = "the request") -> None:
    """Raise TooLarge for too many records in one request."""
    if number > limits.records:
        raise TooLarge(
            f"{what} has {number} records, more than {limits.records} (ingest.limits.records); send smaller batches"
        )


def check_attribute_count(number: int, limits: Limits) -> None:
    """Raise MalformedRecord for a record with too many attributes."""
    if number > limits.attributes:
        raise MalformedRecord(
            f"{number} attributes are more than {limits.attributes} (ingest.limits.attributes); "
            "record fewer or raise the limit"
        )


def value_fits(value: Any, limits: Limits, depth: int = 0) -> bool:
    """Return whether no text in the value is too long. Raise MalformedRecord when it is nested too deep."""
    kind = type(value)
    if kind is str:
        return len(value) <= limits.value_chars
    if kind is not list and kind is not dict:
        return True
    if depth == limits.depth:
        raise MalformedRecord(
            f"a value is nested deeper than {limits.depth} (ingest.limits.depth); send it as JSON text"
        )
    fits, longest, depth = True, limits.value_chars, depth + 1
    for item in value.values() if kind is dict else value:
        if type(item) is str:
            if len(item) > longest:
                fits = False
        elif not value_fits(item, limits, depth):
            fits = False
    return fits


def truncated(value: Any, chars: int) -> Any:
    """Return the value with every text truncated to `chars` characters."""
    if isinstance(value, str):
        return value[:chars]
    if isinstance(value, list):
        return [truncated(item, chars) for item in value]
    if isinstance(value, Mapping):
        return {key: truncated(item, chars) for key, item in value.items()}
    return value


def shared_value(value: Any) -> Any:
    """Return a value that many records share, truncated to SHARED_CHARS; a list or a map becomes text."""
    if isinstance(value, str):
        return value[:SHARED_CHARS]
    return str(value)[:SHARED_CHARS] if isinstance(value, list | dict) else value


def mark_truncated(item: Interaction) -> Interaction:
    """Return the interaction with the content state `truncated`, if it has texts."""
    if item.content_state not in (ContentState.FULL, ContentState.PARTIAL):
        return item
    return replace(item, content_state=ContentState.TRUNCATED)
