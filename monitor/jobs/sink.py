"""Where the runner's outcomes go: into the daemon's tables, sealed when their set is."""

from collections.abc import Sequence

from monitor.store import outcomes
from monitor.store.database import Store
from replay.evalsets.sealing import Sealer
from replay.types import ScoredOutcome


class StoreSink:
    """Implements replay's OutcomeSink: a commit that has returned survives a kill."""

    def __init__(self, store: Store, sealer: Sealer | None) -> None:
        self._store = store
        self._seal = None if sealer is None else lambda text, context: sealer.seal(text.encode(), context)

    def answered(self, run_id: str) -> set[tuple[str, int]]:
        with self._store.read() as tx:
            return outcomes.answered(tx, run_id)

    def commit(self, run_id: str, rows: Sequence[ScoredOutcome]) -> None:
        with self._store.write() as tx:
            outcomes.append(tx, run_id, rows, self._seal)
