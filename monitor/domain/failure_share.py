"""The failure categories of the scored cases of a run, and those of corrections by day."""

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCount:
    """Scored cases of one severity and failure category; `none` counts the passed ones."""

    severity: str
    failure_category: str
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailures:
    """The counts of one run. `at` is when the run started."""

    run_id: str
    at: datetime
    version: str | None
    counts: tuple[FailureCount, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionDay:
    """The corrections of one UTC day in one failure category. `day` is the day of the proposal of the candidate."""

    day: date
    failure_category: str
    corrections: int
