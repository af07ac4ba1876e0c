"""Searches interactions newest first, in windows of time, so that a page never takes long.

A search of rare words reads many calls. After its time limit it returns what it found, the time that it reached, and a
cursor to continue from there.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Final

from monitor.domain.interaction import Interaction
from monitor.domain.interaction_filter import InteractionFilter
from monitor.errors import UsageError
from monitor.store.engine.pagination import MAX_LIMIT, PageQuery, decode_cursor, encode_cursor
from monitor.store.engine.transaction import Row, Tx
from monitor.store.traffic.interaction_row import to_interaction
from monitor.store.traffic.search_windows import (
    LONGEST,
    SHORTEST,
    Window,
    below,
    first_window,
    next_window,
    width_for_next_page,
)

Monotonic = Callable[[], float]
MOMENT: Final = timedelta(microseconds=1)
MARK: Final = "\0"  # no id has this character


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One page of a search. `searched_to` is the time down to which all calls were searched; None when the whole range
    was. `next_cursor` continues the search; None when it is complete.
    """

    items: list[Interaction]
    next_cursor: str | None
    searched_to: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """Where a page starts: its first window, the oldest time, and the last item of the page before."""

    first: Window
    floor: datetime
    after: tuple[datetime, str] | None


def search(tx: Tx, q: PageQuery, wanted: InteractionFilter, monotonic: Monotonic) -> Found:
    """Return the next page. It has fewer items than asked for when the time limit ends the search."""
    if not 1 <= q.limit <= MAX_LIMIT:
        raise UsageError(f"limit {q.limit} is out of range; use 1 to {MAX_LIMIT} items")
    start = _start(tx, q)
    if start is None:
        return Found(items=[], next_cursor=None, searched_to=None)
    rows: list[Row] = []
    begin = before = monotonic()
    window, took_s = start.first, 0.0
    while True:
        rows += _read(tx, q, wanted, start, window, limit=q.limit + 1 - len(rows))
        now = monotonic()
        took_s, before = now - before, now
        following = next_window(window, took_s=took_s, spent_s=now - begin, floor=start.floor)
        if following is None or len(rows) > q.limit:
            return _found(rows, q.limit, window, width_for_next_page(window, took_s), start.floor)
        window = following


def _found(rows: list[Row], limit: int, last: Window, width: timedelta, floor: datetime) -> Found:
    items = [to_interaction(row) for row in rows[:limit]]
    if len(rows) > limit:
        end = items[-1]
        return Found(items=items, next_cursor=encode_cursor(end.started_at, end.id), searched_to=end.started_at)
    if last.low <= floor:
        return Found(items=items, next_cursor=None, searched_to=None)
    return Found(items=items, next_cursor=_continuation(last.low, width), searched_to=last.low)


def _start(tx: Tx, q: PageQuery) -> _Start | None:
    """Return where the page starts in the stored calls; None when the query covers none of them."""
    [known] = tx.query("interaction_times")
    if known["oldest"] is None:
        return None
    oldest, newest = known["oldest"], known["newest"]
    at, tie = decode_cursor(q.cursor) if q.cursor else (None, "")
    width = _width_in(tie)
    ends = [_past(newest), q.until, at and (at if width else _past(at))]
    high = min(end for end in ends if end is not None)
    floor = max(oldest, q.since or oldest)
    if high <= floor:
        return None
    after = None if at is None or width else (at, tie)
    usual = first_window(oldest, newest, known["calls"], floor=floor, high=high)
    first = below(high, max(width or SHORTEST, usual.width), floor)
    return _Start(first=first, floor=floor, after=after)


def _continuation(at: datetime, width: timedelta) -> str:
    """Return a cursor after a page that the time limit ended: its tie is a width instead of an id."""
    return encode_cursor(at, f"{MARK}{width // MOMENT}")


def _width_in(tie: str) -> timedelta | None:
    digits = tie.removeprefix(MARK)
    if tie == digits or not digits.isascii() or not digits.isdecimal() or len(digits) > len(str(LONGEST // MOMENT)):
        return None
    return min(LONGEST, max(SHORTEST, int(digits) * MOMENT))


def _read(tx: Tx, q: PageQuery, wanted: InteractionFilter, start: _Start, window: Window, *, limit: int) -> list[Row]:
    before_at, before_tie = start.after or (None, None)
    named = asdict(wanted) | {"text": wanted.text and wanted.text.lower()}
    return tx.query(
        "search_interactions",
        low=window.low,
        high=window.high,
        deployment=q.deployment,
        before_at=before_at,
        before_tie=before_tie,
        limit=limit,
        **named,
    )


def _past(at: datetime) -> datetime:
    try:
        return at + MOMENT
    except OverflowError:
        return at
