"""Production traffic of this moment: who answers, and today's counts."""

from datetime import datetime

from monitor.domain.served import ServedVersion, TrafficToday
from monitor.store.engine.transaction import Tx


def served_since(tx: Tx, deployment: str, since: datetime) -> list[ServedVersion]:
    """Versions that answered production calls since then, the one that answered last first."""
    return [ServedVersion(**row) for row in tx.query("served_since", deployment=deployment, since=since)]


def today(tx: Tx, deployment: str, midnight: datetime) -> TrafficToday:
    row = tx.one("traffic_today", deployment=deployment, since=midnight)
    assert row is not None, "a row of counts always comes"
    return TrafficToday(**row)
