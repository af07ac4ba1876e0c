"""The runs in progress: which loop works on which run, which deployment is next, and which run must end."""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from monitor.clock import Clock
from monitor.domain.run import Run, RunState
from monitor.store.engine.database import Store
from monitor.store.runs import runs

TargetNameOf = Callable[[str], str | None]  # by deployment; None for one that is no longer configured


class RunQueue:
    """The shared state of the parallel replay loops. It assigns each due run to one loop, in turn by deployment.

    A deployment runs one replay at a time, and so does a target: deployments that share a target also share its
    concurrency and its rate limit.
    """

    def __init__(self, target_of: TargetNameOf, *, must_wait: Callable[[], bool] = lambda: False) -> None:
        """While `must_wait`, no run starts, and the runs at work end after the calls in flight and continue later."""
        self.stopping = threading.Event()  # set to end every run at work after the calls in flight
        self._must_wait = must_wait
        self._target_of = target_of
        self._lock = threading.Lock()  # protects the fields below; locked while the next run is read and taken
        self._at_work: dict[str, Run] = {}  # by id
        self._cancelled: dict[str, threading.Event] = {}  # by id, of the runs at work
        self._reserved: set[str] = set()  # deployments whose target something else than a run uses
        self._turns: dict[str, int] = {}  # by deployment: the number of its last turn
        self._turn = 0

    @property
    def sets(self) -> frozenset[str]:
        """Return the sets whose cases are in memory for a run in progress."""
        with self._lock:
            return frozenset(run.set_name for run in self._at_work.values())

    @property
    def runs(self) -> frozenset[str]:
        """Return the ids of the runs in progress."""
        with self._lock:
            return frozenset(self._at_work)

    def take(self, store: Store, clock: Clock) -> Run | None:
        """Return the next run to work on. The run is in progress until `release`.

        The run is marked as in progress before it is read again for writing: an erasure either finds its set in `sets`
        or has finished by then.
        """
        with self._lock:
            if self.stopping.is_set() or self._must_wait():
                return None
            with store.read() as tx:
                due = runs.due(tx, clock.now())
            free = [run for run in due if self._target_of(run.deployment) not in self._reserved_targets()]
            run = next_run(free, self._at_work.values(), self._turns, self._target_of)
            if run is not None:
                self._turn += 1
                self._at_work[run.id], self._cancelled[run.id] = run, threading.Event()
                self._turns[run.deployment] = self._turn
            return run

    @contextmanager
    def reserved(self, deployment: str) -> Iterator[bool]:
        """Yield whether nothing uses the target of the deployment. Until the end of the block no run of it starts."""
        with self._lock:
            target = self._target_of(deployment)
            in_use = {self._target_of(run.deployment) for run in self._at_work.values()} | self._reserved_targets()
            free = target not in in_use and not self.stopping.is_set() and not self._must_wait()
            if free:
                self._reserved.add(deployment)
        try:
            yield free
        finally:
            if free:
                with self._lock:
                    self._reserved.discard(deployment)

    def _reserved_targets(self) -> set[str | None]:
        return {self._target_of(name) for name in self._reserved}

    def release(self, run: Run) -> None:
        """Mark the run of a loop as no longer in progress."""
        with self._lock:
            del self._at_work[run.id], self._cancelled[run.id]

    def cancel(self, run_id: str) -> None:
        """End the calls of the run when it is in progress."""
        with self._lock:
            if run_id in self._cancelled:
                self._cancelled[run_id].set()

    def signals(self, run: Run) -> "Signals":
        """Return the stop signals of a run in progress."""
        with self._lock:
            return Signals(stopping=self.stopping, cancelled=self._cancelled[run.id], must_wait=self._must_wait)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """The StopSignal of one run: set when driftd stops, when a person cancels the run, and while runs must wait."""

    stopping: threading.Event
    cancelled: threading.Event
    must_wait: Callable[[], bool]

    def is_set(self) -> bool:
        return self.stopping.is_set() or self.cancelled.is_set() or self.must_wait()


def next_run(
    due: Sequence[Run], at_work: Collection[Run], turns: Mapping[str, int], target_of: TargetNameOf
) -> Run | None:
    """Return the run whose deployment has waited longest; `due` has one run for each deployment, the oldest first.

    An interrupted run goes before a planned run. A run waits while its deployment or its target is in use.
    """
    deployments = {run.deployment for run in at_work}
    targets = {target_of(name) for name in deployments} - {None}
    free = [run for run in due if run.deployment not in deployments and target_of(run.deployment) not in targets]
    return min(free, key=lambda run: (run.state is not RunState.RUNNING, turns.get(run.deployment, 0)), default=None)
