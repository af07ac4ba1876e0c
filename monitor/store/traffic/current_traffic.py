"""Current production traffic: the serving versions, and the counts of today."""

from datetime import datetime

from monitor.domain.served import ServedVersion, TrafficToday
from monitor.store.engine.transaction import Tx


def served_since(tx: Tx, deployment: str, since: datetime) -> list[ServedVersion]:
    """Return the versions that answered production calls since then, the most recent one first."""
    return [ServedVersion(**row) for row in tx.query("served_since", deployment=deployment, since=since)]


def today(tx: Tx, deployment: str, midnight: datetime) -> TrafficToday:
    row = tx.one("traffic_today", deployment=deployment, since=midnight)
    assert row is not None, "the statement returns one row"
    return TrafficToday(**row)
