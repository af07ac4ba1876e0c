"""Budgets of a day and of a month."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from replay.periods import Period, PeriodAccount
from replay.run.budget import Budget, Spent

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("period", "at", "begin", "end"),
    [
        (Period.DAY, NOON, (2026, 11, 22), (2026, 11, 23)),
        (Period.DAY, datetime(2026, 12, 31, 23, 59, tzinfo=UTC), (2026, 12, 31), (2027, 1, 1)),
        (
            Period.DAY,
            datetime(2026, 11, 23, 0, 30, tzinfo=timezone(timedelta(hours=1))),
            (2026, 11, 22),
            (2026, 11, 23),
        ),
        (Period.MONTH, NOON, (2026, 11, 1), (2026, 12, 1)),
        (Period.MONTH, datetime(2028, 2, 29, tzinfo=UTC), (2028, 2, 1), (2028, 3, 1)),
        (Period.MONTH, datetime(2026, 1, 1, tzinfo=UTC), (2026, 1, 1), (2026, 2, 1)),
    ],
)
def test_a_period_begins_and_ends_at_midnight_in_utc(
    period: Period, at: datetime, begin: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    assert (period.begin(at), period.end(at)) == (datetime(*begin, tzinfo=UTC), datetime(*end, tzinfo=UTC))


def test_a_budget_is_renewed_when_its_period_ends() -> None:
    now = [NOON]
    account = PeriodAccount(Budget(requests=2), Period.DAY, lambda: now[0], spent=Spent(requests=1))
    assert account.take() is None
    assert account.take() == account.limit() == "requests of the day"
    now[0] = datetime(2026, 11, 23, tzinfo=UTC)
    assert account.limit() is None
    assert account.take() is None
    assert account.spent.requests == 1


def test_a_call_in_flight_at_midnight_is_charged_to_the_new_day() -> None:
    now = [NOON]
    account = PeriodAccount(Budget(tokens=100), Period.DAY, lambda: now[0], spent=Spent())
    assert account.take() is None
    now[0] += timedelta(days=1)
    account.settle(Spent(requests=1, tokens=100))
    assert account.take() == "tokens of the day"
