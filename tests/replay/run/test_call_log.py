"""Calls are recorded before they are made, and charged when they are over."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.call_log import CallRecorder, CallStart
from replay.errors import CallError
from replay.run.budget import Account, Budget, Spent
from replay.targets.base import CallContext
from replay.types import Case, Reply, ToolResult
from tests.replay.model_server import Asked, completion, error
from tests.replay.replays import QUICK, LocalTarget, MemorySink, case, plan, replay, says_yes, served


class Log:
    """Remembers what it was given."""

    def __init__(self) -> None:
        self.started: list[CallStart] = []
        self.unused: list[CallStart] = []
        self.ended = Spent()
        self.writes = 0

    def record(self, run_id: str, started: Sequence[CallStart], ended: Spent, unused: Sequence[CallStart] = ()) -> None:
        self.writes += 1
        self.started += started
        self.unused += unused
        self.ended.add(ended)

    @property
    def made(self) -> Counter[str]:
        """The recorded calls of each case, without those that were taken back."""
        counted = Counter(call.case_id for call in self.started)
        counted.subtract(call.case_id for call in self.unused)
        return +counted


def test_no_request_reaches_the_server_before_it_is_recorded() -> None:
    log, least = Log(), [0]

    def answer(asked: Asked) -> web.Response:
        least[0] = min(least[0], len(log.started) - len(server_saw))
        server_saw.append(asked.question)
        return error(500) if asked.question == "c2" else completion()

    server_saw: list[str] = []
    _, server = served(answer, plan(30), MemorySink(), call_log=log)
    assert least[0] >= 0
    assert log.made == Counter(server_saw)
    assert len(server.asked) == log.made.total() == log.ended.requests > 30


def test_calls_that_wait_at_the_same_time_share_a_write() -> None:
    class Slow(Log):
        def record(
            self, run_id: str, started: Sequence[CallStart], ended: Spent, unused: Sequence[CallStart] = ()
        ) -> None:
            threading.Event().wait(0.02)
            super().record(run_id, started, ended, unused)

    async def scenario() -> Log:
        log = Slow()
        calls = CallRecorder(log, "run-1", lambda: datetime.now(UTC))
        await asyncio.gather(*(calls.begin(f"c{number}") for number in range(64)))
        return log

    log = asyncio.run(scenario())
    assert len(log.started) == 64
    assert log.writes == 2


def test_a_write_records_the_calls_that_come_next() -> None:
    log = Log()
    asyncio.run(replay(plan(640, concurrency=16), LocalTarget(says_yes), MemorySink(), call_log=log))
    assert log.made == Counter(f"c{number}" for number in range(640))
    assert not log.unused
    assert log.writes < 640 / 8


def test_a_run_that_ends_early_takes_back_the_calls_that_it_did_not_make() -> None:
    log, stop = Log(), asyncio.Event()

    async def answer(asked: Case, nth: int) -> Reply:
        made.append(asked.id)
        if len(made) == 10:
            stop.set()
        return Reply(text="yes", latency_ms=1.0)

    made: list[str] = []
    asyncio.run(replay(plan(64, concurrency=8), LocalTarget(answer), MemorySink(), call_log=log, stop=stop))
    assert log.made == Counter(made)
    assert len(made) < 64
    assert 0 < len(log.unused) <= 2 * 8
    assert log.ended.requests == len(made)


def test_no_call_is_recorded_ahead_that_the_budget_cannot_pay() -> None:
    log, account = Log(), Account(Budget(requests=9), period=" of the day")
    limited = replace(plan(64, concurrency=8), budget=Budget(requests=12), shared=(account,))
    asyncio.run(replay(limited, LocalTarget(says_yes), MemorySink(), call_log=log))
    assert (len(log.started), log.unused) == (9, [])


def test_an_error_of_a_write_in_the_background_ends_the_run() -> None:
    class Full(Log):
        def record(
            self, run_id: str, started: Sequence[CallStart], ended: Spent, unused: Sequence[CallStart] = ()
        ) -> None:
            if len(self.started) > 30 and started:
                raise OSError("disk full")
            super().record(run_id, started, ended, unused)

    async def answer(asked: Case, nth: int) -> Reply:
        await asyncio.sleep(0.001)
        made.append(asked.id)
        return Reply(text="yes", latency_ms=1.0)

    made: list[str] = []
    log = Full()
    with pytest.raises(OSError, match="disk full"):
        asyncio.run(replay(plan(640, concurrency=8), LocalTarget(answer), MemorySink(), call_log=log))
    assert len(made) > 20
    assert Counter(made) <= log.made


@given(seed=st.integers(), concurrency=st.integers(1, 12), samples=st.integers(1, 3), stop_after=st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_every_call_is_recorded_before_it_is_made(seed: int, concurrency: int, samples: int, stop_after: int) -> None:
    rng, log, stop = Random(seed), Log(), asyncio.Event()
    made: Counter[str] = Counter()

    async def answer(asked: Case, nth: int) -> Reply:
        made[asked.id] += 1
        assert made <= Counter(call.case_id for call in log.started)
        if made.total() == stop_after:
            stop.set()
        await asyncio.sleep(rng.choice((0, 0, 0.001)))
        if rng.random() < 0.2:
            raise CallError("server_error", "broken", retryable=rng.random() < 0.7)
        return Reply(text="yes", latency_ms=1.0, input_tokens=1)

    asked = plan(15, concurrency=concurrency, samples=samples)
    asyncio.run(replay(asked, LocalTarget(answer), MemorySink(), call_log=log, stop=stop))
    assert log.made == made
    assert log.ended.requests == made.total()


def test_a_log_that_cannot_write_stops_the_run_before_a_request() -> None:
    class Broken(Log):
        def record(
            self, run_id: str, started: Sequence[CallStart], ended: Spent, unused: Sequence[CallStart] = ()
        ) -> None:
            raise OSError("disk full")

    target = LocalTarget(says_yes)
    with pytest.raises(OSError, match="disk full"):
        asyncio.run(replay(plan(20), target, MemorySink(), call_log=Broken()))
    assert not target.calls


def test_a_call_whose_batch_another_call_could_not_write_is_written_again() -> None:
    class Once(Log):
        def record(
            self, run_id: str, started: Sequence[CallStart], ended: Spent, unused: Sequence[CallStart] = ()
        ) -> None:
            if not self.writes:
                self.writes += 1
                raise OSError("disk full")
            super().record(run_id, started, ended, unused)

    async def scenario() -> tuple[Sequence[object], Log]:
        log = Once()
        calls = CallRecorder(log, "run-1", lambda: datetime.now(UTC))
        return await asyncio.gather(calls.begin("a"), calls.begin("b"), return_exceptions=True), log

    (first, second), log = asyncio.run(scenario())
    assert isinstance(first, OSError)
    assert second is None
    assert "b" in {call.case_id for call in log.started}


def test_every_round_of_tools_is_a_request() -> None:
    scripted = replace(case(0), tool_results=(ToolResult(name="look", result="42"),), tools=())
    log = Log()

    def answer(asked: Asked) -> web.Response:
        results = sum(message["role"] == "tool" for message in asked.body["messages"])
        return tool_call() if results < 3 else completion()

    _, server = served(answer, plan([scripted]), MemorySink(), call_log=log)
    assert len(server.asked) == len(log.started) == log.ended.requests == 4


def test_the_budget_holds_inside_an_attempt() -> None:
    scripted = [replace(case(n), tool_results=(ToolResult(name="look", result="42"),)) for n in range(20)]
    cut = replace(plan(scripted), budget=Budget(requests=7))
    report, server = served(lambda asked: tool_call(), cut, MemorySink())
    assert (report.stopped_by, len(server.asked)) == ("requests", 7)


def test_a_failed_call_that_may_be_billed_counts_as_the_dearest_reply() -> None:
    log = Log()

    async def answer(case: Case, nth: int) -> Reply:
        if case.id == "c1":
            raise CallError("timeout", "no answer within 1 s", retryable=False)
        if case.id == "c2":
            raise CallError("rate_limit", "later", retryable=False)
        if case.id == "c3":
            raise CallError("connection", "refused", retryable=False, sent=False)
        return Reply(text="yes", latency_ms=1.0, input_tokens=60, output_tokens=40, cost_usd=0.5)

    once = replace(QUICK, rounds=1)
    what = plan(4, concurrency=1)
    report = asyncio.run(replay(what, LocalTarget(answer), MemorySink(), limits=once, call_log=log))
    assert report.spent == log.ended == Spent(requests=4, tokens=200, usd=1.0)


def test_calls_that_are_abandoned_are_charged_and_leave_nothing_in_flight() -> None:
    log, account = Log(), Account(Budget(requests=100))

    class Hangs(LocalTarget):
        async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
            reached.set()
            await asyncio.sleep(3600)
            raise AssertionError

    reached = asyncio.Event()

    async def scenario() -> None:
        shared = replace(plan(20), shared=(account,))
        running = asyncio.create_task(replay(shared, Hangs(says_yes), MemorySink(), call_log=log))
        await reached.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scenario())
    assert log.ended.requests == account.spent.requests == log.made.total() > 0
    assert account._in_flight == 0


def test_runs_that_share_a_budget_spend_it_together() -> None:
    account = Account(Budget(requests=30), period=" of the day")
    reports = []
    for run_id in ("run-1", "run-2"):
        shared = replace(plan(20, run_id=run_id), shared=(account,))
        reports.append(asyncio.run(replay(shared, LocalTarget(says_yes), MemorySink(), limits=QUICK)))
    assert [(report.stopped_by, report.outcomes) for report in reports] == [(None, 20), ("requests of the day", 10)]
    assert account.spent.requests == 30


def tool_call() -> web.Response:
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = {"model": "gpt-4", "choices": [{"finish_reason": "tool_calls", "message": message}]}
    return web.Response(body=json.dumps(body), content_type="application/json")
