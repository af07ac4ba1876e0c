"""The database as something that can be in trouble: it lacks rows that were acknowledged."""

from monitor.store.engine import losses
from monitor.store.engine.database import Store


class DatabaseSource:
    """Raises an alert through the loop of the sources; an acknowledgement resolves it."""

    name = "database"
    recovered = "the missing rows of the database are acknowledged"
    progressing = True

    def __init__(self, store: Store) -> None:
        self._store = store

    def trouble(self) -> str | None:
        with self._store.read() as tx:
            waiting = losses.unacknowledged(tx)
        return waiting[-1].sentence if waiting else None
