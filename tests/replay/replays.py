"""Builders and small parts for tests of the runner."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from replay.call_log import CallLog
from replay.run.limits import Limits
from replay.run.pause import StopSignal
from replay.run.runner import Progress, RunPlan, RunReport, run
from replay.run.totals import Tally
from replay.scorers.base import Scorer, Stamped
from replay.sinks import JsonlSink, OutcomeSink
from replay.targets.base import CallContext, Target
from replay.targets.openai import OpenAISettings, OpenAITarget
from replay.types import Case, Message, Outcome, Reply, Score, ScoredOutcome, TargetConditions
from tests.replay.model_server import Answer, ModelServer

KEY = "sk-very-secret"
QUICK = Limits(max_attempts=3, call_timeout_s=20.0, backoff_base_s=0.001, backoff_cap_s=0.002)


def case(number: int) -> Case:
    return Case(id=f"c{number}", input=(Message(role="user", content=f"c{number}"),), references=("yes",))


def cases(count: int) -> list[Case]:
    return [case(number) for number in range(count)]


def plan(count: int | Collection[Case], *, concurrency: int = 4, samples: int = 1, run_id: str = "run-1") -> RunPlan:
    asked = cases(count) if isinstance(count, int) else count
    return RunPlan(run_id=run_id, trace_prefix="ab" * 8, cases=asked, samples=samples, concurrency=concurrency)


def settings(base_url: str, **changes: object) -> OpenAISettings:
    return OpenAISettings(**{"base_url": base_url, "model": "gpt-4", "api_key": KEY, "timeout_s": 10.0, **changes})  # type: ignore[arg-type]


class SaysYes(Stamped):
    """Passes the reply "yes"."""

    def __init__(self) -> None:
        super().__init__(name="says_yes", version="1")

    def score(self, case: Case, reply: Reply) -> Score:
        return self.passed("") if reply.text == "yes" else self.failed("wrong_answer", "")


async def replay(
    what: RunPlan,
    target: Target,
    sink: OutcomeSink,
    *,
    scorers: Sequence[Scorer] | None = None,
    limits: Limits = QUICK,
    on_progress: Progress | None = None,
    stop: StopSignal | None = None,
    rng: Random | None = None,
    tally: Tally | None = None,
    call_log: CallLog | None = None,
) -> RunReport:
    return await run(
        what,
        target,
        [SaysYes()] if scorers is None else scorers,
        sink,
        limits,
        now=lambda: datetime.now(UTC),
        monotonic=time.monotonic,
        rng=rng or Random(7),
        on_progress=on_progress,
        stop=stop,
        tally=tally,
        call_log=call_log,
    )


async def replay_over_http(what: RunPlan, base_url: str, sink: OutcomeSink, **options: object) -> RunReport:
    target = OpenAITarget(settings(base_url, concurrency=what.concurrency))
    try:
        return await replay(what, target, sink, **options)  # type: ignore[arg-type]
    finally:
        await target.aclose()


def kept(path: Path, run_id: str = "run-1") -> dict[tuple[str, int], ScoredOutcome]:
    with JsonlSink(path) as sink:
        return {(row.outcome.case_id, row.outcome.sample): row for row in sink.outcomes(run_id)}


def served(answer: Answer, what: Any, sink: Any, **options: object) -> tuple[RunReport, ModelServer]:
    async def scenario() -> tuple[RunReport, ModelServer]:
        async with ModelServer(answer) as server:
            return await replay_over_http(what, server.base_url, sink, **options), server

    return asyncio.run(scenario())


CONDITIONS = TargetConditions(
    kind="test",
    base_url="http://model.test/v1",
    model="m",
    system_prompt_hash=None,
    template_hash=None,
    prompt_id=None,
    prompt_version=None,
    temperature=None,
    top_p=None,
    max_tokens=None,
    seed=None,
)


class LocalTarget:
    """A target without a network, for what HTTP would make slow or vague."""

    def __init__(self, answer: Callable[[Case, int], Awaitable[Reply]]) -> None:
        self.conditions = CONDITIONS
        self.calls: Counter[tuple[str, int]] = Counter()
        self._answer = answer

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        self.calls[case.id, sample] += 1
        return await self._answer(case, self.calls[case.id, sample])

    async def aclose(self) -> None: ...


async def says_yes(case: Case, nth: int) -> Reply:
    await asyncio.sleep(0)
    return Reply(text="yes", latency_ms=1.0)


class MemorySink:
    """Keeps rows in a list; `before` is called at the start of each commit, in its thread."""

    def __init__(self, before: Callable[[Sequence[ScoredOutcome]], object] = lambda rows: None) -> None:
        self.rows: list[ScoredOutcome] = []
        self._before = before

    def answered(self, run_id: str) -> set[tuple[str, int]]:
        return {(row.outcome.case_id, row.outcome.sample) for row in self.rows}

    def commit(self, run_id: str, rows: Sequence[ScoredOutcome]) -> None:
        self._before(rows)
        self.rows.extend(rows)


def answered_row(number: int = 0, sample: int = 0, text: str = "yes", **reply: object) -> ScoredOutcome:
    said = Reply(**{"text": text, "latency_ms": 12.5, **reply})  # type: ignore[arg-type]
    return ScoredOutcome(outcome=_outcome(number, sample, said, None), scores=(SaysYes().score(case(number), said),))


def failed_row(number: int = 0, error_class: str = "connection") -> ScoredOutcome:
    return ScoredOutcome(outcome=_outcome(number, 0, None, error_class), scores=())


def _outcome(number: int, sample: int, reply: Reply | None, error_class: str | None) -> Outcome:
    return Outcome(
        case_id=f"c{number}",
        sample=sample,
        started_at=datetime(2026, 11, 21, 2, tzinfo=UTC),
        attempts=1,
        trace_id="ab" * 16,
        reply=reply,
        error_class=error_class,
        error_message=None if error_class is None else "it broke",
    )
