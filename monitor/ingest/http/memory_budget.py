"""How much of request bodies may be in memory at once, over all requests, and how many are decoded at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from monitor.errors import IntakeFull, Permanent

DECODERS = 1  # decoding holds the interpreter: two at once take longer than one after the other, and more memory
MAX_BYTES = 256 * 1024 * 1024
LONGEST_S = 60.0


class SlowBody(Permanent):
    """A sender that drips its body holds the room of others."""

    status = 408
    code = "slow_body"


class BodyMemoryBudget:
    """Lives in one event loop. `decoders` bounds what decoding takes, which is a multiple of the bytes."""

    def __init__(self, max_bytes: int = MAX_BYTES, *, longest_s: float = LONGEST_S) -> None:
        self.decoders = asyncio.Semaphore(DECODERS)
        self._max_bytes = max_bytes
        self._longest_s = longest_s
        self._held = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator["Reservation"]:
        """For one request, from its first byte until it is answered."""
        place = Reservation(self)
        try:
            yield place
        finally:
            self._held -= place.held

    async def receive(self, chunks: AsyncIterator[bytes], place: "Reservation") -> AsyncIterator[bytes]:
        """The chunks, each counted; IntakeFull without room for one, SlowBody when they take too long altogether."""
        until = asyncio.get_running_loop().time() + self._longest_s
        while (chunk := await self._next(chunks, until)) is not None:
            self._take(len(chunk), place)
            yield chunk

    async def _next(self, chunks: AsyncIterator[bytes], until: float) -> bytes | None:
        try:
            async with asyncio.timeout_at(until):
                return await anext(chunks, None)
        except TimeoutError:
            raise SlowBody(f"the body did not come within {self._longest_s:g} s; send smaller batches") from None

    def _take(self, size: int, place: "Reservation") -> None:
        if self._held + size > self._max_bytes:
            raise IntakeFull(f"request bodies hold {self._held} of {self._max_bytes} bytes; send again in a moment")
        self._held += size
        place.held += size


class Reservation:
    """What one request holds of the room."""

    def __init__(self, room: BodyMemoryBudget) -> None:
        self.held = 0
        self._room = room

    def receive(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        return self._room.receive(chunks, self)
