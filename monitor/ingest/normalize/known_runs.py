"""The data of the echo filter: the trace prefixes of driftd's runs, and the inputs of sealed cases."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from monitor.clock import Clock
from monitor.store.engine.database import Store
from monitor.store.runs import runs
from monitor.store.sets import revisions as evalsets
from replay.evalsets.sealing import Sealer

PREFIX_DIGITS = 16
ECHO_WINDOW = timedelta(days=30)  # later spans of a replay count as traffic


class KnownRuns:
    """Lookups in memory.

    Call `refresh` after a run is planned or a set is imported, before either can produce echoes.
    """

    def __init__(self, store: Store, clock: Clock, sealers: Callable[[], Sequence[Sealer]]) -> None:
        self._store, self._clock, self._sealers = store, clock, sealers
        self._runs: dict[str, str] = {}
        self._macs: set[str] = set()
        self.refresh()

    def refresh(self) -> None:
        with self._store.read() as tx:
            self._runs = runs.active_trace_prefixes(tx, self._clock.now() - ECHO_WINDOW)
            self._macs = evalsets.sealed_input_macs(tx)

    def run_of(self, trace_id: str) -> str | None:
        return self._runs.get(trace_id[:PREFIX_DIGITS])

    def is_sealed(self, text: str) -> bool:
        return bool(self._macs) and any(mac in self._macs for sealer in self._sealers() for mac in sealer.macs(text))
