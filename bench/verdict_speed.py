"""Time the verdict of one run by the nights of its set: `python bench/verdict_speed.py`.

A store gets `--nights` complete runs of a set of `--cases` cases with one version, and their settled results. Then
`--rounds` more nights are added one by one, and the product's own loop judges each. The output is the CPU time and the
wall time of each verdict; the first one has the imports. `--most` is the limit in seconds of CPU time for the smallest
of the others; the exit code is 1 above it. `--profile` prints where the CPU time of the last verdict goes.
"""

import argparse
import cProfile
import pstats
import random
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from monitor.clock import SystemClock
from monitor.config.policy import to_policy
from monitor.config.tree import Config
from monitor.domain.evalset import SetKind
from monitor.domain.finding import Finding, SetReplay, Verdict
from monitor.domain.run import Run, RunState, Trigger
from monitor.domain.version import How, Version
from monitor.jobs.replay.rescoring import Rescoring
from monitor.jobs.verdict.experiments import InvestigationDependencies
from monitor.jobs.verdict.verdict_loop import VerdictLoop
from monitor.store.aggregates import settled_runs
from monitor.store.engine.database import Store
from monitor.store.findings import findings
from monitor.store.runs import outcomes, runs
from monitor.store.sets import sealed_sets
from monitor.store.traffic import versions
from replay.scorers.table import build_scorer
from replay.types import Case, Message, Outcome, Reply, Score, ScoredOutcome

NOW: Final = datetime(2026, 3, 1, tzinfo=UTC)
CATEGORIES: Final = 10


def _config() -> Config:
    return Config.model_validate(
        {
            "deployments": {"bot": {"target": "model", "sets": ["private"]}},
            "targets": {"model": {"base_url": "http://127.0.0.1:9/v1", "model": "gpt-4"}},
            "sets": {"private": {"kind": "dynamic", "scorers": [{"kind": "contains"}]}},
        }
    )


def write_nights(store: Store, nights: int, cases: int) -> str:
    """Write the set and its runs, one a day until `NOW`. Return the revision."""
    begin, rng = NOW - timedelta(days=nights), random.Random(1)
    questions = [
        Case(
            id=f"case-{n:05}",
            input=(Message(role="user", content=f"Question {n}"),),
            references=("yes",),
            category=f"category-{n % CATEGORIES}",
        )
        for n in range(cases)
    ]
    with store.write() as tx:
        revision, _ = sealed_sets.write_revision(
            tx, name="private", kind=SetKind.DYNAMIC, cases=questions, sealer=None, now=begin, origin="bench"
        )
        version = Version(
            id="v1", deployment="bot", label="gpt-4", identity={"response_model": "gpt-4"}, first_seen=begin,
            how=How.OBSERVED,
        )  # fmt: skip
        versions.insert(tx, version)
    for n in range(nights):
        write_night(store, n, begin + timedelta(days=n + 1), revision.revision, cases, rng)
        with store.write() as tx:
            findings.insert(tx, _finding(n, begin + timedelta(days=n + 1)))
    return revision.revision


def write_night(  # noqa: PLR0917 - a night in the order of its parts
    store: Store, n: int, at: datetime, revision: str, cases: int, rng: random.Random
) -> None:
    """Write a complete run with its settled results. A case fails with a probability of its own."""
    run = Run(
        id=f"run-{n:03}", deployment="bot", set_name="private", set_kind=SetKind.DYNAMIC, revision=revision,
        trigger=Trigger.SCHEDULED, planned_at=at, state=RunState.PLANNED, trace_prefix=f"{n:016x}",
        samples=1, cases=cases,
    )  # fmt: skip
    rows = [_outcome(f"case-{case:05}", at, passed=rng.random() >= (case % 20) / 100) for case in range(cases)]
    with store.write() as tx:
        runs.insert(tx, run)
        runs.set_running(tx, run.id, at)
        outcomes.append(tx, run.id, rows, None, all_new=True)
        runs.finish(tx, run.id, RunState.COMPLETE, "v1", at + timedelta(minutes=5), {"run_id": run.id}, None)
        settled_runs.settle(tx, 1)


def _outcome(case_id: str, at: datetime, *, passed: bool) -> ScoredOutcome:
    outcome = Outcome(
        case_id=case_id, sample=0, started_at=at, attempts=1, trace_id="0" * 32,
        reply=Reply(text="yes", latency_ms=400.0, model="gpt-4", cost_usd=0.01, input_tokens=90, output_tokens=30),
    )  # fmt: skip
    score = Score(
        scorer="contains", scorer_version="1", value=float(passed), label="pass" if passed else "fail",
        failure_category="none" if passed else "wrong_fact", reason="",
    )  # fmt: skip
    return ScoredOutcome(outcome=outcome, scores=(score,))


def _finding(n: int, at: datetime) -> Finding:
    return Finding(
        id=f"finding-{n:03}", deployment="bot", at=at + timedelta(minutes=6), signal="score", segment="overall",
        subject=SetReplay(set_name="private", set_kind=SetKind.DYNAMIC, candidate_run=f"run-{n:03}"),
        verdict=Verdict.OK, severity="info", reason="within the noise of this set", alpha=0.05,
    )  # fmt: skip


def measure(folder: Path, options: argparse.Namespace) -> list[float]:
    """Return the CPU seconds of each verdict."""
    store, took = Store.open(folder / "driftd.duckdb", clock=SystemClock()), []
    rng = random.Random(2)
    try:
        revision = write_nights(store, options.nights, options.cases)
        asks = InvestigationDependencies(rejudge_of=lambda _: Rescoring(store, [build_scorer("contains", {})], None))
        loop = VerdictLoop(store=store, policy=to_policy(_config()), clock=SystemClock(), dependencies=asks)
        for n in range(options.nights, options.nights + options.rounds):
            at = NOW + timedelta(days=n - options.nights + 1)
            write_night(store, n, at, revision, options.cases, rng)
            profiler = cProfile.Profile()
            if options.profile and n == options.nights + options.rounds - 1:
                profiler.enable()
            began_s, began_cpu_s = time.perf_counter(), time.process_time()
            judged = loop.step()
            took.append(time.process_time() - began_cpu_s)
            profiler.disable()
            print(f"{judged} verdict: {took[-1]:.3f} s CPU, {time.perf_counter() - began_s:.3f} s")
        if options.profile:
            pstats.Stats(profiler).sort_stats(pstats.SortKey.CUMULATIVE).print_stats(60)
    finally:
        store.close()
    return took


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nights", type=int, default=40, help="before the judged ones (%(default)s)")
    parser.add_argument("--cases", type=int, default=5_000, help="of the set (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="verdicts (%(default)s)")
    parser.add_argument("--most", type=float, default=0.3, help="seconds of CPU time (%(default)s)")
    parser.add_argument("--profile", action="store_true", help="profile the last verdict")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="driftd-verdict-") as folder:
        took = measure(Path(folder), options)
    print(f"smallest after the first: {min(took[1:]):.3f} s CPU (most {options.most} s)")
    return 0 if min(took[1:]) <= options.most else 1


if __name__ == "__main__":
    sys.exit(main())
