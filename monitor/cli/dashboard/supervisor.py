"""Runs the dashboard together with the daemon: starts it, restarts it after a crash and stops it."""

import logging
import threading
from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import Self

from monitor.cli.dashboard.process import DashboardProcess, DashboardSettings

log = logging.getLogger(__name__)
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
STEADY_S = 60.0  # a process that ran this long was healthy: its crash counts as the first
POLL_S = 0.2


def pause_after(lived_s: float, last_pause_s: float | None) -> float:
    """Return the seconds before the next start: they double from 1 to 60 while the process crashes early.

    >>> pause_after(3.0, None), pause_after(3.0, 1.0), pause_after(3.0, 60.0), pause_after(300.0, 60.0)
    (1.0, 2.0, 60.0, 1.0)
    """
    if last_pause_s is None or lived_s >= STEADY_S:
        return FIRST_PAUSE_S
    return min(2.0 * last_pause_s, LONGEST_PAUSE_S)


class DashboardSupervisor:
    """A context manager that runs the dashboard. `pages_when_ready` returns None until the daemon has its port."""

    def __init__(self, pages_when_ready: Callable[[], DashboardSettings | None]) -> None:
        self._pages_when_ready = pages_when_ready
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="driftd-dashboard", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        pages = None
        while pages is None and not self._stop.wait(POLL_S):
            pages = self._pages_when_ready()
        pause_s: float | None = None
        while pages is not None and not self._stop.is_set():
            started = monotonic()
            code = self._live(pages)
            if code is None:
                return
            pause_s = pause_after(monotonic() - started, pause_s)
            log.warning("the dashboard exited with code %d; restart in %.0f s", code, pause_s)
            self._stop.wait(pause_s)

    def _live(self, pages: DashboardSettings) -> int | None:
        """Run the dashboard once. Return its exit code, or None if the daemon stopped it."""
        process = DashboardProcess(pages, on_line=lambda line: log.warning("dashboard: %s", line))
        try:
            if process.wait_until_ready(self._stop):
                log.info("the dashboard listens on %s (process %d)", pages.url, process.pid)
            while not self._stop.is_set():
                if (code := process.ended(POLL_S)) is not None:
                    return code
            return None
        finally:
            process.stop()
