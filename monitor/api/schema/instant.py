"""Times of requests: RFC 3339 with an offset. A number is refused, because it does not name its unit."""

from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator


def _written_out(value: Any) -> Any:
    if isinstance(value, str) and "T" not in value.upper() and " " not in value and "_" not in value:
        raise ValueError("a time as in RFC 3339 is expected, with date, time and offset: 2026-11-21T02:00:00Z")
    if isinstance(value, int | float):
        raise ValueError("a time as in RFC 3339 is expected, not a number")  # noqa: TRY004 - what pydantic reports
    return value


RequestInstant = Annotated[AwareDatetime, BeforeValidator(_written_out)]
