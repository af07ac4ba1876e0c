"""Current production traffic: the serving versions, and the counts of today."""

from datetime import datetime

from monitor.domain.served import ServedVersion, TrafficToday
from monitor.store.aggregates import traffic_counts
from monitor.store.engine.transaction import Tx


def served_since(tx: Tx, deployment: str, since: datetime) -> list[ServedVersion]:
    """Return the versions that answered production calls since then, the most recent one first."""
    counted = traffic_counts.by_version(tx, deployment, since)
    served = [ServedVersion(version=name, calls=calls, last_at=at) for name, (calls, at) in counted.items()]
    return sorted(sorted(served, key=lambda one: one.version), key=lambda one: one.last_at, reverse=True)


def today(tx: Tx, deployment: str, midnight: datetime) -> TrafficToday:
    row = tx.one("traffic_today", deployment=deployment, since=midnight)
    assert row is not None, "the statement returns one row"
    return TrafficToday(**row)
