"""Replays slices of the runs of another process: the work of the role `work`."""

import asyncio
import logging
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Protocol

from monitor.clock import Clock
from monitor.domain.policy import Policy
from monitor.domain.run import Run, RunState
from monitor.domain.slice import Slice, SliceResult
from monitor.errors import LeaseLost, Retryable
from monitor.jobs.replay.crash_limit import crash_site
from monitor.jobs.replay.dependencies import ReplayDependencies
from monitor.jobs.replay.metered import MeteredSink, MeteredTarget
from monitor.jobs.replay.outcome_sink import StoreSink, endpoint_of
from monitor.jobs.replay.shared_pace import SharedPace
from monitor.jobs.replay.slice_log import SliceCallLog
from monitor.jobs.replay.stored_cases import StoredCases
from monitor.store.engine.database import Store
from monitor.store.lake.slices import SliceWork
from monitor.store.runs import runs
from monitor.store.sets import sealed_sets
from monitor.telemetry import NO_TELEMETRY, Recorder
from replay.errors import OutageError, ReplayError
from replay.evalsets.sealing import Sealer
from replay.run.budget import Spent
from replay.run.pause import StopSignal
from replay.run.rate_limit import Pacer
from replay.run.runner import RunPlan, RunReport
from replay.run.runner import run as run_replay

log = logging.getLogger(__name__)
COMMIT_DELAY_S = 1.0  # each commit of a lake adds files, and the processes commit one after the other


class Dependencies(Protocol):
    """Builds what a replay needs, whose writes go to the store of one slice."""

    def __call__(self, store: Store) -> ReplayDependencies: ...


@dataclass(slots=True, kw_only=True)
class SliceCounts:
    """The slices that a process took since its start. Those that ended and are not done are put back or lost."""

    taken: int = 0
    ended: int = 0
    done: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _AnyOf:
    """A StopSignal of several."""

    signals: Sequence[StopSignal]

    def is_set(self) -> bool:
        return any(each.is_set() for each in self.signals)


class WorkLoop:
    """Takes one slice after the other, and stores its outcomes.

    PostgreSQL refuses every write of a slice that another process has, so a process that was frozen stores and sends
    nothing for it: each request is recorded before it is sent.
    """

    name = "work"
    poll_s = 1.0

    def __init__(
        self,
        *,
        store: Store,
        work: SliceWork,
        policy: Policy,
        clock: Clock,
        dependencies: Dependencies,
        stopping: threading.Event,
        telemetry: Recorder = NO_TELEMETRY,
    ) -> None:
        self._store, self._work, self._policy, self._clock = store, work, policy, clock
        self._dependencies, self._stopping = dependencies, stopping
        self._telemetry = telemetry
        self.slices = SliceCounts()
        for deployment in policy.deployments:  # a rate needs the zero before the first count
            for done in (True, False):
                self._count(deployment, done=done, slices=0)
        self._ids: tuple[tuple[str, str], Mapping[int, str]] | None = None  # of the cases of the last revision

    def step(self) -> int:
        """Replay one slice. Return how many were taken."""
        if self._stopping.is_set():
            self._work.leave()
            return 0
        self._work.appear()
        taken = self._work.take()
        if taken is None:
            return 0
        self.slices.taken += 1
        try:
            self._work_on(taken)
        finally:
            self.slices.ended += 1
        return 1

    def _work_on(self, taken: Slice) -> None:
        stop = threading.Event()
        try:
            with self._work.holding(taken, stop) as store:
                result = self._replay(taken, store, _AnyOf(signals=(stop, self._stopping)))
        except LeaseLost as error:
            log.warning("slice %d of run %s was lost: %s", taken.number, taken.run_id, error)
            return
        except Retryable as error:
            log.info("slice %d of run %s is put back: %s", taken.number, taken.run_id, error)
            with suppress(Retryable):  # without an answer of the store, its lease expires
                self._work.end(taken, SliceResult(done=False))
            raise
        if self._work.end(taken, result) and result.done:
            self.slices.done += 1

    def _replay(self, taken: Slice, store: Store, stop: StopSignal) -> SliceResult:
        try:
            with self._store.read() as tx:
                run = runs.get(tx, taken.run_id)
            if run is None or run.state is not RunState.RUNNING:
                return SliceResult(done=False)  # the process that leads removes its slices
            if run.deployment not in self._policy.deployments or run.set_name not in self._policy.sets:
                return SliceResult(
                    done=False,
                    problem=f"a worker does not have the deployment {run.deployment!r} or "
                    f"the set {run.set_name!r}: give all processes the same configuration",
                )
            with self._telemetry.span("replay.slice", {"driftd.run_id": run.id, "driftd.slice": taken.number}):
                report = asyncio.run(self._calls(run, taken, store, stop))
        except OutageError as error:
            return SliceResult(done=False, problem=str(error), outage=True)
        except ReplayError as error:
            return SliceResult(done=False, problem=str(error))
        except (Retryable, OSError):
            raise
        except Exception as error:  # the message may quote a sealed text, so the location is logged
            log.exception("slice %d of run %s crashed", taken.number, taken.run_id)
            return SliceResult(done=False, problem=f"a worker crashed: {crash_site(error)}")
        done = not report.interrupted and report.stopped_by is None
        self._count(run.deployment, done=done)
        return SliceResult(done=done, stopped_by=report.stopped_by)

    def _count(self, deployment: str, *, done: bool, slices: int = 1) -> None:
        labels = {"deployment": deployment, "result": "done" if done else "put_back"}
        self._telemetry.count("driftd.replay.slices", slices, labels)

    async def _calls(self, run: Run, taken: Slice, store: Store, stop: StopSignal) -> RunReport:
        dependencies = self._dependencies(store)
        sealer, sample, positions = dependencies.sealer_of(run.set_name), taken.calls.sample, taken.calls.positions
        scorers = dependencies.charge(dependencies.scorers_of(run.set_name), run)
        ids, opener = await asyncio.to_thread(self._cases, run, sealer)
        sink = StoreSink(store, sealer, fresh=taken.fresh)
        answered = await asyncio.to_thread(sink.answered, run.id)
        coming = [case for case in (ids[position] for position in positions) if (case, sample) not in answered]
        target = MeteredTarget(dependencies.target_of(run.deployment), self._telemetry, run.deployment)
        try:
            replayed = endpoint_of(run, target.conditions)
            record = partial(self._work.record, taken, run.deployment)
            return await run_replay(
                RunPlan(
                    run_id=run.id,
                    trace_prefix=run.trace_prefix,
                    cases=StoredCases(self._store, run.set_name, run.revision, opener, positions),
                    first_sample=sample,
                    concurrency=taken.permits,
                    budget=taken.budget,
                    expected=taken.expected,
                    spent=Spent(),
                    pace=dependencies.pace_of(run.deployment),
                    digest=None if sealer is None else sealer.mac,
                ),
                target,
                scorers,
                MeteredSink(sink, self._telemetry, run.deployment),
                replace(
                    dependencies.limits_of(run.deployment),
                    commit_delay_s=COMMIT_DELAY_S,
                    uncommitted=taken.permits + len(positions),
                ),
                now=self._clock.now,
                monotonic=self._clock.monotonic,
                rng=Random(f"{run.id} {taken.number}"),  # noqa: S311  jitter between retries, not a secret
                stop=stop,
                call_log=await asyncio.to_thread(SliceCallLog, store, self._clock, record, replayed, coming),
                pacer=self._pacer(run, taken, dependencies),
            )
        finally:
            await target.aclose()

    def _cases(self, run: Run, sealer: Sealer | None) -> tuple[Mapping[int, str], Sealer | None]:
        """Return the ids of the cases of a run by position, and the sealer that opens them."""
        place = (run.set_name, run.revision)
        with self._store.read() as tx:
            opener = sealed_sets.opener_of(tx, *place, sealer)
            if self._ids is None or self._ids[0] != place:
                self._ids = (place, {key.position: key.id for key in sealed_sets.case_keys(tx, *place)})
        return self._ids[1], opener

    def _pacer(self, run: Run, taken: Slice, dependencies: ReplayDependencies) -> Pacer | None:
        """Return the pace of all processes; None for a target without a limit, to which each process adapts alone."""
        limits = dependencies.pace_of(run.deployment)
        if limits.requests_per_minute is None and limits.tokens_per_minute is None:
            return None
        target = self._policy.deployments[run.deployment].target
        share = min(1.0, taken.permits / dependencies.concurrency_of(run.deployment))
        return SharedPace(target, limits, self._work, self._clock.monotonic, share=share)
