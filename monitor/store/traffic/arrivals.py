"""How many calls arrive: the first thing to look at when a page stays empty."""

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
    """Production calls of one deployment by when they arrived; a second report of a call is not counted."""

    deployment: str
    last_minute: int = 0
    last_hour: int = 0
    last_day: int = 0
    clock_ahead: int = 0  # of the last day, by senders whose clocks are far ahead of ours
    last_at: datetime | None = None  # None when none has ever arrived, or none that is still kept


def arrivals(tx: Tx, monitored: Iterable[str], now: datetime) -> list[Arrivals]:
    """Return one for each monitored deployment and for every other that sent something within a day, by name."""
    rows = tx.query("arrivals", minute=now - MINUTE, hour=now - HOUR, day=now - DAY, ahead_s=AHEAD.total_seconds())
    found = {row["deployment"]: Arrivals(**row) for row in rows}
    for name in monitored:
        if name not in found:
            last = tx.one("last_arrival", deployment=name, day=now - DAY)
            found[name] = Arrivals(deployment=name, last_at=last["last_at"] if last else None)
    return [found[name] for name in sorted(found)]
