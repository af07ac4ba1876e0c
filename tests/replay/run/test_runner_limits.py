"""Budgets, pace and rounds of a run."""

import asyncio
import time
from dataclasses import replace

import pytest
from aiohttp import web

from replay.run.budget import Budget
from replay.run.rate_limit import PaceLimits
from replay.run.totals import Tally
from replay.types import Case, Reply
from tests.replay.model_server import Asked, completion, error
from tests.replay.replays import QUICK, LocalTarget, MemorySink, plan, replay, served


def test_a_call_that_failed_for_a_while_is_asked_again_when_all_others_are_over() -> None:
    sink = MemorySink()
    report, server = served(
        lambda asked: error(500) if asked.question == "c2" and asked.nth <= QUICK.max_attempts else completion(),
        plan(30),
        sink,
    )
    again = next(row for row in sink.rows if row.outcome.case_id == "c2")
    assert (again.outcome.attempts, again.scores[0].value) == (4, 1.0)
    assert server.asked[-1].question == "c2"
    assert (report.tally.scored, report.tally.requests, len(server.asked)) == (30, 33, 33)


def test_with_one_round_a_failure_is_final() -> None:
    sink = MemorySink()
    _, server = served(
        lambda asked: error(500) if asked.question == "c2" else completion(),
        plan(6),
        sink,
        limits=replace(QUICK, rounds=1),
    )
    assert len(server.asked) == 5 + QUICK.max_attempts
    assert {row.outcome.error_class for row in sink.rows if row.outcome.case_id == "c2"} == {"server_error"}


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_run_stops_where_its_budget_is_spent_and_says_so(concurrency: int) -> None:
    sink = MemorySink()
    cut = replace(plan(40, samples=2, concurrency=concurrency), budget=Budget(requests=50))
    report, server = served(lambda asked: completion(), cut, sink)
    assert (report.stopped_by, report.interrupted, report.outcomes, len(server.asked)) == ("requests", False, 50, 50)
    assert {row.outcome.case_id for row in sink.rows if row.outcome.sample == 0} == {f"c{n}" for n in range(40)}


def test_what_failed_before_the_budget_was_spent_is_told() -> None:
    sink = MemorySink()
    cut = replace(plan(5, concurrency=1), budget=Budget(requests=7))
    report, _ = served(lambda asked: error(500) if asked.question == "c0" else completion(), cut, sink)
    assert (report.stopped_by, report.outcomes) == (None, 5)  # nothing is left unasked: a failure is an outcome
    assert {row.outcome.error_class for row in sink.rows if row.outcome.case_id == "c0"} == {"server_error"}


def test_a_resumed_run_has_spent_what_its_earlier_starts_did() -> None:
    sink, tally = MemorySink(), Tally()
    cut = replace(plan(40, concurrency=2), budget=Budget(requests=25))
    served(lambda asked: completion(), cut, sink, tally=tally)
    report, server = served(lambda asked: completion(), cut, sink, tally=tally)
    assert (report.stopped_by, report.outcomes, len(server.asked)) == ("requests", 0, 0)


def test_calls_keep_to_the_pace() -> None:
    called_at: list[float] = []

    async def answer(case: Case, nth: int) -> Reply:
        called_at.append(time.monotonic())
        return Reply(text="yes", latency_ms=1.0)

    paced = replace(plan(20, concurrency=8), pace=PaceLimits(requests_per_minute=300.0))
    asyncio.run(replay(paced, LocalTarget(answer), MemorySink()))
    assert called_at[-1] - called_at[0] >= 1.5  # two seconds' worth may go at once, then one each fifth of a second


def test_nobody_calls_while_the_server_says_that_nothing_is_left() -> None:
    def answer(asked: Asked) -> web.Response:
        answered = completion()
        if asked.question == "c0":
            answered.headers["x-ratelimit-remaining-requests"] = "0"
            answered.headers["x-ratelimit-reset-requests"] = "400ms"
        return answered

    _, server = served(answer, plan(4, concurrency=1), MemorySink())
    first, *others = (asked.at for asked in server.asked)
    assert min(others) - first >= 0.4
