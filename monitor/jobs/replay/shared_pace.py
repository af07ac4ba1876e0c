"""The pace of a target that several processes share: PostgreSQL gives each request its time."""

import asyncio
from collections import deque
from collections.abc import Callable
from math import ceil

from monitor.store.lake.slices import SliceWork
from replay.run.rate_limit import PaceLimits

AHEAD_S = 0.5  # of the share of this process, reserved by one call


class SharedPace:
    """A Pacer. Requests that wait at the same time share one reservation, which also covers those of the next half
    second. All methods are called in one event loop.
    """

    def __init__(
        self, target: str, limits: PaceLimits, work: SliceWork, monotonic: Callable[[], float], *, share: float
    ) -> None:
        """`share` is the part of the limits that this process needs."""
        self._target, self._limits, self._work, self._monotonic = target, limits, work, monotonic
        self._ahead = ceil((limits.requests_per_minute or 0.0) * share * AHEAD_S / 60.0)
        self._reserving = asyncio.Lock()
        self._waiting = 0
        self._times: deque[float] = deque()  # monotonic times of reserved requests
        self._refused = False
        self._hold_s = 0.0
        self._owed = 0.0  # tokens that replies used in excess of their reservation; negative: less
        self._tokens_of_call = 0.0

    async def turn(self) -> float:
        self._waiting += 1
        try:
            async with self._reserving:
                if not self._times:
                    await self._fetch(max(self._waiting, self._ahead, 1))
                due = self._times.popleft()
        finally:
            self._waiting -= 1
        return max(due - self._monotonic(), 0.0)

    def hold(self, seconds: float) -> None:
        self._hold_s = max(self._hold_s, seconds)
        self._times.clear()  # what is not sent gets a new time

    def used(self, tokens: int) -> None:
        self._owed += tokens - self._tokens_of_call
        self._tokens_of_call = tokens if not self._tokens_of_call else 0.9 * self._tokens_of_call + 0.1 * tokens

    def refused(self) -> None:
        self._refused = True
        self._times.clear()

    async def _fetch(self, requests: int) -> None:
        slow, self._refused = self._refused, False
        hold_s, self._hold_s = self._hold_s, 0.0
        owed, self._owed = self._owed, 0.0
        tokens = requests * self._tokens_of_call + owed
        found = await asyncio.to_thread(
            self._work.reserve, self._target, requests, tokens, self._limits, slow=slow, hold_s=hold_s
        )
        now = self._monotonic()
        interval_s, tokens_interval_s = found["interval_s"] or 0.0, found["tokens_interval_s"] or 0.0
        for place in range(requests):
            by_requests = found["wait_s"] + place * interval_s
            by_tokens = found["tokens_wait_s"] + place * tokens_interval_s
            self._times.append(now + max(by_requests, by_tokens, found["held_s"], 0.0))
