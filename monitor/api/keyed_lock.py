"""A lock for each key, for writes whose rows another thread commits."""

import asyncio
import threading
from collections.abc import AsyncIterator, Hashable
from concurrent.futures import Future
from contextlib import asynccontextmanager


class KeyedLock:
    """Serializes requests with the same key; other requests run in parallel.

    One process owns the store, so a lock in the process is enough. `concurrent` futures work across event loops.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # protects _held
        self._held: dict[Hashable, Future[None]] = {}

    @asynccontextmanager
    async def turn(self, key: Hashable) -> AsyncIterator[None]:
        mine: Future[None] = Future()
        while (ahead := self._take(key, mine)) is not None:
            # Shielded: a cancelled waiter must not cancel the request that holds the lock.
            await asyncio.shield(asyncio.wrap_future(ahead))
        try:
            yield
        finally:
            with self._lock:
                del self._held[key]
            mine.set_result(None)

    def _take(self, key: Hashable, mine: Future[None]) -> Future[None] | None:
        with self._lock:
            ahead = self._held.get(key)
            if ahead is None:
                self._held[key] = mine
            return ahead
