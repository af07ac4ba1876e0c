"""Find the runs at work that a person cancelled through another process with the same store."""

from monitor.domain.run import RunState
from monitor.jobs.replay.run_queue import RunQueue
from monitor.store.engine.database import Store
from monitor.store.runs import runs


class CancelLoop:
    """A loop of a process with a shared store. The process that receives the request cannot end calls in this one."""

    name = "cancelled-runs"
    poll_s = 2.0

    def __init__(self, *, store: Store, queue: RunQueue) -> None:
        self._store, self._queue = store, queue

    def step(self) -> int:
        """End the calls of cancelled runs. Return 0: no row changes."""
        at_work = self._queue.runs
        if not at_work:
            return 0
        with self._store.read() as tx:
            found = [runs.get(tx, run_id) for run_id in at_work]
        for run in found:
            if run is not None and run.state is RunState.CANCELLED:
                self._queue.cancel(run.id)
        return 0
