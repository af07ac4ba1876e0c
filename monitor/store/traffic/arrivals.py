"""Counts of arriving calls, the first check when a page stays empty."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from monitor.domain.clock_ahead import AHEAD
from monitor.store.engine.transaction import Tx

MINUTE: Final = timedelta(minutes=1)
HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """Production calls of one deployment by arrival time. Duplicates are not counted."""

    deployment: str
    last_minute: int = 0
    last_hour: int = 0
    last_day: int = 0
    clock_ahead: int = 0  # of the last day, from senders whose clock is far ahead
    last_at: datetime | None = None  # None when no stored call exists


def arrivals(tx: Tx, monitored: Iterable[str], now: datetime) -> list[Arrivals]:
    """Return one entry for each monitored deployment and for every other one that sent a call within a day, by name."""
    rows = tx.query("arrivals", minute=now - MINUTE, hour=now - HOUR, day=now - DAY, ahead_s=AHEAD.total_seconds())
    found = {row["deployment"]: Arrivals(**row) for row in rows}
    for name in monitored:
        if name not in found:
            last = tx.one("last_arrival", deployment=name, day=now - DAY)
            found[name] = Arrivals(deployment=name, last_at=last["last_at"] if last else None)
    return [found[name] for name in sorted(found)]


def by_hour(tx: Tx, since: datetime, until: datetime) -> dict[str, dict[int, int]]:
    """Return the production calls that arrived in [since, until) by deployment and by hour since 1970-01-01."""
    found: dict[str, dict[int, int]] = {}
    for row in tx.query("hourly_arrivals", since=since, until=until):
        found.setdefault(row["deployment"], {})[row["hour"]] = row["calls"]
    return found
