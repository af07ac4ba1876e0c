"""The figures of the health of a set on one day."""

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthDay:
    """The figures at the end of a UTC day; those of the current day at `computed_at`.

    Shares are in [0, 1], ages in days. `saturation` to `uncovered` are None with too few data, the exposure is None for
    a set that is not sealed, and the ages are None without cases. `day_runs` complete runs ended on the day;
    `day_digest` identifies their results.
    """

    day: date
    revision: str
    computed_at: datetime
    day_runs: int
    day_digest: str
    cases: int
    runs: int
    concerns: int
    versions: int
    judged: int
    saturation: float | None
    calls: int
    distant: float | None
    distant_low: float | None
    distant_high: float | None
    uncovered: float | None
    redundant: int
    redundancy: float
    budget: int | None
    max_exposure: int | None
    median_exposure: float | None
    over_budget: int | None
    revealed_cases: int | None
    median_age_days: float | None
    oldest_age_days: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDay:
    """The complete runs of a set that ended on one UTC day. `unsettled` of them have no stored results yet."""

    day: date
    runs: int
    unsettled: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseAges:
    """The ages of the cases of a revision, in days since the oldest stored revision with each; None without cases."""

    median_age_days: float | None
    oldest_age_days: float | None
