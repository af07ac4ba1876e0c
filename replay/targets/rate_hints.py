"""Reads the remaining allowance from the headers of a response."""

import re
from collections.abc import Mapping
from datetime import datetime

# Remaining and reset, by the names of providers: OpenAI and those that copy it, Anthropic, the IETF draft.
_PAIRS = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")
LONGEST_S = 3600.0


def read_hold(headers: Mapping[str, str], now: datetime) -> float:
    """Return the seconds until the server allows more, 0 if it allows some now; at most an hour.

    >>> from datetime import UTC
    >>> headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}
    >>> read_hold(headers, datetime(2026, 1, 1, tzinfo=UTC))
    90.0
    """
    waits = [_seconds(headers.get(reset, ""), now) for left, reset in _PAIRS if headers.get(left, "").strip() == "0"]
    return min(max(waits, default=0.0), LONGEST_S)


def _seconds(text: str, now: datetime) -> float:
    """Return the seconds of a duration (`6m0s`, `20ms`), plain seconds, or a time (RFC 3339); 0 for any other text."""
    spans = _SPAN.findall(text)
    if spans and "".join(f"{number}{unit}" for number, unit in spans) == text.strip():
        return sum(float(number) * _UNITS[unit] for number, unit in spans)
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
        return max(0.0, (moment - now).total_seconds())
    except (ValueError, TypeError):  # not a time, or one without a zone
        return 0.0
