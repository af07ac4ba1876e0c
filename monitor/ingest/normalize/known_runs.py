"""The data of the echo filter: the trace prefixes of driftd's runs, and the inputs of sealed cases."""

import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final

from monitor.clock import Clock
from monitor.store.engine.database import Store
from monitor.store.runs import runs
from monitor.store.sets import revisions as evalsets
from replay.evalsets.sealing import Sealer

PREFIX_DIGITS = 16
ECHO_WINDOW = timedelta(days=30)  # later spans of a replay count as traffic
MAX_AGE_S: Final = 2.0  # of what a process knows of the runs that other processes plan


class KnownRuns:
    """Lookups in memory.

    Call `refresh` after a set is imported, and `announce` after a run is planned, before either can produce echoes.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        sealers: Callable[[], Sequence[Sealer]],
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._store, self._clock, self._sealers, self._sleep = store, clock, sealers, sleep
        self._lock = threading.Lock()  # one thread refreshes, the others wait for it
        self._runs: dict[str, str] = {}
        self._macs: set[str] = set()
        self._shared = store.shared
        self._fresh_until_s = 0.0  # monotonic
        self.refresh()

    def refresh(self) -> None:
        fresh_until_s = self._clock.monotonic() + MAX_AGE_S  # the read begins after this
        with self._store.read() as tx:
            self._runs = runs.active_trace_prefixes(tx, self._clock.now() - ECHO_WINDOW)
            self._macs = evalsets.sealed_input_macs(tx)
        self._fresh_until_s = fresh_until_s

    def announce(self) -> None:
        """Return when every process with this store knows the runs that are stored now."""
        self.refresh()
        if self._shared:
            self._sleep(MAX_AGE_S)

    def run_of(self, trace_id: str) -> str | None:
        if self._shared:
            self._keep_fresh()
        return self._runs.get(trace_id[:PREFIX_DIGITS])

    def is_sealed(self, text: str) -> bool:
        if self._shared:
            self._keep_fresh()
        return bool(self._macs) and any(mac in self._macs for sealer in self._sealers() for mac in sealer.macs(text))

    def _keep_fresh(self) -> None:
        """Read the runs again when they are too old. Raises StoreUnavailable: a record that may be an echo waits."""
        if self._clock.monotonic() >= self._fresh_until_s:
            with self._lock:
                if self._clock.monotonic() >= self._fresh_until_s:
                    self.refresh()
