"""Schedules on the wall clock of ten zones over three years, through every gap and fold of daylight saving time."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from monitor.domain.policy import SchedulePolicy
from monitor.schedules.due import due_instant, instants, next_instant

ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",
    "America/Santiago",  # skips midnight
    "America/Nuuk",  # jumps over the last hour of a Saturday
    "Africa/Cairo",  # skips midnight
    "Africa/Casablanca",  # shifts around Ramadan
    "Asia/Kolkata",
    "Australia/Lord_Howe",  # shifts by half an hour
    "Pacific/Chatham",  # 45 minutes off the hour
)
SINCE, UNTIL = datetime(2025, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def schedule(zone: str, cron: str, catch_up_s: float = 86_400.0) -> SchedulePolicy:
    return SchedulePolicy(name="nightly", cron=cron, timezone=zone, deployments=("bot",), catch_up_s=catch_up_s)


def berlin(month: int, day: int, hour: int, minute: int = 0) -> datetime:
    """2026, in UTC."""
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


@cache
def changes_of_the_clock(zone: str) -> tuple[datetime, ...]:
    """Return every hour before which the zone had another offset."""
    there, at, found = ZoneInfo(zone), SINCE, []
    while at < UNTIL:
        if at.astimezone(there).utcoffset() != (at + HOUR).astimezone(there).utcoffset():
            found.append(at + HOUR)
        at += HOUR
    return tuple(found)


def first_minute_at_or_after(wall: datetime, zone: str) -> datetime:
    """Return the first minute at which the clock shows `wall` or a later time, found minute by minute."""
    at = wall.replace(tzinfo=UTC) - 16 * HOUR
    while at.astimezone(ZoneInfo(zone)).replace(tzinfo=None) < wall:
        at += MINUTE
    return at


def days_around_a_change() -> Iterator[tuple[str, date]]:
    for zone in ZONES:
        for change in changes_of_the_clock(zone):
            there = change.astimezone(ZoneInfo(zone)).date()
            yield from ((zone, there + n * DAY) for n in (-1, 0))


def test_readmes_own_schedule_runs_once_in_the_night_summer_time_ends() -> None:
    nightly = schedule("Europe/Berlin", "0 2 * * *")
    assert due_instant(nightly, berlin(10, 24, 12), berlin(10, 25, 0, 30)) == berlin(10, 25, 0)
    assert due_instant(nightly, berlin(10, 25, 0), berlin(10, 25, 23)) is None
    assert next_instant(nightly, berlin(10, 25, 0)) == berlin(10, 26, 1)


def test_a_time_in_the_gap_of_spring_runs_at_the_first_valid_minute() -> None:
    nightly = schedule("Europe/Berlin", "30 2 * * *")
    assert due_instant(nightly, berlin(3, 28, 12), berlin(3, 29, 1, 29)) == berlin(3, 29, 1)  # 03:00 there
    assert due_instant(nightly, berlin(3, 29, 1), berlin(3, 29, 23)) is None


def test_a_midnight_that_is_skipped_does_not_lose_its_night() -> None:
    nightly = schedule("Africa/Cairo", "0 0 * * *")
    assert next_instant(nightly, berlin(4, 23, 12)) == berlin(4, 23, 22)  # 01:00 there, on Friday 24 April


def test_a_civil_day_that_never_was_has_no_run() -> None:
    nightly = schedule("Pacific/Apia", "0 2 * * *")  # 30 December 2011 was left out
    found = instants(nightly, datetime(2011, 12, 28, tzinfo=UTC), datetime(2012, 1, 1, tzinfo=UTC))
    there = sorted(at.astimezone(ZoneInfo("Pacific/Apia")) for at in found)
    assert [(at.day, at.hour) for at in there] == [(28, 2), (29, 2), (31, 2), (1, 2)]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("at", "cron"), [(time(0), "0 0 * * *"), (time(2), "0 2 * * *"), (time(2, 30), "30 2 * * *")])
def test_a_daily_schedule_runs_once_every_civil_day(zone: str, at: time, cron: str) -> None:
    found = instants(schedule(zone, cron), SINCE, UNTIL)
    days = Counter(one.astimezone(ZoneInfo(zone)).date() for one in found)
    inner = [date(2025, 1, 2) + n * DAY for n in range((UNTIL - SINCE).days - 2)]
    assert {day: days[day] for day in inner if days[day] != 1} == {}


@pytest.mark.parametrize("zone", ["America/Nuuk", "Antarctica/Troll", "Australia/Lord_Howe", "Africa/Cairo"])
@pytest.mark.parametrize(("cron", "jitter_s"), [("59 23 * * *", 43_200.0), ("0 0 * * *", 1800.0)])
def test_jitter_keeps_one_run_every_civil_day(zone: str, cron: str, jitter_s: float) -> None:
    found = instants(replace(schedule(zone, cron), jitter_s=jitter_s), SINCE, UNTIL, deployment="bot")
    days = Counter(one.astimezone(ZoneInfo(zone)).date() for one in found)
    inner = [date(2025, 1, 2) + n * DAY for n in range((UNTIL - SINCE).days - 2)]
    assert {day: days[day] for day in inner if days[day] != 1} == {}


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("cron", ["30 * * * *"])
def test_an_hourly_schedule_runs_once_every_utc_hour(zone: str, cron: str) -> None:
    found = instants(schedule(zone, cron), SINCE, UNTIL)
    hours = Counter(at.replace(minute=0) for at in found)
    inner = [SINCE + HOUR + n * HOUR for n in range(int((UNTIL - SINCE) / HOUR) - 2)]
    assert {hour: hours[hour] for hour in inner if hours[hour] != 1} == {}


@pytest.mark.parametrize("zone", ZONES)
def test_a_weekday_schedule_keeps_to_its_days(zone: str) -> None:
    found = instants(schedule(zone, "30 3 * * mon-fri"), SINCE, UNTIL)
    there = sorted(at.astimezone(ZoneInfo(zone)) for at in found)
    assert {at.weekday() for at in there} == {0, 1, 2, 3, 4}
    assert len({at.date() for at in there}) == len(there)
    assert len(there) >= 780


@pytest.mark.parametrize("at", [time(0), time(0, 30), time(2), time(2, 30), time(3), time(23, 30)])
def test_around_a_change_of_the_clock_a_time_is_its_first_occurrence_or_the_nearest_minute_of_its_day(at: time) -> None:
    for zone, day in days_around_a_change():
        wall = datetime.combine(day, at)
        expected = first_minute_at_or_after(wall, zone)
        if expected.astimezone(ZoneInfo(zone)).date() != day:  # the clock jumps over the rest of the day
            expected -= MINUTE
        daily = schedule(zone, f"{at.minute} {at.hour} * * *")
        near = instants(daily, expected - 12 * HOUR, expected + 12 * HOUR)
        assert near == {expected}, (zone, wall)


crons = st.sampled_from(
    (
        *("0 2 * * *", "30 2 * * *", "0 0 * * *", "0 1,2,3 * * *", "*/20 2 * * *", "0 */6 * * *"),  # every day
        *("0 * * * *", "30 * * * *", "*/5 * * * *"),  # every hour
        *("15 1 * * mon-fri", "0 0 1 * *", "45 23 * * sun"),
    )
)
near_a_change = st.sampled_from(ZONES).flatmap(
    lambda zone: st.tuples(
        st.just(zone),
        st.sampled_from(changes_of_the_clock(zone) or (SINCE + 30 * DAY,)),
        st.integers(-3000, 1000).map(lambda minutes: minutes * MINUTE),
    )
)


@given(crons, near_a_change, st.lists(st.integers(1, 90_000), min_size=1, max_size=40))
@example("0 2 * * *", ("Europe/Berlin", berlin(10, 25, 1), -10 * HOUR), [3600] * 40)
@example("30 * * * *", ("Australia/Lord_Howe", datetime(2026, 10, 3, 15, 30, tzinfo=UTC), -2 * HOUR), [1800] * 12)
@settings(max_examples=60, deadline=None)
def test_however_often_and_late_it_is_asked_it_plans_each_instant_once(
    cron: str, when: tuple[str, datetime, timedelta], steps: list[int]
) -> None:
    """A daemon that checks at irregular times, with downtime, catches up at most one run and plans no other."""
    zone, change, shift = when
    nightly = schedule(zone, cron)
    start = last = now = change + shift
    handled = []
    for step in steps:
        now += timedelta(seconds=step)
        instant = due_instant(nightly, last, now)
        missed = instants(nightly, last, now)
        assert instant == max((at for at in missed if at > now - DAY), default=None)
        if instant is not None:
            assert next_instant(nightly, last) == min(missed)
            handled.append(instant)
            last = instant
    assert handled == sorted(set(handled))
    assert set(handled) <= instants(nightly, start, now)


@given(crons, near_a_change, st.integers(1, 2000))
@settings(max_examples=60, deadline=None)
def test_the_instants_of_a_time_are_those_of_its_parts(
    cron: str, when: tuple[str, datetime, timedelta], minutes: int
) -> None:
    zone, change, shift = when
    nightly, start = schedule(zone, cron), change + shift
    middle, end = start + minutes * MINUTE, start + 3 * DAY
    assert instants(nightly, start, end) == instants(nightly, start, middle) | instants(nightly, middle, end)
