"""A scheduled instant that was recorded while the clock of the machine was ahead."""

from dataclasses import dataclass
from datetime import datetime, timedelta

TOLERANCE = timedelta(minutes=5)  # a clock may be set back by this much without a warning


@dataclass(frozen=True, slots=True, kw_only=True)
class FutureInstant:
    """Schedules ignore the instant. It causes a warning until its time has come."""

    schedule: str
    deployment: str
    instant: datetime

    def __str__(self) -> str:
        return (
            f"schedule {self.schedule} of {self.deployment}: instant {self.instant:%Y-%m-%d %H:%M} UTC is in the "
            "future; the clock was ahead when it was recorded, so it is ignored"
        )
