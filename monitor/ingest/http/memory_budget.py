"""Limit the memory of all request bodies together, and the number of concurrent decoders."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from monitor.errors import IntakeFull, Permanent

# Decoding holds the interpreter lock: two at once are slower than one after the other, and take more memory.
DECODERS = 1
MAX_BYTES = 256 * 1024 * 1024
LONGEST_S = 60.0


class SlowBody(Permanent):
    """A sender that sends its body too slowly, while it holds memory that others need."""

    status = 408
    code = "slow_body"


class BodyMemoryBudget:
    """The budget of one event loop. `decoders` limits concurrent decoding, which takes a multiple of the bytes."""

    def __init__(self, max_bytes: int = MAX_BYTES, *, longest_s: float = LONGEST_S) -> None:
        self.decoders = asyncio.Semaphore(DECODERS)
        self.max_bytes = max_bytes
        self._longest_s = longest_s
        self._held = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator["Reservation"]:
        """Reserve memory for one request, from its first byte until its answer."""
        place = Reservation(self)
        try:
            yield place
        finally:
            self._held -= place.held

    async def receive(self, chunks: AsyncIterator[bytes], place: "Reservation") -> AsyncIterator[bytes]:
        """Yield the chunks and count each one. Raise IntakeFull when the budget is full, SlowBody when they take too
        long.
        """
        until = asyncio.get_running_loop().time() + self._longest_s
        while (chunk := await self._next(chunks, until)) is not None:
            self._take(len(chunk), place)
            yield chunk

    async def _next(self, chunks: AsyncIterator[bytes], until: float) -> bytes | None:
        try:
            async with asyncio.timeout_at(until):
                return await anext(chunks, None)
        except TimeoutError:
            raise SlowBody(f"the body did not arrive within {self._longest_s:g} s; send smaller batches") from None

    def _take(self, size: int, place: "Reservation") -> None:
        if self._held + size > self.max_bytes:
            raise IntakeFull(f"request bodies use {self._held} of {self.max_bytes} bytes; send again in a moment")
        self._held += size
        place.held += size


class Reservation:
    """The memory of the budget that one request uses."""

    def __init__(self, room: BodyMemoryBudget) -> None:
        self.held = 0
        self._room = room

    def receive(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        return self._room.receive(chunks, self)
