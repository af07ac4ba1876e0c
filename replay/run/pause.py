"""Pauses that all calls of a run share, and that a stop ends early."""

import asyncio
from collections.abc import Callable
from typing import Protocol

STOP_POLL_S = 0.05


class StopSignal(Protocol):
    """The common interface of `threading.Event` and `asyncio.Event`. The run polls it, so any thread may set it."""

    def is_set(self) -> bool: ...


class Pause:
    """The time until which no call may start, because the server requested a pause."""

    def __init__(self, monotonic: Callable[[], float], stop: StopSignal | None) -> None:
        self._monotonic = monotonic
        self._stop = stop
        self._until = monotonic()

    @property
    def stopped(self) -> bool:
        return self._stop is not None and self._stop.is_set()

    def extend(self, seconds: float) -> None:
        """Pause for this time from now. An end that is already later does not change."""
        self._until = max(self._until, self._monotonic() + seconds)

    async def over(self) -> None:
        """Return when the pause has passed, including extensions, or when the run is stopped."""
        await self._wait(lambda: self._until)

    async def sleep(self, seconds: float) -> None:
        """Return after this time, or when the run is stopped."""
        until = self._monotonic() + seconds
        await self._wait(lambda: until)

    async def _wait(self, until: Callable[[], float]) -> None:
        while not self.stopped and (left := until() - self._monotonic()) > 0:  # noqa: ASYNC110 (a threading.Event cannot be awaited)
            await asyncio.sleep(min(left, STOP_POLL_S))
