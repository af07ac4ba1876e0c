"""The health of the database as an alert source: acknowledged rows are missing."""

from monitor.store.engine import losses
from monitor.store.engine.database import Store


class DatabaseSource:
    """Raises an alert through the source health loop. An acknowledgement resolves it."""

    name = "database"
    rule = "DatabaseRowsMissing"
    recovered = "the missing rows of the database are acknowledged"
    progressing = True

    def __init__(self, store: Store) -> None:
        self._store = store

    def trouble(self) -> str | None:
        with self._store.read() as tx:
            waiting = losses.unacknowledged(tx)
        return waiting[-1].sentence if waiting else None
