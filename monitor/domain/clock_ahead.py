"""A call that begins after it arrived: the clock of its sender is ahead."""

from datetime import datetime, timedelta
from typing import Final

AHEAD: Final = timedelta(days=1)  # a smaller difference may be a missing time zone, and passes within a day


def seconds_ahead(started_at: datetime, received_at: datetime) -> float | None:
    """Return the seconds by which a call begins after it arrived; None when they are not more than `AHEAD`."""
    ahead = started_at - received_at
    return ahead.total_seconds() if ahead > AHEAD else None
