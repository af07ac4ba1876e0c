"""What one record may hold, whichever way it comes: beyond, it is rejected with a sentence; a text beyond is cut."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from monitor.domain.interaction import ContentState, Interaction
from monitor.errors import MalformedRecord
from monitor.ingest.http.body import MAX_RECORDS, TooLarge

SHARED_CHARS: Final = 1024  # of a text of a resource or of a span above, which each record below it carries


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`ingest.max_body_mb` and `ingest.limits` in the units that are compared."""

    wire_bytes: int = 16 * 1024 * 1024  # of a body as it came
    plain_bytes: int = 16 * 1024 * 1024  # of a body after decompression, a Kafka record, a record of a file
    records: int = MAX_RECORDS  # spans, log records or native records that come together
    depth: int = 32  # lists and maps inside each other in one value
    attributes: int = 4_000  # of a span or a log record with those of its resource, of an event, of a native record
    value_chars: int = 1024 * 1024  # of one text


def check_record_size(record: bytes, limits: Limits) -> None:
    """MalformedRecord for a record of Kafka or of a file that is larger than a body may be."""
    if len(record) > limits.plain_bytes:
        raise MalformedRecord(f"it has {len(record)} bytes; ingest.max_body_mb allows {limits.plain_bytes}")


def check_record_count(number: int, limits: Limits, what: str = "the request") -> None:
    """TooLarge when more come together than may."""
    if number > limits.records:
        raise TooLarge(
            f"{what} holds {number} records, more than {limits.records} (ingest.limits.records); send smaller batches"
        )


def check_attribute_count(number: int, limits: Limits) -> None:
    """MalformedRecord when one record has more than it may."""
    if number > limits.attributes:
        raise MalformedRecord(
            f"{number} attributes are more than {limits.attributes} (ingest.limits.attributes); "
            "record fewer or raise the limit"
        )


def value_fits(value: Any, limits: Limits, depth: int = 0) -> bool:
    """Whether no text in a value is too long; MalformedRecord when it is nested too deep."""
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
    """The same value without the ends of its texts that are longer."""
    if isinstance(value, str):
        return value[:chars]
    if isinstance(value, list):
        return [truncated(item, chars) for item in value]
    if isinstance(value, Mapping):
        return {key: truncated(item, chars) for key, item in value.items()}
    return value


def shared_value(value: Any) -> Any:
    """A value that many records carry: a text without its end beyond SHARED_CHARS, a list or a map as such a text."""
    if isinstance(value, str):
        return value[:SHARED_CHARS]
    return str(value)[:SHARED_CHARS] if isinstance(value, list | dict) else value


def mark_truncated(item: Interaction) -> Interaction:
    """A text that was too long is there up to the limit, and the row says that it ends early."""
    if item.content_state not in (ContentState.FULL, ContentState.PARTIAL):
        return item
    return replace(item, content_state=ContentState.TRUNCATED)
