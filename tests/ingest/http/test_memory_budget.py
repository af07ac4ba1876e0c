import asyncio
from collections.abc import AsyncIterator

import pytest

from monitor.errors import IntakeFull
from monitor.ingest.http.memory_budget import BodyMemoryBudget, SlowBody


async def sent(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def never() -> AsyncIterator[bytes]:
    yield b"a beginning"
    await asyncio.Event().wait()


async def received(chunks: AsyncIterator[bytes]) -> bytes:
    return b"".join([chunk async for chunk in chunks])


def test_a_body_passes_unchanged() -> None:
    async def scenario() -> bytes:
        async with BodyMemoryBudget(10).place() as place:
            return await received(place.receive(sent(b"12345", b"", b"67890")))

    assert asyncio.run(scenario()) == b"1234567890"


def test_a_full_budget_rejects_a_sender_until_other_requests_are_answered() -> None:
    async def scenario() -> None:
        room = BodyMemoryBudget(10)
        async with room.place() as first, room.place() as second:
            await received(first.receive(sent(b"123456")))
            with pytest.raises(IntakeFull, match="use 6 of 10 bytes"):
                await received(second.receive(sent(b"12345")))
        async with room.place() as third:
            assert await received(third.receive(sent(b"1234567890"))) == b"1234567890"

    asyncio.run(scenario())


def test_a_body_that_never_ends_is_rejected() -> None:
    async def scenario() -> None:
        async with BodyMemoryBudget(100, longest_s=0.05).place() as place:
            with pytest.raises(SlowBody, match=r"did not arrive within 0\.05 s"):
                await received(place.receive(never()))

    asyncio.run(scenario())
