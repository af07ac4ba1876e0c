"""Runs planned replays, one after the other in each lane, and says which version answered."""

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from opentelemetry.trace import Span

from monitor.clock import Clock
from monitor.domain.clearance import refusal
from monitor.domain.evalset import CaseKey
from monitor.domain.policy import Policy
from monitor.domain.run import Run, RunState, Trigger
from monitor.errors import Retryable
from monitor.jobs.cancelling import RunCancelled, until_cancelled
from monitor.jobs.concluding import Conclusion, Played
from monitor.jobs.expected import expected
from monitor.jobs.metered import MeteredSink, MeteredTarget
from monitor.jobs.replay_board import ReplayBoard
from monitor.jobs.set_aside import REPLAYING, SetAside
from monitor.jobs.sink import StoreSink, seen_by
from monitor.jobs.stored_cases import StoredCases
from monitor.store import outcomes, runs, sealed_sets
from monitor.store.database import Store, Tx
from monitor.telemetry import SILENT, Recorder, mark_failed
from replay.errors import OutageError, ReplayError
from replay.evalsets.sealing import Sealer
from replay.forecast import Prices
from replay.limits import Limits
from replay.order import fair_order
from replay.pace import PaceLimits
from replay.repeats import repeated_cases
from replay.runner import RunPlan, RunReport
from replay.runner import run as run_replay
from replay.scorers.base import Scorer
from replay.tally import Tally
from replay.targets.base import Target
from replay.types import Case, TargetConditions

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """What a replay reaches out with; app.py builds it from the configuration, by name."""

    target_of: Callable[[str], Target]  # by deployment; a target lives in one event loop, so each run gets its own
    scorers_of: Callable[[str], Sequence[Scorer]]  # by set
    sealer_of: Callable[[str], Sealer | None]  # by set
    limits_of: Callable[[str], Limits]  # by deployment
    concurrency_of: Callable[[str], int]  # by deployment
    pace_of: Callable[[str], PaceLimits]  # by deployment
    prices_of: Callable[[str], Prices | None]  # by deployment
    announce: Callable[[], None]  # before the first call: makes the run's trace ids known to the echo filter


class ReplayLoop:
    """Planned runs become outcomes. A run found running was interrupted: it goes on where it stopped.

    One loop is one lane: it works on one run at a time. Lanes that share a board work side by side.
    """

    poll_s = 2.0

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        arms: Arms,
        board: ReplayBoard,
        code_version: str,
        lane: int = 1,
        telemetry: Recorder = SILENT,
    ) -> None:
        self.name = lane_name(lane)
        self._store, self._policy, self._clock, self._arms, self._board = store, policy, clock, arms, board
        self._code_version, self._telemetry = code_version, telemetry
        self._aside = SetAside(store, clock, telemetry)

    def step(self) -> int:
        run = self._board.take(self._store, self._clock)
        if run is None:
            return 0
        try:
            return self._take_up(run)
        except Retryable:
            raise
        except Exception as error:  # noqa: BLE001  whatever one run breaks, the others go on
            self._aside.crashed(run, REPLAYING, error)
            return 1
        finally:
            self._board.give_back(run)

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
                return 1  # cancelled, or an erasure took all of its cases, since it was read
            run = now  # or some of them: what is left has another revision
            runs.set_running(tx, run.id, started_at)
        self._arms.announce()
        with self._telemetry.span("replay.run", _told(run)) as span:
            return self._carry_out(run, started_at, span)

    def _carry_out(self, run: Run, started_at: datetime, span: Span) -> int:
        try:
            played = self._play(run)
        except RunCancelled:
            log.info("run %s was cancelled; its outcomes stay", run.id)
            self._count(run, RunState.CANCELLED)
            return 1
        except ReplayError as error:
            mark_failed(span, error)
            if not self._put_off(run, error):
                self._fail(run, str(error))
            return 1
        span.set_attributes(_told_after(played.report))
        if played.report.interrupted:
            return 0
        with self._telemetry.span("replay.conclude"):
            self._finish(run, played, started_at)
        return 1

    def _put_off(self, run: Run, error: ReplayError) -> bool:
        """Whether the run is tried again later: nobody waits for it, and what failed may pass."""
        policy = self._policy.deployments[run.deployment].replay
        if not isinstance(error, OutageError) or run.trigger is Trigger.MANUAL or run.retries >= policy.retries:
            return False
        until = self._clock.now() + timedelta(seconds=policy.retry_s * 2.0**run.retries)
        log.warning("run %s is tried again at %s: %s", run.id, until, error)
        with self._store.write() as tx:
            if not runs.is_open(tx, run.id):
                return True
            runs.put_off(tx, run.id, until, str(error))
        return True

    def _play(self, run: Run) -> Played:
        sealer = self._arms.sealer_of(run.set_name)
        with self._telemetry.span("replay.load"), self._store.read() as tx:
            opener = sealed_sets.opener_of(tx, run.set_name, run.revision, sealer)
            keys = fair_order(sealed_sets.case_keys(tx, run.set_name, run.revision), run.id)
            tally = _tally_so_far(tx, run.id)
        cases = StoredCases(self._store, run.set_name, run.revision, opener, (key.position for key in keys))
        repeated = _repeated(run, keys)
        del keys  # of a large set they are the most there is
        scorers = self._arms.scorers_of(run.set_name)
        concurrency = self._arms.concurrency_of(run.deployment)
        log.info("run %s: %d cases of %s against %s", run.id, len(cases), run.set_name, run.deployment)
        with self._telemetry.span("replay.ask"):
            report, conditions = asyncio.run(
                self._replay(run, cases, repeated, scorers, sealer=sealer, tally=tally, concurrency=concurrency)
            )
        return Played(report=report, conditions=conditions, scorers=scorers, concurrency=concurrency)

    async def _replay(
        self,
        run: Run,
        cases: Collection[Case],
        repeated: Collection[str],
        scorers: Sequence[Scorer],
        *,
        sealer: Sealer | None,
        tally: Tally,
        concurrency: int,
    ) -> tuple[RunReport, TargetConditions]:
        target = MeteredTarget(self._arms.target_of(run.deployment), self._telemetry, run.deployment)
        self._expect(run, cases, target.conditions, concurrency)
        signals = self._board.signals(run)
        try:
            work = run_replay(
                RunPlan(
                    run_id=run.id,
                    trace_prefix=run.trace_prefix,
                    cases=cases,
                    samples=run.samples,
                    repeated=repeated,
                    concurrency=concurrency,
                    budget=self._policy.deployments[run.deployment].replay.budget,
                    pace=self._arms.pace_of(run.deployment),
                    digest=None if sealer is None else sealer.mac,
                ),
                target,
                scorers,
                MeteredSink(
                    StoreSink(self._store, sealer, seen_by(run, target.conditions)), self._telemetry, run.deployment
                ),
                self._arms.limits_of(run.deployment),
                now=self._clock.now,
                monotonic=self._clock.monotonic,
                rng=Random(run.id),  # noqa: S311  jitter between retries, not a secret
                stop=signals,
                tally=tally,
            )
            report = await until_cancelled(work, signals.cancelled)
        finally:
            await target.aclose()
        return report, target.conditions

    def _expect(self, run: Run, cases: Collection[Case], conditions: TargetConditions, concurrency: int) -> None:
        if run.forecast is not None:
            return  # said before its first start
        with self._store.write() as tx:
            prices = self._arms.prices_of(run.deployment)
            runs.expect(tx, run.id, expected(tx, run, cases, conditions, concurrency=concurrency, prices=prices))

    def _finish(self, run: Run, played: Played, started_at: datetime) -> None:
        with self._store.write() as tx:
            if not runs.is_open(tx, run.id):
                return  # cancelled while the last answers were written
            endings = Conclusion(
                tx,
                run,
                played,
                self._policy.deployments[run.deployment],
                sealer=self._arms.sealer_of(run.set_name),
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


def lane_name(lane: int) -> str:
    """Return the name of the loop of a lane, counted from 1."""
    return "replay" if lane == 1 else f"replay-{lane}"


def _repeated(run: Run, cases: Sequence[CaseKey]) -> Collection[str]:
    """Of the run's row and its revision alone: a start after a kill asks the same cases again."""
    return repeated_cases({case.id: case.category for case in cases}, run.repeats, run.turn, run.set_name)


def _told(run: Run) -> dict[str, str | int]:
    return {
        "driftd.run_id": run.id,
        "driftd.deployment": run.deployment,
        "driftd.set": run.set_name,
        "driftd.trigger": run.trigger.value,
        "driftd.cases": run.cases,
    }


def _told_after(report: RunReport) -> dict[str, str | int | float]:
    told: dict[str, str | int | float] = {
        "driftd.outcomes": report.tally.outcomes,
        "driftd.scored": report.tally.scored,
        "driftd.state": "interrupted" if report.interrupted else RunState.COMPLETE.value,
    }
    cost = report.tally.cost_usd
    return told if cost is None else {**told, "driftd.cost_usd": cost}


def _tally_so_far(tx: Tx, run_id: str) -> Tally:
    """What an interrupted start of the run has committed already."""
    tally = Tally()
    for outcome, scored in outcomes.told_of_run(tx, run_id):
        tally.add_outcome(outcome, scored=scored)
    return tally
