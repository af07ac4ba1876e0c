"""What production shows right now: who answers, and what today has counted so far."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedVersion:
    """A version that answered production calls, with how many and the newest of them."""

    version: str
    calls: int
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficToday:
    """Counts since midnight UTC: the day is not over, so no series judges it yet."""

    calls: int
    failed: int
    corrections: int
