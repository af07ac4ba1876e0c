"""Replays a run through other processes: plans its slices, and waits for them."""

import logging
from time import sleep

from monitor.clock import Clock
from monitor.domain.policy import Policy
from monitor.domain.run import Run
from monitor.domain.slice import SlicedBudget, SlicedRun, SliceProgress
from monitor.jobs.replay.cancel import GRACE_S, RunCancelled, RunInterrupted
from monitor.jobs.replay.run_queue import Signals
from monitor.jobs.replay.slicing import NoWorkers, Part, slices_of, tally_of
from monitor.jobs.replay.spending import Spending
from monitor.store.engine.database import Store
from monitor.store.lake.slices import SlicePlans
from monitor.store.runs import outcomes
from monitor.store.sets import sealed_sets
from replay.errors import OutageError, ReplayError
from replay.run.budget import Budget
from replay.run.runner import RunReport

log = logging.getLogger(__name__)
POLL_S = 0.5
ABSENT_S = 30.0  # without a worker, until this process replays the rest


class SlicedReplay:
    """The replays of the process that leads, through processes of the role `work`."""

    def __init__(self, *, store: Store, plans: SlicePlans, policy: Policy, clock: Clock, spending: Spending) -> None:
        self._store, self._plans, self._policy, self._clock, self._spending = store, plans, policy, clock, spending

    @property
    def available(self) -> bool:
        """Return whether a process replays slices now."""
        return self._plans.workers() > 0

    def replay(self, run: Run, part: Part, *, budget: Budget, concurrency: int, signals: Signals) -> RunReport:
        """Replay the calls of a part that have no outcome. Slices that an earlier leader planned end first.

        Raises NoWorkers when all workers are gone, RunInterrupted when this process stops or does not lead any more,
        RunCancelled, and ReplayError as a run in one process does.
        """
        started_at, before = self._clock.now(), self._spending.of_run(run.id)
        expected = self._spending.most_expensive_reply(run.deployment)
        self._spending.accounts(run.deployment)  # they exist when the spending of the workers is added
        try:
            ended = self._wait(run, budget, signals)
            with self._store.read() as tx:
                keys = sealed_sets.case_keys(tx, run.set_name, run.revision)
                stored = outcomes.answered(tx, run.id)
            planned = slices_of(part, keys, stored, self._plans.workers())
            if planned and (ended is None or ended.wanted):
                sliced = SlicedRun(
                    run_id=run.id,
                    deployment=run.deployment,
                    target=self._policy.deployments[run.deployment].target,
                    concurrency=concurrency,
                    budgets=self._budgets(run, budget),
                    expected=expected,
                    seconds=budget.seconds,
                )
                log.info("run %s: %d slices for other processes", run.id, len(planned))
                self._plans.plan(sliced, planned)
                ended = self._wait(run, budget, signals)
        except (NoWorkers, RunCancelled):
            self._plans.remove(run.id)
            self._spending.add(run, before)
            raise
        self._plans.remove(run.id)
        spent = self._spending.add(run, before)
        if ended is not None and ended.problem is not None:
            raise (OutageError if ended.outage else ReplayError)(ended.problem)
        with self._store.read() as tx:
            answered = outcomes.answered(tx, run.id)
        complete = not slices_of(part, keys, answered, 1)
        stopped_by = None if complete or ended is None else ended.stopped_by
        return RunReport(
            outcomes=len(answered) - len(stored),
            skipped=len(stored),
            interrupted=not complete and stopped_by is None,
            stopped_by=stopped_by,
            started_at=started_at,
            finished_at=self._clock.now(),
            tally=tally_of(self._store, run.id),
            spent=spent,
        )

    def _wait(self, run: Run, budget: Budget, signals: Signals) -> SliceProgress | None:
        """Wait until the slices of a run are done or must end. Return their state, None when it has none."""
        alone_since: float | None = None
        while True:
            found = self._plans.progress(run.id, self._budgets(run, budget))
            if found is None or (not found.at_work and (not found.open or not found.wanted)):
                return found
            if signals.cancelled.is_set():
                self._end_calls(run, budget)
                raise RunCancelled
            if signals.is_set():  # another process leads soon, and continues to wait for them
                raise RunInterrupted
            now = self._clock.monotonic()
            if found.at_work or self._plans.workers():
                alone_since = None
            elif alone_since is None:
                alone_since = now
            elif now - alone_since > ABSENT_S:
                raise NoWorkers
            signals.stopping.wait(POLL_S)

    def _end_calls(self, run: Run, budget: Budget) -> None:
        """Let calls in flight end for a few seconds, because the provider bills them."""
        self._plans.stop(run.id)
        until = self._clock.monotonic() + GRACE_S
        while self._clock.monotonic() < until:
            found = self._plans.progress(run.id, self._budgets(run, budget))
            if found is None or not found.at_work:
                break
            sleep(POLL_S)

    def _budgets(self, run: Run, budget: Budget) -> list[SlicedBudget]:
        """Return the budgets that count now."""
        now, periods = self._clock.now(), self._policy.deployments[run.deployment].replay.periods
        return [SlicedBudget(budget=budget)] + [
            SlicedBudget(budget=limit, period=period.suffix, since=period.begin(now).isoformat())
            for period, limit in periods.items()
        ]
