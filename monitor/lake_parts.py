"""Build the parts that only processes with a lake have."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from monitor.clock import Clock
from monitor.domain.policy import Policy
from monitor.errors import Retryable
from monitor.jobs.replay.cancel_loop import CancelLoop
from monitor.jobs.replay.run_queue import RunQueue
from monitor.jobs.replay.slicing import Workers
from monitor.jobs.replay.spending import Spending
from monitor.leadership import Leadership
from monitor.roles import Role
from monitor.store.engine.database import Store
from monitor.supervisor import Loop
from monitor.telemetry import GaugeValue, Instruments, Recorder

if TYPE_CHECKING:
    from monitor.jobs.replay.work_loop import Dependencies
    from monitor.store.lake.lake_store import LakeStore
    from monitor.store.lake.lease import Lease

WORK: Final = "work"  # the name of WorkLoop


class LakeParts:
    """The parts of a process with a lake. A process with a file does not need their imports."""

    def __init__(
        self, store: "LakeStore", led: Leadership, lease: "Lease", *, role: Role, policy: Policy, clock: Clock
    ) -> None:
        from monitor.store.lake.slices import SlicePlans

        self._store, self._led, self._lease = store, led, lease
        self._role, self._policy, self._clock = role, policy, clock
        self._plans = SlicePlans(store, lease)

    def observe(self, telemetry: Instruments) -> None:
        """Register the gauges that only a lake has."""

        def slices() -> Iterable[GaugeValue]:
            with suppress(Retryable):
                found = self._plans.counts()
                yield GaugeValue(value=found["open"] - found["at_work"], labels={"state": "waiting"})
                yield GaugeValue(value=found["at_work"], labels={"state": "at_work"})

        telemetry.observe("driftd.replay.slices.open", slices)

    def sliced_runs(self) -> Collection[str]:
        """Return the ids of the runs that other processes replay now."""
        return self._plans.sliced_runs()

    def workers(self, spending: Spending) -> Workers:
        """Return the other processes that replay the calls of runs."""
        from monitor.jobs.replay.sliced_replay import SlicedReplay

        return SlicedReplay(
            store=self._led.store, plans=self._plans, policy=self._policy, clock=self._clock, spending=spending
        )

    def loops(self, queue: RunQueue, dependencies: "Dependencies", telemetry: Recorder) -> list[Loop]:
        """Return the loops that only a lake has."""
        from monitor.jobs.maintenance.lake_loop import LakeLoop

        loops: list[Loop] = [
            CancelLoop(store=self._store, queue=queue),
            LakeLoop(store=self._store, lease=self._lease, clock=self._clock, first=self._role.maintains),
        ]
        if self._role.works:
            from monitor.jobs.replay.work_loop import WorkLoop
            from monitor.store.lake.slices import SliceWork

            work = WorkLoop(
                store=self._store,
                work=SliceWork(self._store),
                policy=self._policy,
                clock=self._clock,
                dependencies=dependencies,
                stopping=queue.stopping,
                telemetry=telemetry,
            )
            loops.append(work)
        return loops


def lake_parts(
    store: Store, led: Leadership, *, role: Role, policy: Policy, clock: Clock, telemetry: Instruments
) -> LakeParts | None:
    """Return the parts that only a lake has, and register their gauges; None for a file."""
    if led.lease is None:
        return None
    from monitor.store.lake.lake_store import LakeStore

    assert isinstance(store, LakeStore)
    made = LakeParts(store, led, led.lease, role=role, policy=policy, clock=clock)
    made.observe(telemetry)
    return made
