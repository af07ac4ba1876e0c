"""Budgets that renew every UTC day and every UTC month."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from replay.run.budget import Account, Budget, Spent


class Period(StrEnum):
    """A period with its own budget, in UTC as most providers bill."""

    DAY = "day"
    MONTH = "month"

    def begin(self, at: datetime) -> datetime:
        """Return the first instant of the period that `at` is in.

        >>> Period.MONTH.begin(datetime(2026, 11, 22, 10, tzinfo=UTC)).isoformat()
        '2026-11-01T00:00:00+00:00'
        """
        day = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return day if self is Period.DAY else day.replace(day=1)

    def end(self, at: datetime) -> datetime:
        """Return the first instant after the period that `at` is in.

        >>> Period.MONTH.end(datetime(2026, 12, 31, 23, tzinfo=UTC)).isoformat()
        '2027-01-01T00:00:00+00:00'
        """
        longest = timedelta(days=1 if self is Period.DAY else 31)
        return self.begin(self.begin(at) + longest)

    @property
    def suffix(self) -> str:
        """The suffix of the names of this period's limits."""
        return f" of the {self.value}"


def renewed_at(stopped_by: str, at: datetime) -> datetime | None:
    """Return when the limit that cut off a run at `at` is renewed; None for a limit of the run itself.

    >>> renewed_at("requests of the day", datetime(2026, 11, 22, 10, tzinfo=UTC)).isoformat()
    '2026-11-23T00:00:00+00:00'
    >>> renewed_at("requests", datetime(2026, 11, 22, 10, tzinfo=UTC)) is None
    True
    """
    return next((period.end(at) for period in Period if stopped_by.endswith(period.suffix)), None)


class PeriodAccount(Account):
    """The account of consecutive periods. Calls in flight at a change of period count in the new one."""

    def __init__(
        self,
        budget: Budget,
        period: Period,
        now: Callable[[], datetime],
        *,
        spent: Spent,
        expected: Spent | None = None,
    ) -> None:
        super().__init__(budget, spent=spent, expected=expected, period=period.suffix)
        self._unit, self._now = period, now
        self._until = period.end(now())

    def _begin_period(self) -> None:
        now = self._now()
        if now >= self._until:
            self.spent = Spent()
            self._until = self._unit.end(now)
