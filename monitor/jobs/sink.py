"""Where the runner's outcomes go: into the daemon's tables, sealed when their set is."""

from collections.abc import Sequence

from monitor.domain.access import Replayed
from monitor.domain.evalset import SetKind
from monitor.domain.run import Run
from monitor.store import access, outcomes
from monitor.store.database import Store
from replay.evalsets.sealing import Sealer
from replay.types import ScoredOutcome, TargetConditions


def seen_by(run: Run, conditions: TargetConditions, kind: str = "replay") -> Replayed | None:
    """The name under which the cases of a run leave, for the ledger; None for a set that is not private."""
    return access.replayed(run, conditions, kind) if run.set_kind is SetKind.FROZEN else None


class StoreSink:
    """Implements replay's OutcomeSink: a commit that has returned survives a kill.

    With `replayed`, the ledger of access gets the cases of each commit in the same transaction.
    """

    def __init__(self, store: Store, sealer: Sealer | None, replayed: Replayed | None = None) -> None:
        self._store, self._replayed = store, replayed
        self._seal = None if sealer is None else lambda text, context: sealer.seal(text.encode(), context)

    def answered(self, run_id: str) -> set[tuple[str, int]]:
        with self._store.read() as tx:
            return outcomes.answered(tx, run_id)

    def commit(self, run_id: str, rows: Sequence[ScoredOutcome]) -> None:
        with self._store.write() as tx:
            outcomes.append(tx, run_id, rows, self._seal)
            if self._replayed is not None:
                access.record(tx, self._replayed, rows)
