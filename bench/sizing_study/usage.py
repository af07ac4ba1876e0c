"""The use of CPU time, memory and disk by a server, step by step."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Self

from bench.ingest_study.server import Server

SAMPLE_S: Final = 0.2
QUIET_S: Final = 5.0  # longer than the pause of a loop without work
WINDOWS: Final = 3
QUIET_TIMES: Final = 3  # one after the other
MORE_CORES: Final = 0.1
SETTLE_S: Final = 900.0


@dataclass(slots=True, kw_only=True)
class Step:
    """What a step used, without the CPU time of an idle daemon. `cpu_s` includes the work of the loops after the step,
    `settling_cpu_s` is that part. `peak_*` are the largest of the samples, of all processes and of all files.
    """

    cpu_s: float = 0.0
    settling_cpu_s: float = 0.0
    peak_rss_mb: float = 0.0
    peak_disk_bytes: int = 0
    wall_s: float = 0.0


class _Sampler(threading.Thread):
    def __init__(self, server: Server) -> None:
        super().__init__(name="sampler", daemon=True)
        self.rss_mb, self.disk_bytes = 0.0, 0
        self._server, self._stop_asked = server, threading.Event()

    def run(self) -> None:
        while not self._stop_asked.wait(SAMPLE_S):
            try:
                self.rss_mb = max(self.rss_mb, self._server.rss_mb())
                self.disk_bytes = max(self.disk_bytes, self._server.disk_bytes())
            except (FileNotFoundError, ProcessLookupError):
                continue  # a file or a child that has just ended

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop_asked.set()
        self.join()


@contextmanager
def step(server: Server, idle: float) -> Iterator[Step]:
    """Measure what the server uses in the block, and then until its loops have no more work. `idle` is the number of
    cores that it uses without work.
    """
    found, began_at = Step(), time.monotonic()
    cpu_s = server.cpu_s()
    with _Sampler(server) as sampler:
        yield found
        found.wall_s = time.monotonic() - began_at
        work_s = server.cpu_s() - cpu_s - idle * found.wall_s
        _wait_until_idle(server, idle)
    found.cpu_s = server.cpu_s() - cpu_s - idle * (time.monotonic() - began_at)
    found.settling_cpu_s = max(0.0, found.cpu_s - work_s)
    found.peak_rss_mb, found.peak_disk_bytes = sampler.rss_mb, sampler.disk_bytes


def idle_cores(server: Server, seconds: float) -> float:
    """Return the number of cores that the server uses without work: the smallest mean of the windows of this time."""
    return min(_cores(server, seconds / WINDOWS) for _ in range(WINDOWS))


def _cores(server: Server, seconds: float) -> float:
    before_s = server.cpu_s()
    time.sleep(seconds)
    return (server.cpu_s() - before_s) / seconds


def _wait_until_idle(server: Server, idle: float) -> None:
    """Wait until the server uses hardly more than when it is idle. Raise TimeoutError when that does not happen."""
    until, quiet = time.monotonic() + SETTLE_S, 0
    while time.monotonic() < until:
        quiet = quiet + 1 if _cores(server, QUIET_S) < idle + MORE_CORES else 0
        if quiet == QUIET_TIMES:
            return
    raise TimeoutError(f"the loops of the daemon still work after {SETTLE_S:g} s")
