"""A pause of a schedule: who paused it, when, until when, and who ended the pause."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """The schedule plans nothing in [paused_at, end). What it would have planned then is not caught up."""

    id: str
    schedule: str
    paused_at: datetime
    paused_by: str
    ends_at: datetime | None = None  # None: until a person resumes it
    reason: str | None = None
    resumed_at: datetime | None = None
    resumed_by: str | None = None

    @property
    def end(self) -> datetime | None:
        """The end of the pause; None while it has none."""
        return min((at for at in (self.ends_at, self.resumed_at) if at is not None), default=None)

    def contains(self, at: datetime) -> bool:
        return self.paused_at <= at and (self.end is None or at < self.end)
