"""Replays the cases of one run. Stored outcomes are not requested again."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random

from monitor.clock import Clock
from monitor.domain.evalset import CaseKey
from monitor.domain.policy import Policy
from monitor.domain.run import Run
from monitor.jobs.replay.cancel import until_cancelled
from monitor.jobs.replay.dependencies import ReplayDependencies
from monitor.jobs.replay.finish import ReplayResult
from monitor.jobs.replay.first_part import FirstLooks
from monitor.jobs.replay.forecast import expected
from monitor.jobs.replay.metered import MeteredSink, MeteredTarget
from monitor.jobs.replay.outcome_sink import StoreSink, endpoint_of
from monitor.jobs.replay.run_queue import RunQueue
from monitor.jobs.replay.slicing import NoWorkers, Part, Workers, tally_of
from monitor.jobs.replay.spending import Spending
from monitor.jobs.replay.stored_cases import StoredCases
from monitor.jobs.verdict.severity_gate import samples_to_add
from monitor.store.engine.database import Store
from monitor.store.runs import runs
from monitor.store.sets import sealed_sets
from monitor.telemetry import Recorder
from replay.errors import OutageError
from replay.evalsets.sealing import Sealer
from replay.run.budget import Budget
from replay.run.case_order import fair_order
from replay.run.repeats import repeated_cases
from replay.run.runner import RunPlan, RunReport
from replay.run.runner import run as run_replay
from replay.run.totals import Tally
from replay.scorers.base import Scorer
from replay.scorers.must import forbidden_categories
from replay.types import Case, Severity, TargetConditions

log = logging.getLogger(__name__)
NO_TIME = 1e-9  # a budget of 0 seconds is not valid


class RunExecutor:
    """Executes the runs of one replay loop."""

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        dependencies: ReplayDependencies,
        queue: RunQueue,
        spending: Spending,
        telemetry: Recorder,
        workers: Workers | None = None,
    ) -> None:
        self._workers = workers
        self._store, self._policy, self._clock, self._dependencies = store, policy, clock, dependencies
        self._queue, self._spending, self._telemetry = queue, spending, telemetry
        self._first_looks = FirstLooks(store=store, policy=policy, clock=clock, telemetry=telemetry)

    def execute(self, run: Run) -> ReplayResult:
        """Replay the cases that have no outcome yet, within the budgets. Raise RunCancelled once a person cancels the
        run.
        """
        sealer = self._dependencies.sealer_of(run.set_name)
        with self._telemetry.span("replay.load"), self._store.read() as tx:
            opener = sealed_sets.opener_of(tx, run.set_name, run.revision, sealer)
            keys = fair_order(sealed_sets.case_keys(tx, run.set_name, run.revision), run.id)
        tally = tally_of(self._store, run.id)
        cases = StoredCases(self._store, run.set_name, run.revision, opener, (key.position for key in keys))
        repeated = _repeated(run, keys)
        part = self._first_looks.plan(run, keys, repeated)
        critical = {key.id: key.position for key in keys if key.severity is Severity.CRITICAL}
        del keys  # of a large set they are the most there is
        scorers = self._dependencies.charge(self._dependencies.scorers_of(run.set_name), run)
        concurrency = self._dependencies.concurrency_of(run.deployment)
        log.info("run %s: %d cases of %s against %s", run.id, len(cases), run.set_name, run.deployment)
        replay = partial(
            self._replay_part,
            run,
            scorers=scorers,
            sealer=sealer,
            tally=tally,
            concurrency=concurrency,
            forecast_of=None if run.forecast is not None else cases,  # stored before its first start
            began=self._clock.monotonic(),
        )
        with self._telemetry.span("replay.execute"):
            if part is None:
                report, conditions = replay(cases, repeated)
            else:
                first = StoredCases(self._store, run.set_name, run.revision, opener, part.positions)
                report, conditions = replay(first, part.repeated)
                if _is_complete(report):
                    self._first_looks.take(run, part)
                    rest, conditions = replay(cases, repeated, forecast_of=None)
                    report = _joined(report, rest)
        if _is_complete(report):
            for plan in self._gate_plans(run, critical, opener, scorers):
                report = self._with_gate_samples(run, report, plan, scorers, sealer=sealer, concurrency=concurrency)
        return ReplayResult(report=report, conditions=conditions, scorers=scorers, concurrency=concurrency)

    def _gate_plans(
        self, run: Run, critical: Mapping[str, int], opener: Sealer | None, scorers: Sequence[Scorer]
    ) -> list[tuple[StoredCases, int]]:
        """Return the critical cases that the severity gate needs more samples of, with the number of samples."""
        policy = self._policy.deployments[run.deployment].drift
        with self._store.read() as tx:
            wanted = samples_to_add(tx, run, policy, forbidden_categories(scorers))
        positions: dict[int, list[int]] = defaultdict(list)
        for case_id, samples in wanted.items():
            positions[samples].append(critical[case_id])
        return [
            (StoredCases(self._store, run.set_name, run.revision, opener, sorted(places)), samples)
            for samples, places in sorted(positions.items())
        ]

    def _with_gate_samples(
        self,
        run: Run,
        report: RunReport,
        plan: tuple[StoredCases, int],
        scorers: Sequence[Scorer],
        *,
        sealer: Sealer | None,
        concurrency: int,
    ) -> RunReport:
        """Return the report after more samples of some cases. Neither an outage nor a budget that ends them makes the
        run incomplete: the severity gate reports the samples that are missing.

        Their numbers are above those of samples and repeats, so no other statistic counts them.
        """
        cases, samples = plan
        log.info("run %s: %d more samples of %d cases for the severity gate", run.id, samples, len(cases))
        try:
            with self._telemetry.span("replay.severity_gate"):
                more, _ = self._replay_part(
                    run,
                    cases,
                    (),
                    scorers=scorers,
                    sealer=sealer,
                    tally=report.tally,
                    concurrency=concurrency,
                    samples=samples,
                    first_sample=run.samples + 1,
                )
        except OutageError as error:
            log.warning("run %s: no more samples for the severity gate: %s", run.id, error)
            return report
        committed, skipped = report.outcomes + more.outcomes, report.skipped + more.skipped
        return replace(
            report,
            outcomes=committed,
            skipped=skipped,
            interrupted=more.interrupted,
            tally=more.tally,
            spent=more.spent,
        )

    def _replay_part(
        self,
        run: Run,
        cases: StoredCases,
        repeated: Collection[str],
        *,
        scorers: Sequence[Scorer],
        sealer: Sealer | None,
        tally: Tally,
        concurrency: int,
        samples: int | None = None,
        first_sample: int = 0,
        forecast_of: Collection[Case] | None = None,
        began: float | None = None,
    ) -> tuple[RunReport, TargetConditions]:
        """Replay cases. `forecast_of` are those of the whole run while it has no forecast. Since `began`, the limit of
        seconds of this start counts.
        """
        target = MeteredTarget(self._dependencies.target_of(run.deployment), self._telemetry, run.deployment)
        conditions, samples = target.conditions, run.samples if samples is None else samples
        if forecast_of is not None:
            self._expect(run, forecast_of, conditions, concurrency)
        budget = self._left_of(self._policy.deployments[run.deployment].replay.budget, began)
        if self._workers is not None and self._workers.available:
            asyncio.run(target.aclose())
            part = Part(positions=cases.positions, repeated=repeated, samples=samples, first_sample=first_sample)
            signals = self._queue.signals(run)
            try:
                report = self._workers.replay(run, part, budget=budget, concurrency=concurrency, signals=signals)
            except NoWorkers:
                log.warning("run %s: no process of the role work is left; this process replays the rest", run.id)
                tally = tally_of(self._store, run.id)
                target = MeteredTarget(self._dependencies.target_of(run.deployment), self._telemetry, run.deployment)
            else:
                return report, conditions
        plan = RunPlan(
            run_id=run.id,
            trace_prefix=run.trace_prefix,
            cases=cases,
            samples=samples,
            first_sample=first_sample,
            repeated=repeated,
            concurrency=concurrency,
            budget=budget,
            expected=self._spending.most_expensive_reply(run.deployment),
            pace=self._dependencies.pace_of(run.deployment),
            digest=None if sealer is None else sealer.mac,
        )
        return asyncio.run(self._replay(run, plan, target, scorers=scorers, sealer=sealer, tally=tally)), conditions

    async def _replay(
        self,
        run: Run,
        plan: RunPlan,
        target: MeteredTarget,
        *,
        scorers: Sequence[Scorer],
        sealer: Sealer | None,
        tally: Tally,
    ) -> RunReport:
        """Execute a plan in this process."""
        signals, shared = self._queue.signals(run), self._spending.accounts(run.deployment)
        spent = self._spending.of_run(run.id)  # after the accounts: they charge what a killed process has sent
        try:
            work = run_replay(
                replace(plan, shared=shared, spent=spent),
                target,
                scorers,
                MeteredSink(StoreSink(self._store, sealer), self._telemetry, run.deployment),
                self._dependencies.limits_of(run.deployment),
                now=self._clock.now,
                monotonic=self._clock.monotonic,
                rng=Random(run.id),  # noqa: S311  jitter between retries, not a secret
                stop=signals,
                tally=tally,
                call_log=self._spending.call_log(run.deployment, endpoint_of(run, target.conditions)),
            )
            return await until_cancelled(work, signals.cancelled)
        finally:
            await target.aclose()

    def _left_of(self, budget: Budget, began: float | None) -> Budget:
        """Return the budget with the seconds that are left of it."""
        if budget.seconds is None or began is None:
            return budget
        return replace(budget, seconds=max(budget.seconds - (self._clock.monotonic() - began), NO_TIME))

    def _expect(self, run: Run, cases: Collection[Case], conditions: TargetConditions, concurrency: int) -> None:
        with self._store.write() as tx:
            prices = self._dependencies.prices_of(run.deployment)
            runs.set_forecast(tx, run.id, expected(tx, run, cases, conditions, concurrency=concurrency, prices=prices))


def _is_complete(report: RunReport) -> bool:
    return not report.interrupted and report.stopped_by is None


def _joined(part: RunReport, whole: RunReport) -> RunReport:
    """Return the report of the whole run, which skipped what its first part committed."""
    return replace(
        whole,
        outcomes=part.outcomes + whole.outcomes,
        skipped=whole.skipped - part.outcomes,
        started_at=part.started_at,
    )


def _repeated(run: Run, cases: Sequence[CaseKey]) -> Collection[str]:
    """Return the repeated cases. They depend on the stored run and its revision only, so a restart repeats the same
    cases.
    """
    return repeated_cases({case.id: case.category for case in cases}, run.repeats, run.repeat_offset, run.set_name)
