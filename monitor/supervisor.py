"""Runs the loops: one named thread each, started in order of dependence, stopped in reverse.

A step that raises Retryable, or finds no free file descriptor, is tried again. Any other exception is a bug: the loop
is down, and the daemon drains the rest and leaves with 1.
"""

import errno
import logging
import threading
from collections.abc import Callable, Container, Sequence
from time import monotonic
from typing import Protocol

from monitor.errors import Retryable
from monitor.telemetry import Recorder

log = logging.getLogger(__name__)
RETRY_S = 1.0
LAST_S = 0.5  # a loop at rest ends in milliseconds, however long the one before it was waited for


class Loop(Protocol):
    """One line of work. `step` does what the tables hold for it now and returns how many rows it handled."""

    name: str

    @property
    def poll_s(self) -> float:
        """How long to rest when there was nothing to do and nobody wakes it."""

    def step(self) -> int: ...


class Worker:
    """A loop's thread, its progress and its state in words."""

    def __init__(self, loop: Loop, telemetry: Recorder, on_crash: Callable[[], None]) -> None:
        self.loop = loop
        self.state = "not started"
        self._telemetry = telemetry
        self._on_crash = on_crash
        self._changed = threading.Condition()  # protects the counters and flags below
        self._awake = True
        self._stopping = False
        self._began = 0
        self._ended = 0
        self._handled = 0
        self._failing = False  # whether the last step is to be tried again; only the loop's own thread uses it
        self._thread = threading.Thread(target=self._run, name=f"driftd-{loop.name}", daemon=True)
        telemetry.count("driftd.loop.retries", 0, {"loop": loop.name})  # a rate needs the zero before the first one

    def start(self) -> None:
        self._thread.start()

    @property
    def started(self) -> bool:
        return self._thread.ident is not None

    def wake(self) -> None:
        with self._changed:
            self._awake = True
            self._changed.notify_all()

    def stop(self, timeout_s: float) -> bool:
        """Let the step at work finish; False when it did not within the time."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self.started:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def pass_once(self, deadline: float) -> int:
        """Wait for a step that begins after this call to end; the rows handled from then on."""
        with self._changed:
            ticket, before = self._began + 1, self._handled
            self._awake = True
            self._changed.notify_all()
            done = self._changed.wait_for(
                lambda: self._ended >= ticket or not self._thread.is_alive(), timeout=max(0.0, deadline - monotonic())
            )
            if not done:
                raise TimeoutError(f"loop {self.loop.name!r} is still at work ({self.state})")
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
            handled = self.loop.step()
        except Exception as error:
            if _may_pass(error):
                self.state = f"retrying: {error}"
                self._telemetry.count("driftd.loop.retries", 1, labels)
                self._failing = True
                if not failing:  # once, not at each attempt
                    log.warning("loop %s: %s; trying again every %.0f s", self.loop.name, error, RETRY_S)
                return 0, RETRY_S
            self.state = f"crashed: {type(error).__name__}"
            log.exception("loop %s crashed", self.loop.name)
            self._stopping = True
            self._on_crash()
            return 0, 0.0
        self.state = "idle"
        if failing:
            log.info("loop %s works again", self.loop.name)
        self._telemetry.count("driftd.loop.steps", 1, labels)
        if handled:
            self._telemetry.count("driftd.loop.rows", handled, labels)
            self._telemetry.record("driftd.loop.step.duration", monotonic() - started, labels)
        return handled, self.loop.poll_s


def _may_pass(error: Exception) -> bool:
    """Return whether the same step may work later: also when the process or the machine is out of file descriptors."""
    return isinstance(error, Retryable) or (isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE))


class Supervisor:
    """All workers, in the order the data passes them."""

    def __init__(self, loops: Sequence[Loop], telemetry: Recorder) -> None:
        self.crashed = threading.Event()
        self._workers = [Worker(loop, telemetry, self.crashed.set) for loop in loops]

    def start(self, but: Container[str] = ()) -> None:
        """Start every loop but those named; one that is not started counts as having nothing to do."""
        for worker in reversed(self._workers):
            if worker.loop.name not in but:
                worker.start()

    def stop(self, timeout_s: float = 30.0) -> list[str]:
        """Stop in the order of the data, all within about the time; the names of loops that did not end in it."""
        deadline = monotonic() + timeout_s
        return [w.loop.name for w in self._workers if not w.stop(max(LAST_S, deadline - monotonic()))]

    def wake(self) -> None:
        for worker in self._workers:
            worker.wake()

    def wake_one(self, name: str) -> None:
        for worker in self._workers:
            if worker.loop.name == name:
                worker.wake()

    def states(self) -> dict[str, str]:
        return {w.loop.name: w.state for w in self._workers}

    def settle(self, timeout_s: float) -> None:
        """Return when every loop in turn has found nothing to do; TimeoutError names the loop still at work.

        Loops feed each other down the line, so one whole pass without a row means that nothing is left.
        """
        deadline = monotonic() + timeout_s
        while sum(worker.pass_once(deadline) for worker in self._workers):
            if self.crashed.is_set():
                raise RuntimeError(f"a loop crashed: {self.states()}")
