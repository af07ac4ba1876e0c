"""The pure functions over ten time zones and three years, with jitter on, through every fold and gap.

A component test (tests/components.py). The default suite has a part of it in `test_civil_nights.py`.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise, product
from random import Random
from zoneinfo import ZoneInfo

import pytest

from monitor.domain.policy import SchedulePolicy
from monitor.schedules.due import due_instant, instants, next_instant

ZONES = (
    "Africa/Cairo",  # skips midnight
    "Africa/Casablanca",  # shifts around Ramadan
    "America/Nuuk",  # shifts on a Saturday evening
    "America/Santiago",  # skips midnight in the south
    "Antarctica/Troll",  # shifts by two hours
    "Asia/Kathmandu",  # 45 minutes off the hour
    "Australia/Lord_Howe",  # shifts by half an hour
    "Europe/Berlin",
    "Pacific/Apia",  # skipped 30 December 2011
    "Pacific/Chatham",  # 45 minutes off the hour, in the south
)
SINCE, UNTIL = datetime(2025, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC)
SAMOA = datetime(2010, 7, 1, tzinfo=UTC), datetime(2013, 7, 1, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
JITTERS_S = (0.0, 1800.0, 43_200.0)
DEPLOYMENTS = ("bot", "search")  # shares of the jitter of 0.97 and 0.35


def years(zone: str) -> tuple[datetime, datetime]:
    return SAMOA if zone == "Pacific/Apia" else (SINCE, UNTIL)


def schedule(zone: str, cron: str | None, jitter_s: float, every: timedelta | None = None) -> SchedulePolicy:
    return SchedulePolicy(
        name="nightly",
        cron=cron,
        every_s=None if every is None else every.total_seconds(),
        timezone=zone,
        deployments=DEPLOYMENTS,
        catch_up_s=10 * 86_400.0,
        jitter_s=jitter_s,
    )


def civil_days(zone: str) -> set[date]:
    """Return the civil days of the zone that lie wholly inside the three years, minute by minute of each UTC hour."""
    there, (since, until) = ZoneInfo(zone), years(zone)
    found = {(since + n * HOUR).astimezone(there).date() for n in range(int((until - since) / HOUR))}
    return found - {min(found), max(found)}


def not_once(counted: Counter[date], expected: Iterable[date]) -> dict[date, int]:
    return {day: counted[day] for day in expected if counted[day] != 1}


@pytest.mark.parametrize("zone", ZONES)
def test_a_daily_schedule_runs_once_every_civil_day(zone: str) -> None:
    there, days = ZoneInfo(zone), civil_days(zone)
    for cron, jitter_s, name in product(("0 0 * * *", "30 2 * * *", "59 23 * * *"), JITTERS_S, DEPLOYMENTS):
        found = instants(schedule(zone, cron, jitter_s), *years(zone), deployment=name)
        assert not_once(Counter(at.astimezone(there).date() for at in found), days) == {}, (cron, jitter_s, name)


@pytest.mark.parametrize("zone", ZONES)
def test_an_hourly_schedule_runs_once_every_utc_hour(zone: str) -> None:
    since, until = years(zone)
    hours = [since + n * HOUR for n in range(1, int((until - since) / HOUR) - 1)]
    for one in (
        schedule(zone, "30 * * * *", 0.0),
        schedule(zone, "30 * * * *", 1800.0),
        schedule(zone, None, 3e3, HOUR),
    ):
        found = instants(one, since, until, deployment="bot")
        counted = Counter(at.replace(minute=0, second=0) for at in found)
        assert [hour for hour in hours if counted[hour] != 1] == [], one


@pytest.mark.parametrize("zone", ZONES)
def test_an_interval_schedule_runs_once_in_every_interval(zone: str) -> None:
    since, until = years(zone)
    for every, jitter_s in product((6 * HOUR, DAY), JITTERS_S):
        found = instants(schedule(zone, None, jitter_s, every), since - every, until, deployment="bot")
        counted = Counter((at - since) // every for at in found)
        assert [n for n in range((until - since) // every) if counted[n] != 1] == [], (every, jitter_s)


@pytest.mark.parametrize("zone", ZONES)
def test_stepping_with_random_pauses_finds_exactly_the_instants(zone: str) -> None:
    rng, (since, until) = Random(zone), years(zone)
    for cron, every, jitter_s in (("30 2 * * *", None, 1800.0), ("0 */6 * * *", None, 600.0), (None, 6 * HOUR, 7200.0)):
        one = schedule(zone, cron, jitter_s, every)
        expected = sorted(instants(one, since, until, deployment="bot"))
        shortest = min(later - earlier for earlier, later in pairwise(expected))
        last = now = since
        handled: list[datetime] = []
        while now < until:
            now = min(until, now + rng.random() * 0.9 * shortest)  # shorter than the distance of two instants
            found = due_instant(one, last, now, deployment="bot")
            if found is not None:
                handled.append(found)
                last = found
        assert handled == expected


@pytest.mark.parametrize("zone", ZONES)
def test_going_from_each_instant_to_the_next_finds_exactly_the_instants(zone: str) -> None:
    since, _ = years(zone)
    until = since + 400 * DAY
    for cron, every in (("30 2 * * *", None), ("0 */6 * * *", None), (None, 8 * HOUR)):
        one, at, found = schedule(zone, cron, 5400.0, every), since, []
        while (following := next_instant(one, at, deployment="bot")) is not None and following <= until:
            at = following
            found.append(at)
        assert found == sorted(instants(one, since, until, deployment="bot"))
