"""A call that begins after it arrived: the clock of its sender is ahead of ours."""

from datetime import datetime, timedelta
from typing import Final

AHEAD: Final = timedelta(days=1)  # less is a time zone that was left out, and hides nothing for long


def seconds_ahead(started_at: datetime, received_at: datetime) -> float | None:
    """Return by how much a call begins after it arrived; None when it is not more than `AHEAD`."""
    ahead = started_at - received_at
    return ahead.total_seconds() if ahead > AHEAD else None
