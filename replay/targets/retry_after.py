"""The pause that a server requests."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def read_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds in `retry-after-ms` (milliseconds) or `Retry-After` (seconds or an HTTP date); None without
    either.

    The names in `headers` are in lower case. A date counts from the `Date` of the response, so a difference between the
    clocks does not matter; without it from `now`. A time in the past is 0.

    >>> read_retry_after({"retry-after": "2.5"}, datetime.now(UTC))
    2.5
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None:
        return seconds
    then = _http_date(value)
    if then is None:
        return None
    return max(0.0, (then - (_http_date(headers.get("date")) or now)).total_seconds())


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value else math.nan
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _http_date(value: str | None) -> datetime | None:
    try:
        then = parsedate_to_datetime(value) if value else None
    except (ValueError, OverflowError):
        return None
    return then if then is None or then.tzinfo else then.replace(tzinfo=UTC)
