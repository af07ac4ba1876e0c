"""The parameters and the page format of all lists."""

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, TypeVar

from fastapi import Depends, Query

from monitor.api.schema import ListPage
from monitor.api.schema.instant import RequestInstant
from monitor.errors import UsageError
from monitor.store.engine.pagination import Page, PageQuery

T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - an item on the wire

Limit = Annotated[int, Query(ge=1, le=500, description="Maximum number of items.")]
Cursor = Annotated[str | None, Query(max_length=1000, description="`next_cursor` of the previous page.")]
Name = Annotated[str | None, Query(max_length=200)]
Instant = Annotated[RequestInstant | None, Query(description="RFC 3339 with an offset. The window is [since, until).")]


def _list_query(
    limit: Limit = 50, cursor: Cursor = None, deployment: Name = None, since: Instant = None, until: Instant = None
) -> PageQuery:
    return PageQuery(limit=limit, cursor=cursor, deployment=deployment, since=_utc(since), until=_utc(until))


def _utc(instant: datetime | None) -> datetime | None:
    try:
        return instant and instant.astimezone(UTC)
    except OverflowError:
        raise UsageError("query.since, query.until: the time is outside the supported range") from None


ListQuery = Annotated[PageQuery, Depends(_list_query)]


def as_list(page: Page[T], encode: Callable[[T], I]) -> ListPage[I]:
    """Convert a page of the store to a page of the API."""
    return ListPage(items=[encode(row) for row in page.items], next_cursor=page.next_cursor)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageStart:
    """The start of a page in a short ordered list, such as deployment names or the cases of a revision."""

    limit: int
    start: int


def _place(limit: Limit = 50, cursor: Cursor = None) -> PageStart:
    return PageStart(limit=limit, start=0 if cursor is None else decode_start(cursor))


PageStartQuery = Annotated[PageStart, Depends(_place)]


def slice_at(rows: Sequence[T], page_start: PageStart) -> Page[T]:
    """Return the page of `rows` from `place` on."""
    end = page_start.start + page_start.limit
    return Page(items=list(rows[page_start.start : end]), next_cursor=encode_start(end) if end < len(rows) else None)


def encode_start(start: int) -> str:
    return base64.urlsafe_b64encode(f"at:{start}".encode()).decode().rstrip("=")


def decode_start(cursor: str) -> int:
    """Return the position in a cursor. Raises UsageError for a text that is not such a cursor."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    digits = text.removeprefix("at:")
    if not text.startswith("at:") or not digits.isascii() or not digits.isdecimal() or len(digits) > 9:
        raise UsageError("query.cursor: invalid cursor; send the next_cursor of the previous page unchanged")
    return int(digits)
