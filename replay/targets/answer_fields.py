"""What the answers of all endpoints have in common: JSON that may be anything, read field by field."""

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
    """The JSON object. Raises CallError when it is none."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise failed(ErrorClass.MALFORMED_REPLY, f"the answer is not JSON ({len(body)} bytes)") from error
    if not isinstance(document, dict):
        raise failed(ErrorClass.MALFORMED_REPLY, f"the answer is a JSON {type(document).__name__}, not an object")
    return document


def listed_models(body: bytes) -> frozenset[str] | None:
    """The ids in an answer to GET /models; None when it is no such list."""
    try:
        listed = json.loads(body)["data"]
        return frozenset(str(model["id"]) for model in listed)
    except (ValueError, RecursionError, KeyError, TypeError):
        return None


def marks(headers: Mapping[str, str]) -> dict[str, str]:
    """What a recorded endpoint says of how it answered."""
    return {name.removeprefix("x-"): value for name, value in headers.items() if name.startswith(RECORDED)}


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def number(value: Any) -> float | None:
    """Return a number that is not negative; None for a value that is none, or that no float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= sys.float_info.max:
        return None
    return float(value)


def instant(value: Any) -> datetime | None:
    """Seconds since 1970, or RFC 3339."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def date_of(headers: Mapping[str, str]) -> datetime | None:
    """When the server says it answered."""
    try:
        at = parsedate_to_datetime(headers["date"]) if "date" in headers else None
    except (ValueError, OverflowError):
        return None
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)


def object_or_empty(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[Json]:
    """The objects of a list; what is none is left out."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
