"""Reads the fields that the answers of all endpoints share. The JSON may be anything."""

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from replay.targets.failure import ErrorClass, failed

Json = dict[str, Any]
RECORDED = "x-recorded-"


def document_of(body: bytes | str) -> Json:
    """Return the JSON object. Raise CallError if the answer is not one."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise failed(ErrorClass.MALFORMED_REPLY, f"the answer is not JSON ({len(body)} bytes)") from error
    if not isinstance(document, dict):
        raise failed(ErrorClass.MALFORMED_REPLY, f"the answer is a JSON {type(document).__name__}, not an object")
    return document


def listed_models(body: bytes) -> frozenset[str] | None:
    """Return the ids in an answer to GET /models; None if it is not such a list."""
    try:
        listed = json.loads(body)["data"]
        return frozenset(str(model["id"]) for model in listed)
    except (ValueError, RecursionError, KeyError, TypeError):
        return None


def marks(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the values that a recorded endpoint reports about its answer."""
    return {name.removeprefix("x-"): value for name, value in headers.items() if name.startswith(RECORDED)}


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def number(value: Any) -> float | None:
    """Return a number that is not negative; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= sys.float_info.max:
        return None
    return float(value)


def instant(value: Any) -> datetime | None:
    """Return the time from seconds since 1970, or RFC 3339."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def date_of(headers: Mapping[str, str]) -> datetime | None:
    """Return the time of the answer from the headers."""
    try:
        at = parsedate_to_datetime(headers["date"]) if "date" in headers else None
    except (ValueError, OverflowError):
        return None
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)


def object_or_empty(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[Json]:
    """Return the objects of a list; other items are left out."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
