import asyncio
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiohttp import web

from replay.errors import CallError, ReplayError, TargetError
from replay.run.runner import RunReport
from replay.run.totals import Tally
from replay.scorers.base import Stamped
from replay.sinks import JsonlSink
from replay.types import Case, Reply, Score, ScoredOutcome
from tests.replay.model_server import Asked, Gate, ModelServer, completion, error
from tests.replay.replays import (
    KEY,
    QUICK,
    LocalTarget,
    MemorySink,
    case,
    cases,
    plan,
    replay,
    replay_over_http,
    says_yes,
    served,
)


def test_every_sample_of_every_case_is_asked_scored_and_committed_once() -> None:
    sink, progress = MemorySink(), list[tuple[int, int]]()
    report, server = served(
        lambda asked: completion("yes" if asked.question != "c3" else "no"),
        plan(10, samples=2),
        sink,
        on_progress=lambda done, total: progress.append((done, total)),
    )
    assert (report.outcomes, report.skipped, report.interrupted) == (20, 0, False)
    assert set(server.calls.values()) == {1}
    assert sink.answered("run-1") == {(f"c{number}", sample) for number in range(10) for sample in range(2)}
    assert {row.outcome.case_id for row in sink.rows if row.scores[0].value == 0.0} == {"c3"}
    assert progress[-1] == (20, 20)
    assert progress == sorted(progress)
    assert (report.tally.outcomes, report.tally.scored) == (20, 20)


def test_every_call_tells_its_run_and_its_trace() -> None:
    sink = MemorySink()
    _, server = served(lambda asked: completion(), plan(5), sink)
    traces = {row.outcome.trace_id for row in sink.rows}
    assert {asked.headers["traceparent"].split("-")[1] for asked in server.asked} == traces
    assert len(traces) == 5
    assert all(trace.startswith("ab" * 8) for trace in traces)
    assert {asked.headers["baggage"] for asked in server.asked} == {"driftd.run=run-1"}


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_the_concurrency_is_reached_and_never_exceeded(concurrency: int) -> None:
    async def scenario() -> int:
        gate = Gate(concurrency)

        async def answer(asked: Asked) -> web.Response:
            await gate.pass_through()
            return completion()

        async with ModelServer(answer) as server:
            await asyncio.wait_for(
                replay_over_http(plan(40, concurrency=concurrency), server.base_url, MemorySink()), 60
            )
            return server.most_at_once

    assert asyncio.run(scenario()) == concurrency


def test_a_call_that_fails_is_tried_again_and_the_outcome_counts_its_attempts() -> None:
    sink = MemorySink()
    _, server = served(lambda asked: error(500) if asked.nth < 3 else completion(), plan(6), sink)
    assert set(server.calls.values()) == {3}
    assert {row.outcome.attempts for row in sink.rows} == {3}
    assert len({asked.headers["traceparent"] for asked in server.asked}) == 18  # each attempt is a span of its own
    assert len({asked.headers["traceparent"].split("-")[1] for asked in server.asked}) == 6


def test_a_call_that_keeps_failing_is_an_outcome_without_scores() -> None:
    sink = MemorySink()
    report, server = served(lambda asked: error(500) if asked.question == "c2" else completion(), plan(6), sink)
    (failed,) = [row for row in sink.rows if row.outcome.error_class]
    assert (failed.outcome.case_id, failed.outcome.error_class, failed.outcome.attempts) == ("c2", "server_error", 6)
    assert (failed.outcome.reply, failed.scores) == (None, ())
    assert len([asked for asked in server.asked if asked.question == "c2"]) == 6
    assert (report.tally.errors, report.tally.scored, report.outcomes) == ({"server_error": 1}, 5, 6)


def test_a_failure_that_no_retry_mends_is_asked_once() -> None:
    sink = MemorySink()
    _, server = served(lambda asked: error(404, "unknown_case"), plan(30), sink)
    assert set(server.calls.values()) == {1}
    assert {row.outcome.error_class for row in sink.rows} == {"unknown_case"}
    assert len(sink.rows) == 30


@pytest.mark.parametrize(
    ("bad", "error_class"),
    [
        (lambda: web.Response(text="{"), "malformed_reply"),
        (lambda: completion(""), "empty_reply"),
        (lambda: completion("so", finish_reason="content_filter"), "content_filter"),
    ],
)
def test_bad_answers_are_unscored_never_zero(bad: Any, error_class: str) -> None:
    sink = MemorySink()
    report, _ = served(lambda asked: bad(), plan(3), sink)
    assert report.tally.errors == {error_class: 3}
    assert all(row.scores == () for row in sink.rows)


def test_a_call_that_takes_too_long_is_a_timeout_whatever_the_target_does() -> None:
    async def answer(case: Case, nth: int) -> Reply:
        if case.id == "c1" and nth == 1:
            await asyncio.Event().wait()
        return Reply(text="yes", latency_ms=1.0)

    sink = MemorySink()
    asyncio.run(replay(plan(3), LocalTarget(answer), sink, limits=replace(QUICK, call_timeout_s=0.1)))
    assert {row.outcome.case_id: row.outcome.attempts for row in sink.rows} == {"c0": 1, "c1": 2, "c2": 1}


def test_a_retry_after_is_waited_for() -> None:
    def answer(asked: Asked) -> web.Response:
        return error(429, **{"Retry-After": "0.3"}) if asked.nth == 1 else completion()

    sink = MemorySink()
    _, server = served(answer, plan(1), sink)
    first, second = server.asked
    assert second.at - first.at >= 0.3
    assert sink.rows[0].outcome.attempts == 2


def test_a_retry_after_to_one_call_pauses_all_of_them() -> None:
    class Bell(Random):
        """Rings when a delay is drawn: by then the run knows of the Retry-After."""

        def uniform(self, a: float, b: float) -> float:
            refused.set()
            return 0.0

    async def scenario() -> None:
        async def answer(case: Case, nth: int) -> Reply:
            called_at.append(loop.time())
            if case.id == "c0" and nth == 1:
                refused_at.append(loop.time())
                raise CallError("rate_limit", "HTTP 429", retryable=True, retry_after_s=0.3)
            if case.id == "c1":
                await refused.wait()
            return Reply(text="yes", latency_ms=1.0)

        loop = asyncio.get_running_loop()
        await replay(plan(6, concurrency=2), LocalTarget(answer), MemorySink(), rng=Bell())

    refused, called_at, refused_at = asyncio.Event(), list[float](), list[float]()
    asyncio.run(scenario())
    assert len(called_at) == 7
    assert all(at - refused_at[0] >= 0.3 for at in called_at[2:])


class Raises(Stamped):
    def score(self, case: Case, reply: Reply) -> Score:
        raise KeyError(case.id)


def test_a_scorer_that_raises_ends_no_run() -> None:
    sink = MemorySink()
    report = asyncio.run(replay(plan(5), LocalTarget(says_yes), sink, scorers=[Raises(name="raises", version="1")]))
    assert {row.scores[0].reason for row in sink.rows} == {"KeyError"}
    assert (report.outcomes, report.tally.scored) == (5, 0)


def test_a_target_that_breaks_is_a_bug_that_rises_and_what_was_answered_is_committed() -> None:
    async def answer(case: Case, nth: int) -> Reply:
        if case.id == "c2":
            raise ZeroDivisionError
        return Reply(text="yes", latency_ms=1.0)

    sink = MemorySink()
    with pytest.raises(ZeroDivisionError):
        asyncio.run(replay(plan(10, concurrency=1), LocalTarget(answer), sink))
    assert sink.answered("run-1") == {("c0", 0), ("c1", 0)}


def test_a_refused_key_ends_the_run_after_a_few_calls_in_a_sentence_without_the_key() -> None:
    sink = MemorySink()

    async def scenario() -> tuple[str, str, int]:
        async with ModelServer(lambda asked: error(401, message=asked.headers["authorization"])) as server:
            with pytest.raises(TargetError) as raised:
                await replay_over_http(plan(1000, concurrency=8), server.base_url, sink)
            return str(raised.value), server.base_url, len(server.asked)

    sentence, base_url, calls = asyncio.run(scenario())
    assert f"model 'gpt-4' at {base_url}: 16 calls in a row failed with auth, the key is refused" in sentence
    assert KEY not in sentence
    assert 16 <= calls <= 24
    assert sink.rows == []  # nothing of an outage is kept: a resume asks again


def test_nobody_listening_ends_the_run_in_a_sentence() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(TargetError, match=f"{base_url}: 8 calls in a row failed with connection, no response"):
            asyncio.run(replay_over_http(plan(1000), base_url, MemorySink()))


def test_an_outage_in_the_middle_keeps_the_answers_and_a_resume_fills_the_rest() -> None:
    sink = MemorySink()

    async def scenario() -> RunReport:
        def answer(asked: Asked) -> web.Response:
            return error(503) if down and len(server.calls) > 40 else completion()

        async with ModelServer(answer) as server:
            down = True
            with pytest.raises(TargetError, match="the server fails"):
                await replay_over_http(plan(100), server.base_url, sink)
            assert len(sink.rows) == 40
            down = False
            return await replay_over_http(plan(100), server.base_url, sink)

    report = asyncio.run(scenario())
    assert (report.skipped, report.outcomes) == (40, 60)
    assert all(row.outcome.reply for row in sink.rows)


def test_failures_between_answers_are_all_kept_and_block_nothing() -> None:
    async def answer(case: Case, nth: int) -> Reply:
        if int(case.id[1:]) % 5:
            raise CallError("timeout", "no answer", retryable=False)
        return Reply(text="yes", latency_ms=1.0)

    sink = MemorySink()
    report = asyncio.run(asyncio.wait_for(replay(plan(200, concurrency=2), LocalTarget(answer), sink), 60))
    assert report.tally.errors == {"timeout": 160}
    assert sink.answered("run-1") == {(f"c{number}", 0) for number in range(200)}
    assert len(sink.rows) == 200


def test_a_sink_that_fails_ends_the_run_and_what_is_committed_stays() -> None:
    def full(rows: Sequence[ScoredOutcome]) -> None:
        if len(sink.rows) >= 8:
            raise OSError(28, "no space left on device")

    async def held(case: Case, nth: int) -> Reply:
        return Reply(text="yes", latency_ms=1.0)

    sink = MemorySink(full)
    with pytest.raises(OSError, match="no space left") as raised:
        asyncio.run(asyncio.wait_for(replay(plan(100), LocalTarget(held), sink), 60))
    assert "answered calls are not committed; a resumed run repeats them" in raised.value.__notes__[0]
    assert len(sink.rows) >= 8
    sink._before = lambda rows: None
    report = asyncio.run(replay(plan(100), LocalTarget(says_yes), sink))
    assert report.skipped + report.outcomes == len(sink.rows) == 100


def test_a_sink_that_fails_while_held_back_failures_are_let_go_ends_the_run_too() -> None:
    def full(rows: Sequence[ScoredOutcome]) -> None:
        raise OSError(28, "no space left on device")

    async def answer(case: Case, nth: int) -> Reply:
        if case.id != "c0":
            raise CallError("auth", "HTTP 401", retryable=False)
        return Reply(text="yes", latency_ms=1.0)

    with pytest.raises(OSError, match="no space left"):
        asyncio.run(asyncio.wait_for(replay(plan(8, concurrency=1), LocalTarget(answer), MemorySink(full)), 60))


def test_a_sink_that_cannot_tell_what_is_answered_ends_the_run_before_any_call() -> None:
    class Unreadable(MemorySink):
        def answered(self, run_id: str) -> set[tuple[str, int]]:
            raise OSError("unreadable")

    target = LocalTarget(says_yes)
    with pytest.raises(OSError, match="unreadable"):
        asyncio.run(replay(plan(3), target, Unreadable()))
    assert not target.calls


class CountedCases:
    """Makes its cases as they are asked for, and counts them."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.made = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Case]:
        for number in range(self._count):
            self.made += 1
            yield case(number)

    def __contains__(self, item: object) -> bool:
        return item in cases(self._count)


def test_memory_and_uncommitted_calls_are_bounded_however_large_the_set() -> None:
    asked = CountedCases(3000)
    ahead, tasks = list[int](), set[int]()

    def look(rows: Sequence[ScoredOutcome]) -> None:
        ahead.append(asked.made - len(sink.rows))

    async def answer(case: Case, nth: int) -> Reply:
        tasks.add(len(asyncio.all_tasks()))
        return await says_yes(case, nth)

    sink = MemorySink(look)
    report = asyncio.run(replay(plan(asked, concurrency=8), LocalTarget(answer), sink))
    assert report.outcomes == 3000
    assert max(ahead) <= 16
    assert max(tasks) <= 8 + 4


def test_calls_go_on_during_a_commit_up_to_twice_the_concurrency() -> None:
    target_calls = threading.Semaphore(0)

    def wait_for_four_calls(rows: Sequence[ScoredOutcome]) -> None:
        if not sink.rows:
            assert all(target_calls.acquire(timeout=20) for _ in range(4))

    async def answer(case: Case, nth: int) -> Reply:
        target_calls.release()
        return Reply(text="yes", latency_ms=1.0)

    sink = MemorySink(wait_for_four_calls)  # its first commit holds two rows, and ends when two more calls were made
    report = asyncio.run(replay(plan(10, concurrency=2), LocalTarget(answer), sink))
    assert report.outcomes == 10


def test_a_reply_is_committed_while_others_still_hang() -> None:
    async def scenario() -> RunReport:
        loop, committed = asyncio.get_running_loop(), asyncio.Event()

        async def answer(case: Case, nth: int) -> Reply:
            if case.id != "c0":
                await committed.wait()
            return Reply(text="yes", latency_ms=1.0)

        sink = MemorySink(lambda rows: loop.call_soon_threadsafe(committed.set))
        return await asyncio.wait_for(replay(plan(4), LocalTarget(answer), sink), 60)

    assert asyncio.run(scenario()).outcomes == 4


def test_the_tally_of_a_resumed_run_covers_all_of_it() -> None:
    sink = MemorySink()
    asyncio.run(replay(plan(10), LocalTarget(says_yes), sink))
    del sink.rows[7:]
    tally = Tally()
    for row in sink.rows:
        tally.add(row)
    report = asyncio.run(replay(plan(10), LocalTarget(says_yes), sink, tally=tally))
    assert (report.outcomes, report.tally.outcomes) == (3, 10)


def test_a_set_that_is_answered_already_makes_no_call(tmp_path: Path) -> None:
    target = LocalTarget(says_yes)
    with JsonlSink(tmp_path / "o.jsonl") as sink:
        asyncio.run(replay(plan(5), target, sink))
        report = asyncio.run(replay(plan(5), target, sink))
    assert (report.outcomes, report.skipped, report.interrupted) == (0, 5, False)
    assert set(target.calls.values()) == {1}


def test_an_empty_set_is_done_at_once() -> None:
    report = asyncio.run(replay(plan(0), LocalTarget(says_yes), MemorySink()))
    assert (report.outcomes, report.interrupted) == (0, False)


@pytest.mark.parametrize("changes", [{"samples": 0}, {"concurrency": 0}])
def test_a_plan_that_asks_for_nothing_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ReplayError, match="run-1: samples and concurrency must be at least 1"):
        plan(3, **changes)
