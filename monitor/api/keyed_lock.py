"""One request at a time per key, for writes whose rows another thread commits."""

import asyncio
import threading
from collections.abc import AsyncIterator, Hashable
from concurrent.futures import Future
from contextlib import asynccontextmanager


class KeyedLock:
    """Requests with the same key wait for each other; others pass.

    One process owns the store, so a lock inside it is enough. Futures of `concurrent` work across event loops.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # protects _held
        self._held: dict[Hashable, Future[None]] = {}

    @asynccontextmanager
    async def turn(self, key: Hashable) -> AsyncIterator[None]:
        mine: Future[None] = Future()
        while (ahead := self._take(key, mine)) is not None:
            # Shielded: a waiter that is cancelled must not cancel the turn it waits for.
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
