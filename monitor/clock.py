"""Time as an argument: what the daemon reads instead of the system clock."""

import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Wall time in UTC for what is written down; monotonic seconds for durations and timeouts."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class OffsetClock:
    """Runs at normal speed from a chosen instant and can be moved forward, never back.

    The demo lives through a week in a minute with it. Nothing reaches it over HTTP.
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
        """Move to `instant`; an instant already passed raises ValueError, for time never runs back."""
        with self._lock:
            step = instant - (datetime.now(UTC) + self._offset)
            if step < timedelta(0):
                raise ValueError(f"the clock is already past {instant.isoformat()}")
            self._offset += step
