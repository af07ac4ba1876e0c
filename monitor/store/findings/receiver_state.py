"""What receivers remember of groups of alerts."""

from datetime import datetime, timedelta

from monitor.clock import Clock
from monitor.store.engine.database import Store
from monitor.store.engine.transaction import Tx

KEPT = timedelta(days=90)  # after the newest change, unless the group has an alert that is not resolved


class StoredMemory:
    """The memory of one receiver in the store."""

    def __init__(self, store: Store, clock: Clock, receiver: str) -> None:
        self._store, self._clock, self._receiver = store, clock, receiver

    def get(self, group_id: str) -> str | None:
        """Return the newest text of the group, or None."""
        with self._store.read() as tx:
            return get(tx, self._receiver, group_id)

    def put(self, group_id: str, value: str) -> None:
        """Store the text of the group in a transaction of its own."""
        with self._store.write() as tx:
            put(tx, self._receiver, group_id, value, self._clock.now())


def get(tx: Tx, receiver: str, group_id: str) -> str | None:
    """Return what the receiver remembers of the group, or None."""
    row = tx.one("receiver_state_of", receiver=receiver, group_id=group_id)
    return row["value"] if row else None


def put(tx: Tx, receiver: str, group_id: str, value: str, now: datetime) -> None:
    """Replace what the receiver remembers of the group."""
    tx.execute("put_receiver_state", receiver=receiver, group_id=group_id, value=value, stored_at=now)


def expire(tx: Tx, now: datetime) -> int:
    """Remove the state of groups that are resolved and older than KEPT. Return the number of removed rows."""
    return tx.execute("expire_receiver_state", before=now - KEPT)
