from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.policy import SchedulePolicy
from monitor.schedules.due import due_instant, next_instant

DAY_S = 86_400.0


def nightly(timezone: str = "UTC", cron: str = "0 2 * * *", catch_up_s: float = DAY_S) -> SchedulePolicy:
    return SchedulePolicy(name="nightly", cron=cron, timezone=timezone, deployments=("bot",), catch_up_s=catch_up_s)


def at(day: int, hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, second, tzinfo=UTC)


def test_nothing_is_due_before_the_first_instant() -> None:
    assert due_instant(nightly(), at(1, 12), at(2, 1, 59, 59)) is None


def test_an_instant_is_due_when_it_comes() -> None:
    assert due_instant(nightly(), at(1, 12), at(2, 2)) == at(2, 2)


def test_a_handled_instant_is_not_due_again() -> None:
    assert due_instant(nightly(), at(2, 2), at(2, 23)) is None


def test_a_late_night_is_caught_up_once() -> None:
    assert due_instant(nightly(), at(1, 12), at(2, 9)) == at(2, 2)


def test_after_several_missed_nights_the_latest_alone_is_due() -> None:
    assert due_instant(nightly(), at(1, 12), at(6, 9)) == at(6, 2)


def test_an_instant_older_than_the_catch_up_is_let_go() -> None:
    assert due_instant(nightly(catch_up_s=3600), at(1, 12), at(2, 4)) is None


def test_the_cron_line_is_read_in_its_time_zone() -> None:
    assert due_instant(nightly("Asia/Tokyo"), at(1, 0), at(1, 18)) == at(1, 17)


def test_the_night_the_clocks_go_forward_still_has_its_replay() -> None:
    # 02:00 does not exist in Berlin on 29 March 2026; the replay runs at the instant the clocks jump
    assert due_instant(nightly("Europe/Berlin"), at(28, 12), at(29, 6)) == at(29, 1)


def test_the_next_instant_lies_strictly_ahead() -> None:
    assert next_instant(nightly(), at(2, 2)) == at(3, 2)


@given(
    start=st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 1), timezones=st.just(UTC)),
    steps=st.lists(st.integers(60, 40_000), min_size=1, max_size=60),
)
def test_however_often_it_is_asked_each_night_is_due_at_most_once(start: datetime, steps: list[int]) -> None:
    schedule, last, now = nightly(), start, start
    handled = []
    for step in steps:
        now += timedelta(seconds=step)
        instant = due_instant(schedule, last, now)
        if instant is not None:
            handled.append(instant)
            last = instant
    assert handled == sorted(set(handled))
    assert all(start < instant <= now for instant in handled)
