from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from monitor.cli.demo.week import NIGHTS, week_before


@given(st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)))
def test_the_whole_week_lies_in_the_past_in_order(now: datetime) -> None:
    week = week_before(now)
    instants = [week.start, *week.nights, week.change]
    assert instants == sorted(instants)
    assert len(week.nights) == NIGHTS
    assert all((night.hour, night.minute) == (2, 0) for night in week.nights)
    assert now - timedelta(days=2) < week.change < week.change + timedelta(hours=6) <= now
