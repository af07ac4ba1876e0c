"""Read the time of a feedback in the formats of the senders."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from monitor.errors import MalformedRecord
from monitor.ingest.native.fields import Fields

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST_NS: Final = int((datetime(9000, 1, 1, tzinfo=UTC) - EPOCH).total_seconds()) * 10**9


def at_ns(time_ns: int, now: datetime) -> datetime:
    """Return the time from nanoseconds since 1970; `now` without them."""
    if time_ns <= 0:
        return now
    if time_ns >= LATEST_NS:
        raise MalformedRecord("the time is not before the year 9000")
    return EPOCH + timedelta(microseconds=time_ns // 1000)


def at_text(found: Any, field: str, now: datetime) -> datetime:
    """Return the time from RFC 3339 with an offset; `now` when it is absent."""
    return now if found is None else Fields({field: found}, known=[field]).time(field)
