"""Folds late facts into the rows of append-only tables."""

from monitor.store.engine.database import Store
from monitor.store.maintenance import fold


class FoldLoop:
    """Folds what was appended since the last step, so that views join few facts. It never counts as work: readers see
    no difference.
    """

    name = "fold"
    poll_s = 30.0

    def __init__(self, *, store: Store) -> None:
        self._store = store

    def step(self) -> int:
        with self._store.read() as tx:
            if not fold.any_fact(tx):
                return 0
        with self._store.write() as tx:
            fold.fold(tx)
        return 0
