import asyncio

import pytest

from monitor.api.keyed_lock import KeyedLock


def test_requests_of_one_key_run_one_after_the_other() -> None:
    log: list[str] = []

    async def request(turns: KeyedLock, name: str) -> None:
        async with turns.turn("key"):
            log.append(f"{name} in")
            for _ in range(3):
                await asyncio.sleep(0)
            log.append(f"{name} out")

    async def main() -> None:
        turns = KeyedLock()
        await asyncio.gather(*(request(turns, name) for name in "abcd"))

    asyncio.run(main())
    assert log == [f"{name} {way}" for name in _order(log) for way in ("in", "out")]
    assert sorted(_order(log)) == list("abcd")


def _order(log: list[str]) -> list[str]:
    return [line[0] for line in log if line.endswith(" in")]


def test_other_keys_pass() -> None:
    async def main() -> None:
        turns = KeyedLock()
        async with turns.turn("a"), turns.turn("b"):
            pass

    asyncio.run(asyncio.wait_for(main(), 5))


def test_a_turn_that_fails_gives_way() -> None:
    async def main() -> None:
        turns = KeyedLock()
        with pytest.raises(ValueError, match="boom"):
            async with turns.turn("a"):
                raise ValueError("boom")
        async with turns.turn("a"):
            pass

    asyncio.run(asyncio.wait_for(main(), 5))


def test_a_cancelled_waiter_leaves_the_turn_of_the_one_before_intact() -> None:
    async def main() -> None:
        turns = KeyedLock()
        entered = asyncio.Event()

        async def wait_for_turn() -> None:
            async with turns.turn("a"):
                entered.set()

        async with turns.turn("a"):
            waiter = asyncio.create_task(wait_for_turn())
            await asyncio.sleep(0)
            waiter.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiter
            assert not entered.is_set()
        await wait_for_turn()
        assert entered.is_set()

    asyncio.run(asyncio.wait_for(main(), 5))
