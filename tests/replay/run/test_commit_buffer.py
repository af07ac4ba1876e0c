import asyncio
import threading
from collections.abc import Sequence

import pytest

from replay.run.commit_buffer import Committer
from replay.run.limits import Limits
from replay.types import ScoredOutcome
from tests.replay.replays import MemorySink, answered_row

NEVER = Limits(commit_delay_s=3600.0)


def committer(sink: MemorySink, concurrency: int, limits: Limits, done: list[int] | None = None) -> Committer:
    booked = done if done is not None else []
    return Committer(sink, "run-1", concurrency, limits, lambda rows: booked.append(len(rows)))


async def put(committing: Committer, *numbers: int) -> None:
    for number in numbers:
        await committing.reserve()
        committing.add(answered_row(number))


def test_as_many_rows_as_calls_at_once_are_committed_without_waiting() -> None:
    async def scenario() -> None:
        arrived = asyncio.Event()
        loop = asyncio.get_running_loop()
        sink = MemorySink(lambda rows: loop.call_soon_threadsafe(arrived.set))
        committing = committer(sink, 3, NEVER)
        task = asyncio.create_task(committing.run())
        await put(committing, 0, 1, 2)
        await asyncio.wait_for(arrived.wait(), 20)
        committing.close()
        await task
        assert len(sink.rows) == 3

    asyncio.run(scenario())


def test_a_lone_row_is_committed_after_the_delay() -> None:
    async def scenario() -> float:
        arrived = asyncio.Event()
        loop = asyncio.get_running_loop()
        sink = MemorySink(lambda rows: loop.call_soon_threadsafe(arrived.set))
        committing = committer(sink, 100, Limits(commit_delay_s=0.1))
        task = asyncio.create_task(committing.run())
        began = loop.time()
        await put(committing, 0)
        await asyncio.wait_for(arrived.wait(), 20)
        took = loop.time() - began
        committing.close()
        await task
        return took

    assert asyncio.run(scenario()) >= 0.099


def test_closing_commits_what_is_there_and_ends() -> None:
    async def scenario() -> None:
        sink, done = MemorySink(), list[int]()
        committing = committer(sink, 100, NEVER, done)
        task = asyncio.create_task(committing.run())
        await put(committing, 0, 1)
        committing.close()
        await asyncio.wait_for(task, 20)
        assert done == [2]

    asyncio.run(scenario())


def test_there_are_twice_as_many_places_as_calls_and_a_commit_frees_them() -> None:
    async def scenario() -> None:
        held = threading.Event()
        sink = MemorySink(lambda rows: held.wait(20))
        committing = committer(sink, 2, NEVER)
        task = asyncio.create_task(committing.run())
        await put(committing, 0, 1, 2, 3)
        fifth = asyncio.create_task(committing.reserve())
        await asyncio.sleep(0)
        assert not fifth.done()
        held.set()
        await asyncio.wait_for(fifth, 20)
        committing.close()
        await task

    asyncio.run(scenario())


def test_rows_that_come_during_a_commit_go_with_the_next() -> None:
    async def scenario() -> list[int]:
        loop = asyncio.get_running_loop()
        held, began = threading.Event(), asyncio.Event()

        def hold(rows: Sequence[ScoredOutcome]) -> None:
            loop.call_soon_threadsafe(began.set)
            assert held.wait(20)

        done = list[int]()
        committing = committer(MemorySink(hold), 2, Limits(commit_delay_s=0.0), done)
        task = asyncio.create_task(committing.run())
        await put(committing, 0)
        await began.wait()
        await put(committing, 1, 2)
        held.set()
        committing.close()
        await asyncio.wait_for(task, 20)
        return done

    assert asyncio.run(scenario()) == [1, 2]


def test_what_the_sink_raises_says_how_many_answers_wait() -> None:
    def full(rows: Sequence[ScoredOutcome]) -> None:
        raise OSError(28, "no space left on device")

    async def scenario() -> None:
        committing = committer(MemorySink(full), 2, NEVER)
        await put(committing, 0, 1, 2)
        committing.close()
        await committing.run()

    with pytest.raises(OSError, match="no space left") as raised:
        asyncio.run(scenario())
    assert raised.value.__notes__ == ["run run-1: 3 answered calls are not committed; a resumed run repeats them"]
