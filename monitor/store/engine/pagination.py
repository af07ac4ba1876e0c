"""Lists, newest first, one page at a time."""

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
    """`next_cursor` asks for what follows, None at the end."""

    items: list[T]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuery:
    """Which part of a list: `since` is inside, `until` is not."""

    limit: int = 50
    cursor: str | None = None
    deployment: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def fetch_page(
    tx: Tx, name: str, q: PageQuery, decode: Callable[[Row], T], *, at: str, tie: str = "id", **params: Any
) -> Page[T]:
    """Run a page statement. It sorts by the columns `at` and `tie`, which together must be unique, both descending."""
    if not 1 <= q.limit <= MAX_LIMIT:
        raise UsageError(f"limit {q.limit} is out of range; ask for 1 to {MAX_LIMIT} items")
    before_at, before_tie = decode_cursor(q.cursor) if q.cursor else (None, None)
    rows = tx.query(
        name,
        limit=q.limit + 1,  # one more tells whether anything follows
        deployment=q.deployment,
        since=q.since,
        until=q.until,
        before_at=before_at,
        before_tie=before_tie,
        **params,
    )
    shown = rows[: q.limit]
    follows = encode_cursor(shown[-1][at], str(shown[-1][tie])) if len(rows) > q.limit else None
    return Page(items=[decode(row) for row in shown], next_cursor=follows)


def encode_cursor(at: datetime, tie: str) -> str:
    micros = (at - _EPOCH) // timedelta(microseconds=1)
    return base64.urlsafe_b64encode(f"{micros}|{tie}".encode()).decode()


def decode_cursor(cursor: str) -> tuple[datetime, str]:
    """The time and tie-breaker of the last item seen; anything we did not write raises UsageError."""
    try:
        micros, bar, tie = base64.b64decode(cursor, altchars=b"-_", validate=True).decode().partition("|")
        if not bar:
            raise ValueError("no separator")
        return _EPOCH + timedelta(microseconds=int(micros)), tie
    except (binascii.Error, ValueError, OverflowError) as error:
        raise UsageError(f"cursor {cursor!r} is not one that this API gave; leave it out to start again") from error
