"""Plans the scheduled runs. APScheduler wakes the loop; the loop reads the time itself."""

import logging
from collections.abc import Sequence
from datetime import datetime

from monitor.clock import Clock
from monitor.domain.calendar.pauses import Pause
from monitor.domain.evalset import SetKind
from monitor.domain.future_instant import TOLERANCE, FutureInstant
from monitor.domain.policy import Policy, SchedulePolicy, SetPolicy
from monitor.domain.run import Trigger
from monitor.jobs.replay.plan import plan_run
from monitor.refresh.dynamic_sets import refresh_dynamic_set
from monitor.refresh.production_sample import sample_production
from monitor.schedules.due import due_instant
from monitor.store.engine.database import Store, Tx
from monitor.store.runs import pauses, runs
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)


class ScheduleLoop:
    """Turns each due instant into planned runs exactly once, in one transaction with the refreshed dynamic sets."""

    name = "schedule"
    poll_s = 60.0  # APScheduler wakes the loop; this is the longest pause after a step of the system clock

    def __init__(self, *, store: Store, policy: Policy, clock: Clock, telemetry: Recorder = NO_TELEMETRY) -> None:
        self._store, self._policy, self._clock, self._telemetry = store, policy, clock, telemetry
        self._reported: set[FutureInstant] = set()  # logged once

    def step(self) -> int:
        now = self._clock.now()
        self._report_future(now)
        with self._store.read() as tx:
            paused = pauses.of_schedules(tx)
        return sum(
            self._plan(schedule, deployment, paused.get(schedule.name, ()), now)
            for schedule in self._policy.schedules.values()
            for deployment in schedule.deployments
        )

    def _plan(self, schedule: SchedulePolicy, deployment: str, paused: Sequence[Pause], now: datetime) -> int:
        with self._store.read() as tx:
            last = runs.last_instant(tx, schedule.name, deployment, now)
        if last is None:  # A new schedule starts now; instants of the past are not planned.
            with self._store.write() as tx:
                runs.record_instant(tx, schedule.name, deployment, now, now)
            return 0
        instant = due_instant(schedule, last, now, deployment=deployment, pauses=paused)
        if instant is None:
            return 0
        with self._store.write() as tx:
            if not runs.record_instant(tx, schedule.name, deployment, instant, now):
                return 0
            planned = [self._plan_set(tx, deployment, eval_set, instant, now) for eval_set in self._sets(deployment)]
        self._telemetry.record("driftd.schedule.lateness", (now - instant).total_seconds())
        log.info("schedule %s: %d runs of %s planned for %s", schedule.name, sum(planned), deployment, instant)
        return sum(planned) or 1

    def _report_future(self, now: datetime) -> None:
        with self._store.read() as tx:
            found = set(runs.future_instants(tx, now + TOLERANCE))
        for one in found - self._reported:
            log.warning("%s", one)
        self._reported |= found

    def _plan_set(self, tx: Tx, deployment: str, eval_set: SetPolicy, instant: datetime, now: datetime) -> int:
        if eval_set.kind is SetKind.DYNAMIC:
            sample_production(tx, deployment=deployment, policy=eval_set.sampling, now=now)
            refresh_dynamic_set(tx, deployment=deployment, eval_set=eval_set, now=now)
        run = plan_run(
            tx,
            deployment=deployment,
            eval_set=eval_set,
            trigger=Trigger.SCHEDULED,
            planned_at=instant,
            now=now,
            repeat_share=self._policy.deployments[deployment].drift.repeat_share,
        )
        return int(run is not None)

    def _sets(self, deployment: str) -> list[SetPolicy]:
        return [self._policy.sets[name] for name in self._policy.deployments[deployment].sets]
