"""Run the loops, one named thread for each. They start in the order of their dependencies and stop in reverse.

A step that raises Retryable, or that finds no free file descriptor, is retried. Any other exception is a bug: the loop
has crashed, and the daemon stops the other parts and exits with 1.
"""

import errno
import logging
import threading
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from typing import Protocol

from monitor.errors import Retryable
from monitor.telemetry import GaugeValue, Recorder

log = logging.getLogger(__name__)
RETRY_S = 1.0
STANDBY_S = 1.0  # until a loop of a process that does not lead looks again
MIN_WAIT_S = 0.5  # for each loop, also when the loops before it used up the time; an idle loop ends in milliseconds


Turn = Callable[[], AbstractContextManager[bool]]
"""Covers one step of a loop. It yields whether this process may work: of several processes, one leads."""


def always() -> AbstractContextManager[bool]:
    return nullcontext(enter_result=True)


class Loop(Protocol):
    """One kind of background work. `step` processes the pending rows of the tables and returns how many rows it
    processed.
    """

    name: str

    @property
    def poll_s(self) -> float:
        """Return the seconds to wait after a step without rows, unless the loop is woken earlier."""

    def step(self) -> int: ...


class Worker:
    """The thread of a loop, its progress, and its state as a text."""

    def __init__(self, loop: Loop, telemetry: Recorder, on_crash: Callable[[], None], turn: Turn = always) -> None:
        self.loop = loop
        self._turn = turn
        self.state = "not started"
        self._telemetry = telemetry
        self._on_crash = on_crash
        self._changed = threading.Condition()  # protects the counters and flags below
        self._awake = True
        self._stopping = False
        self._began = 0
        self._ended = 0
        self._handled = 0
        self._failing = False  # whether the last step must be retried; only the thread of the loop uses it
        self._success: tuple[float, float] | None = None  # monotonic end of the last good step, and the pause after it
        self._thread = threading.Thread(target=self._run, name=f"driftd-{loop.name}", daemon=True)
        telemetry.count("driftd.loop.retries", 0, {"loop": loop.name})  # a rate needs the zero before the first count

    def start(self) -> None:
        self._success = (monotonic(), 0.0)
        self._thread.start()

    @property
    def success(self) -> tuple[float, float] | None:
        """Return the seconds since the end of the last successful step, or since the start, and the pause after it.

        None for a loop that was not started.
        """
        if self._success is None:
            return None
        ended, pause_s = self._success
        return max(0.0, monotonic() - ended), pause_s

    @property
    def started(self) -> bool:
        return self._thread.ident is not None

    def wake(self) -> None:
        with self._changed:
            self._awake = True
            self._changed.notify_all()

    def stop(self, timeout_s: float) -> bool:
        """Wait for the current step to end. Return False when it does not end within `timeout_s` seconds."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self.started:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def pass_once(self, deadline: float) -> int:
        """Wait until a step that begins after this call has ended. Return the rows processed in the meantime."""
        with self._changed:
            next_step, before = self._began + 1, self._handled
            self._awake = True
            self._changed.notify_all()
            done = self._changed.wait_for(
                lambda: self._ended >= next_step or not self._thread.is_alive(),
                timeout=max(0.0, deadline - monotonic()),
            )
            if not done:
                raise TimeoutError(f"loop {self.loop.name!r} still has work ({self.state})")
            return self._handled - before

    def _run(self) -> None:
        while not self._stopping:
            with self._changed:
                self._began += 1
                self._awake = False
            handled, rest_s = self._step()
            with self._changed:
                self._ended = self._began
                self._handled += handled
                self._changed.notify_all()
                if handled == 0 and not self._stopping:
                    self._changed.wait_for(lambda: self._awake or self._stopping, timeout=rest_s)
        if not self.state.startswith("crashed"):
            self.state = "stopped"

    def _step(self) -> tuple[int, float]:
        labels = {"loop": self.loop.name}
        started = monotonic()
        failing, self._failing = self._failing, False
        if not failing:
            self.state = "working"
        try:
            with self._turn() as ours:
                if not ours:
                    return self._stand_by()
                handled = self.loop.step()
        except Exception as error:
            if _is_temporary(error):
                self.state = f"retrying: {error}"
                self._telemetry.count("driftd.loop.retries", 1, labels)
                self._failing = True
                if not failing:  # log the first failure only
                    log.warning("loop %s: %s; driftd retries every %.0f s", self.loop.name, error, RETRY_S)
                return 0, RETRY_S
            self.state = f"crashed: {type(error).__name__}"
            log.exception("loop %s crashed", self.loop.name)
            self._stopping = True
            self._on_crash()
            return 0, 0.0
        self.state = "idle"
        if failing:
            log.info("loop %s has recovered", self.loop.name)
        self._telemetry.count("driftd.loop.steps", 1, labels)
        if handled:
            self._telemetry.count("driftd.loop.rows", handled, labels)
            self._telemetry.record("driftd.loop.step.duration", monotonic() - started, labels)
        self._success = (monotonic(), 0.0 if handled else self.loop.poll_s)
        return handled, self.loop.poll_s

    def _stand_by(self) -> tuple[int, float]:
        self.state = "standby: another process runs the loops"
        self._success = (monotonic(), STANDBY_S)
        return 0, STANDBY_S


def _is_temporary(error: Exception) -> bool:
    """Return whether the same step may work later: after a Retryable, or when no file descriptor is free."""
    return isinstance(error, Retryable) or (isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE))


class Supervisor:
    """All workers, in the order in which data passes them."""

    def __init__(
        self, loops: Sequence[Loop], telemetry: Recorder, *, turn: Turn = always, in_each_process: Container[str] = ()
    ) -> None:
        """`turn` covers each step, except of the loops named in `in_each_process`, which every process runs."""
        self.crashed = threading.Event()
        self._in_each_process = in_each_process
        self._workers = [
            Worker(loop, telemetry, self.crashed.set, always if loop.name in in_each_process else turn)
            for loop in loops
        ]

    def start(self, except_for: Container[str] = (), *, only: Container[str] | None = None) -> None:
        """Start every loop except those named; with `only`, start those loops and those of each process. A loop that is
        not started counts as idle.
        """
        for worker in reversed(self._workers):
            name = worker.loop.name
            if name not in except_for and (only is None or name in only or name in self._in_each_process):
                worker.start()

    def stop(self, timeout_s: float = 30.0) -> list[str]:
        """Stop the loops in the order of the data. Return the names of those that did not end within `timeout_s`."""
        deadline = monotonic() + timeout_s
        return [w.loop.name for w in self._workers if not w.stop(max(MIN_WAIT_S, deadline - monotonic()))]

    def wake(self) -> None:
        for worker in self._workers:
            worker.wake()

    def wake_one(self, name: str) -> None:
        for worker in self._workers:
            if worker.loop.name == name:
                worker.wake()

    def loop(self, name: str) -> Loop:
        return next(worker.loop for worker in self._workers if worker.loop.name == name)

    def states(self) -> dict[str, str]:
        return {w.loop.name: w.state for w in self._workers}

    def success_ages(self) -> Iterator[GaugeValue]:
        """Yield the seconds since the last successful step of each started loop."""
        for worker in self._workers:
            if (success := worker.success) is not None:
                yield GaugeValue(value=success[0], labels={"loop": worker.loop.name})

    def overdue(self) -> Iterator[GaugeValue]:
        """Yield the seconds since the next step of each started loop should have ended."""
        for worker in self._workers:
            if (success := worker.success) is not None:
                yield GaugeValue(value=max(0.0, success[0] - success[1]), labels={"loop": worker.loop.name})

    def settle(self, timeout_s: float) -> None:
        """Wait until every loop has found nothing to do. TimeoutError names the loop that still has work.

        A loop gives work to the loops after it. So one complete pass without a processed row means that no work is
        left.
        """
        deadline = monotonic() + timeout_s
        while sum(worker.pass_once(deadline) for worker in self._workers):
            if self.crashed.is_set():
                raise RuntimeError(f"a loop crashed: {self.states()}")
