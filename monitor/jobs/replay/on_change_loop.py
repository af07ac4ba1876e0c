"""Plans a replay of every set at once after a change."""

import logging

from monitor.changes.gate import REPLAYED_WITHIN
from monitor.clock import Clock
from monitor.domain.policy import Policy
from monitor.domain.run import Trigger
from monitor.domain.version import Change
from monitor.jobs.after_writes import AfterWrites
from monitor.jobs.replay.plan import plan_run
from monitor.store.engine.database import Store
from monitor.store.traffic import versions

log = logging.getLogger(__name__)


class ChangeReplayLoop:
    """Plans runs for changes that have no run yet."""

    name = "fast-lane"
    poll_s = 2.0

    def __init__(self, *, store: Store, policy: Policy, clock: Clock) -> None:
        self._store, self._policy, self._clock = store, policy, clock
        self._after_writes = AfterWrites(store, clock)

    def step(self) -> int:
        return self._after_writes.run(self._plan_each)

    def _plan_each(self) -> int:
        oldest = self._clock.now() - REPLAYED_WITHIN
        with self._store.read() as tx:
            waiting = versions.changes_without_run(tx)
        return sum(self._plan(change) for change in waiting if change.noted_at >= oldest)

    def _plan(self, change: Change) -> int:
        deployment = self._policy.deployments.get(change.deployment)
        if deployment is None:
            return 0
        now = self._clock.now()
        with self._store.write() as tx:
            planned = [
                plan_run(
                    tx,
                    deployment=deployment.name,
                    eval_set=self._policy.sets[name],
                    trigger=Trigger.CHANGE,
                    planned_at=now,
                    now=now,
                    change_id=change.id,
                    repeat_share=deployment.drift.repeat_share,
                )
                for name in deployment.sets
            ]
        count = sum(run is not None for run in planned)
        if count:
            log.info("change %s of %s: %d runs planned", change.id, deployment.name, count)
        return count
