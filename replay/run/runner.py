"""The replay of a set against a target, with bounds on concurrency, memory and the calls that a kill repeats."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from replay.call_log import CallLog, CallRecorder
from replay.errors import ReplayError
from replay.run.attempts import CallSettings
from replay.run.budget import Account, Budget, BudgetTracker, Spent
from replay.run.coming_calls import ComingCalls
from replay.run.commit_buffer import Committer
from replay.run.limits import Limits
from replay.run.outage import OutageWatch
from replay.run.pause import Pause, StopSignal
from replay.run.rate_limit import Pace, PaceLimits, Pacer
from replay.run.totals import Tally
from replay.run.workers import WorkerPool
from replay.scorers.base import Scorer
from replay.self_report import Digest, SelfReport
from replay.sinks import OutcomeSink
from replay.targets.base import Target
from replay.traces import check_trace_prefix
from replay.types import Case, ScoredOutcome

__all__ = ["Limits", "OutcomeSink", "Progress", "RunPlan", "RunReport", "StopSignal", "run"]

Progress = Callable[[int, int], None]  # committed calls of the run, all its calls


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The calls of a run. Every trace id of the run begins with `trace_prefix`, 16 hex digits.

    `cases` is iterated once for each sample, so a run that ends early lacks whole samples first. It may be lazy,
    because no case is kept. The plan sets the order: with `fair_order` any prefix is a representative sample. With
    `digest`, the keyed digest of a sealed set, the values that an endpoint reports about itself are stored as
    identifiers or digests (`replay/self_report.py`). `repeated` are the ids of cases with one more sample than
    `samples`, numbered `samples`. The number of the first sample is `first_sample`: a plan for more samples of the same
    run continues after those that the run has.
    """

    run_id: str
    trace_prefix: str
    cases: Collection[Case]
    samples: int = 1
    first_sample: int = 0
    repeated: Collection[str] = frozenset()
    concurrency: int = 16
    budget: Budget = field(default_factory=Budget)
    expected: Spent | None = None  # expected use of a request before the first reply
    spent: Spent | None = None  # by earlier starts of the run; default: the sum of its outcomes
    shared: Sequence[Account] = ()  # budgets that the run shares with others
    pace: PaceLimits = field(default_factory=PaceLimits)
    digest: Digest | None = None

    def __post_init__(self) -> None:
        check_trace_prefix(self.trace_prefix)
        if self.samples < 1 or self.concurrency < 1:
            raise ReplayError(f"run {self.run_id}: samples and concurrency must be at least 1")

    @property
    def calls(self) -> int:
        return len(self.cases) * self.samples + len(self.repeated)

    def samples_of(self, case: Case) -> int:
        return self.samples + (case.id in self.repeated)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """What this process committed. `skipped` calls were committed by an earlier start of the run.

    `stopped_by` is the limit of the budget that ended the run; it executed the cases in the order of the plan up to
    there.
    """

    outcomes: int
    skipped: int
    interrupted: bool
    stopped_by: str | None
    started_at: datetime
    finished_at: datetime
    tally: Tally
    spent: Spent


async def run(
    plan: RunPlan,
    target: Target,
    scorers: Sequence[Scorer],
    sink: OutcomeSink,
    limits: Limits,
    *,
    now: Callable[[], datetime],
    monotonic: Callable[[], float],
    rng: Random,
    on_progress: Progress | None = None,
    stop: StopSignal | None = None,
    tally: Tally | None = None,
    call_log: CallLog | None = None,
    pacer: Pacer | None = None,
) -> RunReport:
    """Execute every sample of every case that the sink does not have yet; score, commit, report.

    `stop` ends the run gracefully: calls in flight finish and are committed, waiting ones are dropped. A cancellation
    abandons the calls in flight and commits the answers. Raises TargetError in an outage (OutageWatch), and the
    exceptions of the sink. Commits before that are kept, and the same plan resumes the run.

    With a `call_log` every request is recorded before it is sent, so the log never has fewer requests than the target
    received. Up to `plan.concurrency` requests are recorded before they are due. A run that ends early takes those back
    that were not sent; a killed one cannot.

    `pacer` replaces the pace of the plan where several processes share the limits of the target.

    Each committed outcome is added to `tally`. For a resumed run pass one with the outcomes that were committed before
    (or use `report.tally` for those of this start).
    """
    started_at = now()
    answered = await asyncio.to_thread(sink.answered, plan.run_id)
    tally = Tally() if tally is None else tally
    tracker = BudgetTracker(
        plan.budget, monotonic, spent=plan.spent or _spent(tally), expected=plan.expected, shared=plan.shared
    )
    ledger = _Ledger(plan.calls, on_progress, tally)
    coming = ComingCalls(ledger.without(_calls(plan), answered), plan.concurrency, tracker)
    calls = CallRecorder(call_log, plan.run_id, now, coming)
    asking = CallSettings(
        run_id=plan.run_id,
        trace_prefix=plan.trace_prefix,
        target=target,
        limits=limits,
        pause=Pause(monotonic, stop),
        pace=Pace(plan.pace, monotonic) if pacer is None else pacer,
        tracker=tracker,
        calls=calls,
        rng=rng,
        now=now,
        self_report=None if plan.digest is None else SelfReport(digest=plan.digest, model=target.conditions.model),
    )
    committer = Committer(sink, plan.run_id, plan.concurrency, limits, ledger.book)
    outages = OutageWatch(target.conditions, plan.concurrency, answered_before=bool(answered))
    pool = WorkerPool(asking, scorers, outages=outages, committer=committer)
    try:
        await pool.work(coming, plan.concurrency)
    finally:
        await calls.close()
    complete = ledger.done >= plan.calls
    return RunReport(
        outcomes=ledger.committed,
        skipped=ledger.skipped,
        interrupted=not complete and tracker.empty is None,
        stopped_by=None if complete else tracker.empty,
        started_at=started_at,
        finished_at=now(),
        tally=ledger.tally,
        spent=tracker.spent,
    )


def _calls(plan: RunPlan) -> Iterator[tuple[Case, int]]:
    rounds = plan.samples + bool(plan.repeated)
    return (
        (case, plan.first_sample + nth) for nth in range(rounds) for case in plan.cases if nth < plan.samples_of(case)
    )


def _spent(tally: Tally) -> Spent:
    return Spent(requests=tally.requests, tokens=tally.input_tokens + tally.output_tokens, usd=tally.cost_usd or 0.0)


class _Ledger:
    """The progress of the run."""

    def __init__(self, calls: int, on_progress: Progress | None, tally: Tally) -> None:
        self.tally = tally
        self.committed = 0
        self.skipped = 0
        self._calls = calls
        self._on_progress = on_progress

    @property
    def done(self) -> int:
        return self.committed + self.skipped

    def without(
        self, calls: Iterable[tuple[Case, int]], answered: Collection[tuple[str, int]]
    ) -> Iterator[tuple[Case, int]]:
        """Yield the calls that remain, and count the others."""
        for case, sample in calls:
            if (case.id, sample) in answered:
                self.skipped += 1
            else:
                yield case, sample

    def book(self, rows: Sequence[ScoredOutcome]) -> None:
        for row in rows:
            self.tally.add(row)
        self.committed += len(rows)
        if self._on_progress is not None:
            self._on_progress(self.done, self._calls)
