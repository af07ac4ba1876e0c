"""The windows of time that a search reads one after the other, the newest first, within a time limit. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

FIRST_ROWS: Final = 20_000  # expected rows of the first window: less than a block of the table, which is read whole
GROWTH: Final = 8.0  # a window is at most this many times as wide as the one before
BUDGET_S: Final = 0.15  # of one page; the last window may take as long again
SHORTEST: Final = timedelta(seconds=1)
LONGEST: Final = timedelta(days=36_500)
LONGEST_FIRST: Final = timedelta(hours=1)  # a single call with a wrong clock makes the stored time long


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The time [low, high) that one read covers."""

    low: datetime
    high: datetime

    @property
    def width(self) -> timedelta:
        return self.high - self.low


def first_window(oldest: datetime, newest: datetime, rows: int, *, floor: datetime, high: datetime) -> Window:
    """Return the window that ends at `high` and has about FIRST_ROWS of `rows`, which are from `oldest` to `newest`."""
    width = (newest - oldest) * min(1.0, FIRST_ROWS / max(rows, 1))
    return below(high, min(LONGEST_FIRST, max(SHORTEST, width)), floor)


def next_window(done: Window, *, took_s: float, spent_s: float, floor: datetime) -> Window | None:
    """Return the window below `done`, which took `took_s` of `spent_s`, so that the next one fits into the budget.

    None when everything down to `floor` was read, or when little of the budget is left.
    """
    left_s = BUDGET_S - spent_s
    if done.low <= floor or left_s <= took_s / 2:  # too short a window is not worth its read
        return None
    return below(done.low, _grown(done.width, took_s, left_s), floor)


def width_for_next_page(done: Window, took_s: float) -> timedelta:
    """Return the width of the first window of the next page, which takes about half of its budget."""
    return _grown(done.width, took_s, BUDGET_S / 2)


def below(high: datetime, width: timedelta, floor: datetime) -> Window:
    """Return the window of this width that ends at `high`, cut at `floor`."""
    low = high - width if high - floor > width else floor
    return Window(low=low, high=high)


def _grown(width: timedelta, took_s: float, available_s: float) -> timedelta:
    growth = min(GROWTH, available_s / took_s) if took_s > 0 else GROWTH
    return max(SHORTEST, min(width, LONGEST) * growth)
