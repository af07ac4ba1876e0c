"""Intervals, jitter, blackouts and pauses of schedules, as timetables."""

from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from typing import Any

import pytest

from monitor.domain.calendar.pauses import Pause
from monitor.domain.calendar.windows import WEEKDAYS, Window
from monitor.domain.policy import SchedulePolicy
from monitor.schedules.due import due_instant, instants, next_instant
from monitor.schedules.jitter import share
from monitor.schedules.occasions import occasions

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """November 2026, in UTC."""
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC)


def schedule(cron: str | None = "0 2 * * *", **fields: Any) -> SchedulePolicy:
    known = {"name": "nightly", "timezone": "UTC", "deployments": ("bot",), "catch_up_s": 86_400.0}
    return SchedulePolicy(cron=cron, **{**known, **fields})


def window(start: int, end: int, *days: str) -> Window:
    return Window(name="backup", timezone="UTC", days=frozenset(days or WEEKDAYS), start=time(start), end=time(end))


def pause(start: datetime, end: datetime | None = None, **fields: Any) -> Pause:
    return Pause(id="pause-1", schedule="nightly", paused_at=start, paused_by="anna", ends_at=end, **fields)


def times(found: set[datetime]) -> list[str]:
    return [f"{one:%d %H:%M}" for one in sorted(found)]


def states(one: SchedulePolicy, after: datetime, until: datetime, *pauses: Pause) -> list[str]:
    found = occasions(one, after, until, deployment="bot", pauses=pauses)
    return [f"{each.nominal:%d %H:%M} {each.state} {each.at:%d %H:%M}" for each in found]


def test_an_interval_counts_from_its_anchor_before_and_after_it() -> None:
    six_hours = schedule(None, every_s=6 * 3600, anchor=at(20, 1, 30))
    assert times(instants(six_hours, at(19, 12), at(20, 14))) == [
        "19 13:30",
        "19 19:30",
        "20 01:30",
        "20 07:30",
        "20 13:30",
    ]
    assert next_instant(six_hours, at(20, 1, 30)) == at(20, 7, 30)
    assert due_instant(six_hours, at(20, 1, 30), at(20, 23)) == at(20, 19, 30)


def test_an_interval_follows_elapsed_time_when_clocks_change() -> None:
    berlin = schedule(None, every_s=6 * 3600, timezone="Europe/Berlin", anchor=datetime(2026, 10, 24, tzinfo=UTC))
    found = sorted(instants(berlin, datetime(2026, 10, 24, tzinfo=UTC), datetime(2026, 10, 26, tzinfo=UTC)))
    assert {later - earlier for earlier, later in pairwise(found)} == {6 * HOUR}


def test_an_instant_inside_a_blackout_runs_at_its_end() -> None:
    nightly = schedule(blackouts=(window(1, 4, "sat"),))
    assert states(nightly, at(20, 12), at(23, 0)) == ["21 02:00 postponed 21 04:00", "22 02:00 planned 22 02:00"]
    assert due_instant(nightly, at(20, 2), at(21, 3, 59), deployment="bot") is None
    assert due_instant(nightly, at(20, 2), at(21, 4), deployment="bot") == at(21, 4)
    assert due_instant(nightly, at(21, 4), at(21, 23), deployment="bot") is None


def test_an_instant_at_the_start_of_a_blackout_is_inside_it_and_at_its_end_is_not() -> None:
    assert times(instants(schedule(blackouts=(window(2, 3),)), at(21, 0), at(21, 12))) == ["21 03:00"]
    assert times(instants(schedule(blackouts=(window(2, 3),)), at(21, 2, 30), at(21, 12))) == ["21 03:00"]
    assert states(schedule(blackouts=(window(1, 2),)), at(21, 0), at(21, 12)) == ["21 02:00 planned 21 02:00"]


def test_a_skipped_instant_does_not_run() -> None:
    nightly = schedule(blackouts=(window(1, 4, "sat"),), postpone=False)
    assert states(nightly, at(20, 12), at(23, 0)) == ["21 02:00 skipped 21 02:00", "22 02:00 planned 22 02:00"]
    assert next_instant(nightly, at(20, 12)) == at(22, 2)


def test_instants_that_a_blackout_postpones_to_the_same_time_are_one_run() -> None:
    hourly = schedule("30 * * * *", blackouts=(window(22, 1),))
    assert states(hourly, at(20, 21), at(21, 2)) == [
        "20 21:30 planned 20 21:30",
        "20 22:30 merged 21 01:00",
        "20 23:30 merged 21 01:00",
        "21 00:30 postponed 21 01:00",
        "21 01:30 planned 21 01:30",
    ]
    assert times(instants(hourly, at(21, 0, 45), at(21, 1))) == ["21 01:00"]


def test_a_late_night_waits_for_the_end_of_a_blackout() -> None:
    nightly = schedule(blackouts=(window(5, 7),))
    assert due_instant(nightly, at(20, 2), at(21, 6)) is None
    assert due_instant(nightly, at(20, 2), at(21, 7)) == at(21, 2)


def test_a_schedule_whose_instants_are_all_in_a_blackout_has_no_next_one() -> None:
    assert next_instant(schedule(blackouts=(window(1, 4),), postpone=False), at(20, 0)) is None
    assert next_instant(schedule(blackouts=(window(0, 12), window(12, 0))), at(20, 0)) is None


def test_a_pause_leaves_out_its_instants_and_does_not_catch_them_up() -> None:
    nightly, stopped = schedule(), pause(at(20, 12), at(22, 12))
    assert states(nightly, at(20, 0), at(24, 0), stopped) == [
        "20 02:00 planned 20 02:00",
        "21 02:00 paused 21 02:00",
        "22 02:00 paused 22 02:00",
        "23 02:00 planned 23 02:00",
    ]
    assert due_instant(nightly, at(20, 2), at(22, 13), pauses=[stopped]) is None
    assert next_instant(nightly, at(20, 13), pauses=[stopped]) == at(23, 2)


def test_a_pause_without_an_end_has_no_next_instant_until_a_person_resumes_it() -> None:
    assert next_instant(schedule(), at(20, 13), pauses=[pause(at(20, 12))]) is None
    resumed = pause(at(20, 12), at(30, 0), resumed_at=at(21, 1), resumed_by="ben")
    assert next_instant(schedule(), at(20, 13), pauses=[resumed]) == at(21, 2)


def test_the_next_time_of_a_dense_schedule_is_after_a_long_pause() -> None:
    dense, stopped = schedule("*/5 * * * *"), pause(at(20, 12), at(20, 12) + 900 * DAY)
    assert next_instant(dense, at(20, 13), pauses=[stopped]) == at(20, 12) + 900 * DAY


def test_a_blackout_of_another_zone_that_skips_the_whole_winter_leaves_the_summer() -> None:
    morning = Window(name="morning", timezone="Europe/Berlin", start=time(3), end=time(4))
    nightly = schedule("30 2 * * *", blackouts=(morning,), postpone=False)
    assert next_instant(nightly, at(20, 0)) == datetime(2027, 3, 28, 2, 30, tzinfo=UTC)  # 04:30 in Berlin


def test_nothing_is_due_during_a_pause_not_even_an_earlier_instant() -> None:
    stopped = pause(at(21, 3))
    assert due_instant(schedule(), at(20, 2), at(21, 4), pauses=[stopped]) is None


def test_jitter_is_a_fixed_share_that_differs_between_deployments() -> None:
    jittered = schedule(jitter_s=3600.0)
    delays = {
        name: {
            one - one.replace(hour=2, minute=0, second=0)
            for one in instants(jittered, at(1, 0), at(29, 0), deployment=name)
        }
        for name in ("bot", "search", "mail")
    }
    assert all(len(found) == 1 and timedelta() <= min(found) < HOUR for found in delays.values())
    assert len({min(found) for found in delays.values()}) == 3
    assert share("nightly", "bot") == pytest.approx(
        0.970583404880017
    )  # stable over releases: a change would move every night


def test_jitter_reaches_neither_the_next_day_nor_the_next_instant() -> None:
    late = schedule("50 23 * * *", jitter_s=43_200.0)
    assert all(one.day == n for n, one in enumerate(sorted(instants(late, at(1, 0), at(30, 0), deployment="z")), 1))
    close = schedule("0,10 2 * * *", jitter_s=43_200.0)
    first, second = sorted(instants(close, at(20, 0), at(21, 0), deployment="z"))
    assert at(20, 2) <= first < at(20, 2, 10) <= second
