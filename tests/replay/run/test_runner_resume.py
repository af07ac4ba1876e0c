import asyncio
import sys
import threading
from pathlib import Path

import pytest
from aiohttp import web

from replay.run.runner import RunReport
from replay.sinks import JsonlSink
from replay.types import Case, Reply
from tests.replay.model_server import Asked, Gate, ModelServer, completion, error
from tests.replay.replays import LocalTarget, MemorySink, kept, plan, replay, replay_over_http

ROOT = Path(__file__).parents[3]


async def start_process(base_url: str, path: Path, count: int, concurrency: int) -> asyncio.subprocess.Process:
    arguments = ["-m", "tests.replay.replay_process", base_url, str(path), str(count), str(concurrency)]
    return await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=ROOT)


@pytest.mark.parametrize("calls_before_the_kill", [1, 37, 150])
def test_a_killed_replay_loses_no_committed_outcome_and_repeats_few_calls(
    tmp_path: Path, calls_before_the_kill: int
) -> None:
    path, count, concurrency = tmp_path / "outcomes.jsonl", 200, 8

    async def scenario() -> None:
        reached = asyncio.Event()

        def answer(asked: Asked) -> web.Response:
            if len(server.asked) >= calls_before_the_kill:
                reached.set()
            return completion()

        async with ModelServer(answer) as server:
            process = await start_process(server.base_url, path, count, concurrency)
            await asyncio.wait_for(reached.wait(), 60)
            process.kill()
            await process.wait()
            assert not process_ended_by_itself(process)
            before = kept(path)
            resumed = await start_process(server.base_url, path, count, concurrency)
            assert await resumed.wait() == 0
            after = kept(path)
            assert len(after) == count
            assert {key: after[key] for key in before} == before
            assert all(server.calls[key] == 1 for key in before)
            assert sum(server.calls.values()) <= count + 2 * concurrency

    asyncio.run(scenario())


def process_ended_by_itself(process: asyncio.subprocess.Process) -> bool:
    return process.returncode != -9


@pytest.mark.parametrize("calls_before_the_cancel", [1, 30, 90])
def test_a_cancelled_replay_commits_what_is_answered_and_its_resume_repeats_none_of_it(
    tmp_path: Path, calls_before_the_cancel: int
) -> None:
    path, concurrency = tmp_path / "outcomes.jsonl", 4

    async def scenario() -> None:
        reached = asyncio.Event()

        def answer(asked: Asked) -> web.Response:
            if len(server.asked) >= calls_before_the_cancel:
                reached.set()
            return completion()

        async with ModelServer(answer) as server:
            with JsonlSink(path) as sink:
                what = plan(100, concurrency=concurrency)
                running = asyncio.create_task(replay_over_http(what, server.base_url, sink))
                await asyncio.wait_for(reached.wait(), 60)
                running.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await running
                before = sink.answered("run-1")
                asked_before = len(server.asked)
                assert asked_before - len(before) <= concurrency  # only what was in flight is lost
                report = await replay_over_http(what, server.base_url, sink)
            assert report.skipped == len(before)
            assert len(kept(path)) == 100
            assert all(server.calls[key] == 1 for key in before)

    asyncio.run(scenario())


def test_a_stop_answers_and_commits_what_is_in_flight_and_no_more() -> None:
    async def scenario() -> None:
        gate, stop, four_in_flight = Gate(1000), threading.Event(), asyncio.Event()

        async def answer(case: Case, nth: int) -> Reply:
            if len(target.calls) == 4:
                four_in_flight.set()
            await gate.pass_through()
            return Reply(text="yes", latency_ms=1.0)

        sink, target = MemorySink(), LocalTarget(answer)
        running = asyncio.create_task(replay(plan(100, concurrency=4), target, sink, stop=stop))
        await asyncio.wait_for(four_in_flight.wait(), 60)
        stop.set()
        gate.open()
        report = await asyncio.wait_for(running, 60)
        assert report.interrupted
        assert sink.answered("run-1") == set(target.calls)
        assert len(sink.rows) == 4
        resumed = await replay(plan(100, concurrency=4), target, sink)
        assert (resumed.skipped, resumed.interrupted, set(target.calls.values())) == (4, False, {1})

    asyncio.run(scenario())


def test_a_stop_does_not_wait_for_a_long_retry_after() -> None:
    async def scenario() -> RunReport:
        stop = asyncio.Event()

        def answer(asked: Asked) -> web.Response:
            asyncio.get_running_loop().call_later(0.1, stop.set)
            return error(429, **{"Retry-After": "100"})

        async with ModelServer(answer) as server:
            return await asyncio.wait_for(replay_over_http(plan(9), server.base_url, MemorySink(), stop=stop), 30)

    report = asyncio.run(scenario())
    assert (report.outcomes, report.interrupted) == (0, True)


def test_a_run_stopped_before_it_began_makes_no_call() -> None:
    stop = threading.Event()
    stop.set()
    target = LocalTarget(lambda case, nth: pytest.fail("called"))
    report = asyncio.run(replay(plan(3), target, MemorySink(), stop=stop))
    assert (report.outcomes, report.interrupted) == (0, True)
