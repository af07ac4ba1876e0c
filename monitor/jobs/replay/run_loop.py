"""Executes planned runs, one at a time in each loop, and records the version that answered."""

import logging
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

from opentelemetry.trace import Span, SpanContext

from monitor.clock import Clock
from monitor.domain.budgets import spent_reason
from monitor.domain.policy import Policy, refusal
from monitor.domain.run import Run, RunState, Trigger
from monitor.errors import Retryable
from monitor.jobs.replay.cancel import RunCancelled, RunInterrupted
from monitor.jobs.replay.crash_limit import REPLAYING, CrashLimit
from monitor.jobs.replay.dependencies import ReplayDependencies
from monitor.jobs.replay.finish import ReplayResult, RunFinalizer
from monitor.jobs.replay.run_executor import RunExecutor
from monitor.jobs.replay.run_queue import RunQueue
from monitor.jobs.replay.slicing import Workers
from monitor.jobs.replay.spending import Spending
from monitor.store.engine.database import Store
from monitor.store.runs import runs
from monitor.store.traffic import versions
from monitor.telemetry import NO_TELEMETRY, Recorder, call_context, mark_failed
from replay.errors import OutageError, ReplayError
from replay.run.runner import RunReport

log = logging.getLogger(__name__)
CALLS_LINKED = 8  # the first calls of a new version


class ReplayLoop:
    """Turns planned runs into outcomes. A run in the state `running` was interrupted and continues where it stopped.

    One loop works on one run at a time. Loops that share `RunQueue` work in parallel.
    """

    poll_s = 2.0

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        dependencies: ReplayDependencies,
        queue: RunQueue,
        spending: Spending,
        code_version: str,
        number: int = 1,
        workers: Workers | None = None,
        telemetry: Recorder = NO_TELEMETRY,
    ) -> None:
        """`workers` are other processes that replay the calls while there are any."""
        self.name = loop_name(number)
        self._store, self._policy, self._clock, self._dependencies, self._queue = (
            store,
            policy,
            clock,
            dependencies,
            queue,
        )
        self._spending, self._code_version, self._telemetry = spending, code_version, telemetry
        for deployment in policy.deployments:  # a rate needs the zero before the first count
            for state in (RunState.COMPLETE, RunState.FAILED, RunState.CANCELLED):
                telemetry.count("driftd.replay.runs", 0, {"deployment": deployment, "state": state.value})
        self._executor = RunExecutor(
            store=store,
            policy=policy,
            clock=clock,
            dependencies=dependencies,
            queue=queue,
            spending=spending,
            telemetry=telemetry,
            workers=workers,
        )
        self._crash_limit = CrashLimit(store, clock, telemetry)

    def step(self) -> int:
        run = self._queue.take(self._store, self._clock)
        if run is None:
            return 0
        try:
            return self._take_up(run)
        except Retryable:
            raise
        except Exception as error:  # noqa: BLE001  whatever one run breaks, the others go on
            self._crash_limit.crashed(run, REPLAYING, error)
            return 1
        finally:
            self._queue.release(run)

    def _take_up(self, run: Run) -> int:
        if run.deployment not in self._policy.deployments or run.set_name not in self._policy.sets:
            self._fail(run, "its deployment or set is no longer configured")
            return 1
        refused = refusal(self._policy.deployments[run.deployment], self._policy.sets[run.set_name])
        if refused is not None:
            self._fail(run, refused)
            return 1
        started_at = run.started_at or self._clock.now()
        with self._store.write() as tx:
            now = runs.get(tx, run.id)
            if now is None or now.state not in (RunState.PLANNED, RunState.RUNNING):
                return 1  # cancelled since it was read, or an erasure removed all of its cases
            run = now  # an erasure may have removed some cases: the rest is another revision
            runs.set_running(tx, run.id, started_at)
        self._dependencies.announce()
        with self._replaying(run) as span:
            handled = self._carry_out(run, started_at, span)
        self._spending.fold(run.id)
        return handled

    def _replaying(self, run: Run) -> AbstractContextManager[Span]:
        """Return the span of this start: the root of the trace of the run, or a child of it after the first start."""
        first = run.started_at is None
        links: list[SpanContext] = []
        if run.change_id is not None:
            with self._store.read() as tx:
                calls = versions.first_calls(tx, run.change_id, CALLS_LINKED)
            links = [context for ids in calls if (context := call_context(*ids)) is not None]
        return self._telemetry.span(
            "replay.run",
            _run_attributes(run),
            links=links,
            starts_trace=run.id if first else None,
            in_trace=None if first else run.id,
        )

    def _carry_out(self, run: Run, started_at: datetime, span: Span) -> int:
        try:
            result = self._executor.execute(run)
        except RunCancelled:
            log.info("run %s was cancelled; its outcomes stay", run.id)
            self._count(run, RunState.CANCELLED)
            return 1
        except RunInterrupted:
            return 0
        except ReplayError as error:
            mark_failed(span, error)
            if not self._postpone(run, error):
                self._fail(run, self._with_budget(run, str(error)))
            return 1
        span.set_attributes(_result_attributes(result.report))
        if result.report.interrupted:
            return 0
        if result.report.stopped_by is not None and not result.report.tally.answered:
            self._fail(run, self._with_budget(run, run.error, result.report.stopped_by))
            return 1
        with self._telemetry.span("replay.finish"):
            self._finish(run, result, started_at)
        return 1

    def _postpone(self, run: Run, error: ReplayError) -> bool:
        """Return whether the run is retried later: no person waits for it, and the failure may be temporary."""
        policy = self._policy.deployments[run.deployment].replay
        if not isinstance(error, OutageError) or run.trigger is Trigger.MANUAL or run.retries >= policy.retries:
            return False
        if self._spending.limit_met(run) is not None:
            return False
        until = self._clock.now() + timedelta(seconds=policy.retry_s * 2.0**run.retries)
        log.warning("run %s is retried at %s: %s", run.id, until, error)
        with self._store.write() as tx:
            if not runs.is_open(tx, run.id):
                return True
            runs.postpone(tx, run.id, until, str(error))
        return True

    def _with_budget(self, run: Run, why: str | None, stopped_by: str | None = None) -> str:
        """Return why the run failed, including the budget that prevents further calls."""
        met = stopped_by or self._spending.limit_met(run)
        budget_reason = None if met is None else spent_reason(run.deployment, met, self._clock.now())
        return "; ".join(part for part in (budget_reason, why) if part)

    def _finish(self, run: Run, result: ReplayResult, started_at: datetime) -> None:
        with self._store.write() as tx:
            if not runs.is_open(tx, run.id):
                return  # cancelled while the last answers were written
            endings = RunFinalizer(
                tx,
                run,
                result,
                self._policy.deployments[run.deployment],
                sealer=self._dependencies.sealer_of(run.set_name),
                started_at=started_at,
                now=self._clock.now(),
                code_version=self._code_version,
            ).write()
        for ending in endings:
            self._count(ending.run, RunState.COMPLETE)
            tally, version = ending.tally, ending.version
            log.info("run %s: %d outcomes, %d scored, version %s", ending.run.id, tally.outcomes, tally.scored, version)
        if len(endings) > 1:
            log.warning("run %s met %d versions, and is split: %s", run.id, len(endings), [e.run.id for e in endings])

    def _fail(self, run: Run, why: str) -> None:
        log.warning("run %s failed: %s", run.id, why)
        with self._store.write() as tx:
            if not runs.is_open(tx, run.id):
                return
            runs.finish(tx, run.id, RunState.FAILED, None, self._clock.now(), None, why)
        self._count(run, RunState.FAILED)

    def _count(self, run: Run, state: RunState) -> None:
        self._telemetry.count("driftd.replay.runs", 1, {"deployment": run.deployment, "state": state.value})


def loop_name(number: int) -> str:
    """Return the name of a replay loop, counted from 1."""
    return "replay" if number == 1 else f"replay-{number}"


def _run_attributes(run: Run) -> dict[str, str | int]:
    return {
        "driftd.run_id": run.id,
        "driftd.deployment": run.deployment,
        "driftd.set": run.set_name,
        "driftd.trigger": run.trigger.value,
        "driftd.cases": run.cases,
        "driftd.trace_prefix": run.trace_prefix,
    } | ({} if run.change_id is None else {"driftd.change_id": run.change_id})


def _result_attributes(report: RunReport) -> dict[str, str | int | float]:
    attributes: dict[str, str | int | float] = {
        "driftd.outcomes": report.tally.outcomes,
        "driftd.scored": report.tally.scored,
        "driftd.state": "interrupted" if report.interrupted else RunState.COMPLETE.value,
    }
    cost = report.tally.cost_usd
    return attributes if cost is None else {**attributes, "driftd.cost_usd": cost}
