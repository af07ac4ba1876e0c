"""The current production traffic: the serving versions, and the counts of today."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedVersion:
    """A version that answered production calls, with their number and the time of the newest."""

    version: str
    calls: int
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficToday:
    """Counts since midnight UTC. No series judges the day before it is over."""

    calls: int
    failed: int
    corrections: int
