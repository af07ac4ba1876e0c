"""The clock of the daemon. Code takes a `Clock` as an argument and never reads the system clock."""

import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Wall time in UTC for stored timestamps, and monotonic seconds for durations and timeouts."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class OffsetClock:
    """A clock that starts at a chosen instant and runs at normal speed. It can be moved forward, never back.

    The demo uses it to simulate a week in a minute. No HTTP request can change it.
    """

    def __init__(self, start: datetime) -> None:
        self._lock = threading.Lock()  # protects _offset, which advance_to reads and writes
        self._offset = start - datetime.now(UTC)

    def now(self) -> datetime:
        with self._lock:
            return datetime.now(UTC) + self._offset

    def monotonic(self) -> float:
        return time.monotonic()

    def advance_to(self, instant: datetime) -> None:
        """Move the clock forward to `instant`. Raise ValueError when the clock is past it."""
        with self._lock:
            step = instant - (datetime.now(UTC) + self._offset)
            if step < timedelta(0):
                raise ValueError(f"the clock is already past {instant.isoformat()}")
            self._offset += step
