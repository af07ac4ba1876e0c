"""Lists by page, the newest item first."""

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Generic, TypeVar

from monitor.errors import UsageError
from monitor.store.engine.transaction import Row, Tx

T = TypeVar("T")
MAX_LIMIT: Final = 1000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """One page of a list. `next_cursor` requests the next page; None on the last page."""

    items: list[T]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuery:
    """The requested part of a list: `since` is inclusive, `until` is exclusive."""

    limit: int = 50
    cursor: str | None = None
    deployment: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def fetch_page(
    tx: Tx, name: str, q: PageQuery, decode: Callable[[Row], T], *, at: str, tie: str = "id", **params: Any
) -> Page[T]:
    """Run a page statement. It sorts by the columns `at` and `tie`, both descending, which together must be unique."""
    if not 1 <= q.limit <= MAX_LIMIT:
        raise UsageError(f"limit {q.limit} is out of range; use 1 to {MAX_LIMIT} items")
    before_at, before_tie = decode_cursor(q.cursor) if q.cursor else (None, None)
    rows = tx.query(
        name,
        limit=q.limit + 1,  # one more row shows whether a next page exists
        deployment=q.deployment,
        since=q.since,
        until=q.until,
        before_at=before_at,
        before_tie=before_tie,
        **params,
    )
    page = rows[: q.limit]
    follows = encode_cursor(page[-1][at], str(page[-1][tie])) if len(rows) > q.limit else None
    return Page(items=[decode(row) for row in page], next_cursor=follows)


def encode_cursor(at: datetime, tie: str) -> str:
    micros = (at - _EPOCH) // timedelta(microseconds=1)
    return base64.urlsafe_b64encode(f"{micros}|{tie}".encode()).decode()


def decode_cursor(cursor: str) -> tuple[datetime, str]:
    """Return the time and the tie-breaker of the last item of the previous page. Raises UsageError for an invalid
    cursor.
    """
    try:
        micros, bar, tie = base64.b64decode(cursor, altchars=b"-_", validate=True).decode().partition("|")
        if not bar:
            raise ValueError("no separator")
        return _EPOCH + timedelta(microseconds=int(micros)), tie
    except (binascii.Error, ValueError, OverflowError) as error:
        raise UsageError(f"cursor {cursor!r} is invalid; omit it to start with the first page") from error
