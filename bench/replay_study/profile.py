"""Where the CPU time of a case goes: one part more at a time, and inside the event loop and the sink by cProfile."""

import asyncio
import cProfile
import pstats
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from bench.drift_study.markdown import table
from bench.replay_study.endpoint import MODEL
from bench.replay_study.endpoint_process import EndpointProcess, running_endpoint
from bench.replay_study.jobs import Job
from bench.replay_study.questions import question, right_answer
from monitor.clock import SystemClock
from monitor.jobs.replay.metered import MeteredSink, MeteredTarget
from monitor.jobs.replay.outcome_sink import StoreSink
from monitor.store.engine.database import Store
from monitor.telemetry.instruments import Telemetry
from replay.run.limits import Limits
from replay.run.runner import RunPlan
from replay.run.runner import run as run_replay
from replay.scorers.table import build_scorer
from replay.sinks import JsonlSink, OutcomeSink
from replay.targets.base import CallContext, Target
from replay.targets.table import build_target
from replay.types import Case, Message, ScoredOutcome

ROWS = 14


class Forgetting:
    """A sink that keeps nothing."""

    def answered(self, run_id: str) -> set[tuple[str, int]]:  # noqa: ARG002 (the Protocol's signature)
        return set()

    def commit(self, run_id: str, rows: Sequence[ScoredOutcome]) -> None:
        pass


class Profiled:
    """A sink whose commits are profiled, in the thread they run in."""

    def __init__(self, sink: OutcomeSink, profiler: cProfile.Profile) -> None:
        self._sink, self._profiler = sink, profiler

    def answered(self, run_id: str) -> set[tuple[str, int]]:
        return self._sink.answered(run_id)

    def commit(self, run_id: str, rows: Sequence[ScoredOutcome]) -> None:
        self._profiler.enable()
        try:
            self._sink.commit(run_id, rows)
        finally:
            self._profiler.disable()


def profile(job: Job) -> str:
    """Two tables of milliseconds a case. The second and third are made under the profiler, which makes all slower."""
    cases = cases_of(job)
    with running_endpoint() as endpoint, tempfile.TemporaryDirectory(prefix="driftd-bench-") as name:
        steps = [
            [what, f"{1000 * took_s / job.cases:.3f}"] for what, took_s in _steps(Path(name), job, cases, endpoint)
        ]
        made = [table("One part more at a time", ["part", "CPU a case, ms"], steps)]
        for what, found in _profiles(Path(name), job, cases, endpoint):
            made.append(table(what, ["where", "own time a case, ms"], rows_of(pstats.Stats(found), job.cases)))
    return "".join(made)


def cases_of(job: Job) -> list[Case]:
    return [
        Case(
            id=f"case-{number}",
            input=(Message(role="user", content=question(number)),),
            references=(right_answer(number),),
        )
        for number in range(1, job.cases + 1)
    ]


def _steps(folder: Path, job: Job, cases: list[Case], endpoint: EndpointProcess) -> Iterator[tuple[str, float]]:
    telemetry = Telemetry()
    yield "the target alone", _cpu_s(endpoint, job, lambda: asyncio.run(_target_alone(job, cases, endpoint)))
    yield "with the runner", _cpu_s(endpoint, job, lambda: _run(job, cases, endpoint, Forgetting()))
    with JsonlSink(folder / "outcomes.jsonl") as sink:
        yield "with a JSONL sink", _cpu_s(endpoint, job, lambda: _run(job, cases, endpoint, sink))
    with opened(folder / "plain.duckdb") as store:
        kept = StoreSink(store, None)
        yield "with the store's sink instead", _cpu_s(endpoint, job, lambda: _run(job, cases, endpoint, kept))
    with opened(folder / "metered.duckdb") as store:
        metered = MeteredSink(StoreSink(store, None), telemetry, "bench")
        yield (
            "and telemetry",
            _cpu_s(endpoint, job, lambda: _run(job, cases, endpoint, metered, telemetry=telemetry)),
        )
    telemetry.close()


def _profiles(
    folder: Path, job: Job, cases: list[Case], endpoint: EndpointProcess
) -> Iterator[tuple[str, cProfile.Profile]]:
    loop = cProfile.Profile()
    endpoint.begin(job.latency_ms)
    with JsonlSink(folder / "profiled.jsonl") as sink:
        loop.enable()
        _run(job, cases, endpoint, sink)
        loop.disable()
        yield "The event loop", loop
    with JsonlSink(folder / "commits.jsonl") as sink:
        commits = cProfile.Profile()
        _run(job, cases, endpoint, Profiled(sink, commits))
        yield "The commits of the JSONL sink", commits
    with opened(folder / "profiled.duckdb") as store:
        commits = cProfile.Profile()
        _run(job, cases, endpoint, Profiled(StoreSink(store, None), commits))
        yield "The commits of the store's sink", commits


def rows_of(stats: pstats.Stats, cases: int) -> list[list[str]]:
    """The dearest rooms and files: own time in milliseconds a case.

    Our own code is told file by file, other packages as a whole, and what is built in by its name.
    """
    spent: Counter[str] = Counter()
    for (path, _line, name), (_calls, _primitive, own_s, _whole_s, _callers) in stats.stats.items():  # type: ignore[attr-defined]  # typeshed has no stats
        spent[room_of(path, name)] += own_s
    return [[room, f"{1000 * own_s / cases:.3f}"] for room, own_s in spent.most_common(ROWS)]


def room_of(path: str, name: str) -> str:
    """Whose code it is.

    >>> room_of("/a/site-packages/aiohttp/client.py", "request"), room_of("/b/replay/run/workers.py", "work")
    ('aiohttp', 'replay/run/workers.py')
    >>> room_of("~", "<method 'poll' of 'select.epoll' objects>"), room_of("/usr/lib/python3/json/encoder.py", "encode")
    ("<method 'poll' of 'select.epoll' objects>", 'json')
    """
    parts = Path(path).parts
    if "site-packages" in parts:
        return parts[parts.index("site-packages") + 1]
    for ours in ("replay", "monitor"):
        if ours in parts:
            return "/".join(parts[len(parts) - 1 - parts[::-1].index(ours) :])
    return name if path == "~" else parts[-2] if len(parts) > 1 else path


def _cpu_s(endpoint: EndpointProcess, job: Job, work: Callable[[], object]) -> float:
    """Of all threads of this process."""
    endpoint.begin(job.latency_ms)
    before_s = time.process_time()
    work()
    return time.process_time() - before_s


def _target(job: Job, endpoint: EndpointProcess) -> Target:
    options = {"base_url": endpoint.base_url, "model": MODEL, "concurrency": job.concurrency}
    return build_target("openai", options)


async def _target_alone(job: Job, cases: list[Case], endpoint: EndpointProcess) -> None:
    target, left = _target(job, endpoint), iter(cases)

    async def work() -> None:
        for case in left:
            await target.call(case, 0, CallContext(run_id="bench", trace_id="ab" * 16, span_id="cd" * 8))

    try:
        await asyncio.gather(*(work() for _ in range(job.concurrency)))
    finally:
        await target.aclose()


def _run(
    job: Job, cases: list[Case], endpoint: EndpointProcess, sink: OutcomeSink, *, telemetry: Telemetry | None = None
) -> None:
    async def replay() -> None:
        target = _target(job, endpoint)
        asked = target if telemetry is None else MeteredTarget(target, telemetry, "bench")
        try:
            await run_replay(
                RunPlan(run_id="bench", trace_prefix="ab" * 8, cases=cases, concurrency=job.concurrency),
                asked,
                [build_scorer("exact", {})],
                sink,
                Limits(),
                now=lambda: datetime.now(UTC),
                monotonic=time.monotonic,
                rng=Random(1),
            )
        finally:
            await target.aclose()

    asyncio.run(replay())


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    store = Store.open(path, clock=SystemClock())
    try:
        yield store
    finally:
        store.close()
