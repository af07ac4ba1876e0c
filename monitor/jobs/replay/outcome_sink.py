"""Writes the outcomes of a run to the store, sealed when the set is sealed."""

import threading
from collections.abc import Sequence

from monitor.domain.evalset import Replayed, SetKind
from monitor.domain.run import Run
from monitor.store.engine.database import Store
from monitor.store.runs import outcomes
from monitor.store.sets import access_log as access
from replay.evalsets.sealing import Sealer
from replay.types import ScoredOutcome, TargetConditions


def endpoint_of(run: Run, conditions: TargetConditions, kind: str = "replay") -> Replayed | None:
    """Return the name under which the cases of a run are recorded in the access log; None for a set that is not
    private.
    """
    return access.replayed(run, conditions, kind) if run.set_kind is SetKind.FROZEN else None


class StoreSink:
    """Implements replay's OutcomeSink. A committed outcome survives a kill.

    A run has one sink, or each slice of it has one and other calls. Therefore the sink reads the stored outcomes of the
    run once, in `answered`, and then keeps them in memory.
    """

    def __init__(self, store: Store, sealer: Sealer | None, *, fresh: bool = False) -> None:
        """`fresh` means that none of the calls has a stored outcome, so that nothing is read."""
        self._store, self._fresh = store, fresh
        self._seal = None if sealer is None else lambda text, context: sealer.seal(text.encode(), context)
        self._lock = threading.Lock()  # protects _known: what it holds of a run is what the file holds
        self._known: dict[str, set[tuple[str, int]]] = {}

    def answered(self, run_id: str) -> set[tuple[str, int]]:
        if self._fresh:
            self._known[run_id] = set()
            return set()
        with self._lock, self._store.read() as tx:
            known = self._known[run_id] = outcomes.answered(tx, run_id)
            return set(known)

    def commit(self, run_id: str, rows: Sequence[ScoredOutcome]) -> None:
        with self._lock:
            known = self._known.get(run_id)
            new = rows if known is None else [row for row in rows if _key(row) not in known]
            with self._store.append() as tx:
                outcomes.append(tx, run_id, new, self._seal, all_new=known is not None)
            if known is not None:
                known.update(map(_key, new))


def _key(row: ScoredOutcome) -> tuple[str, int]:
    return row.outcome.case_id, row.outcome.sample
