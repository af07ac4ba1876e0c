from datetime import UTC, datetime
from typing import Any

import pytest

from monitor.config.policy import to_policy
from monitor.domain.policy import SchedulePolicy
from monitor.errors import ConfigError
from tests.config.builders import config

BACKUP = {"start": "01:00", "end": "04:00", "days": ["sun"]}


def schedule(**keys: Any) -> SchedulePolicy:
    return to_policy(config(windows__backup=BACKUP, schedules__nightly=keys)).schedules["nightly"]


def refusal(**keys: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        schedule(**keys)
    return str(caught.value)


@pytest.mark.parametrize(("every", "seconds"), [("5m", 300.0), ("6h", 21_600.0), ("2d", 172_800.0)])
def test_an_interval_replaces_the_cron_line(every: str, seconds: float) -> None:
    found = schedule(every=every)
    assert (found.cron, found.every_s) == (None, seconds)


def test_an_anchor_is_on_the_clock_of_the_time_zone() -> None:
    assert schedule(every="6h", timezone="Europe/Berlin", anchor="2026-11-01T01:30").anchor == datetime(
        2026, 11, 1, 0, 30, tzinfo=UTC
    )
    assert schedule(every="6h", timezone="Europe/Berlin", anchor="2026-11-01T01:30Z").anchor == datetime(
        2026, 11, 1, 1, 30, tzinfo=UTC
    )


def test_blackouts_reach_the_policy() -> None:
    found = schedule(cron="0 2 * * *", blackouts=["backup"], in_blackout="skip", jitter_s=600)
    assert ([window.name for window in found.blackouts], found.postpone, found.jitter_s) == (["backup"], False, 600.0)


def test_blackouts_that_leave_no_time_free_are_refused() -> None:
    halves = {"day": {"start": "06:00", "end": "18:00"}, "night": {"start": "18:00", "end": "06:00"}}
    with pytest.raises(ConfigError, match="schedule 'nightly': the windows day, night leave no time of the week free"):
        config(windows=halves, schedules__nightly={"blackouts": ["day", "night"]})
    assert config(windows=halves, schedules__nightly={"blackouts": ["day"]}).schedules["nightly"].blackouts == ("day",)


@pytest.mark.parametrize(
    ("keys", "part"),
    [
        ({"every": "6h", "cron": "0 2 * * *"}, "schedules.nightly.every: give cron or every, not both"),
        ({"anchor": "2026-11-01T01:30"}, "schedules.nightly.anchor: an anchor needs every"),
        ({"every": "6h", "anchor": "noon"}, "schedules.nightly.anchor: the time 'noon' cannot be read"),
        ({"every": "6 hours"}, "schedules.nightly.every: the interval '6 hours' cannot be read"),
        ({"every": "1m"}, "schedules.nightly.every: the interval '1m' is not between 5m and 31d"),
        ({"blackouts": ["lunch"]}, "schedule 'nightly': window 'lunch' is unknown; known: backup"),
        ({"blackouts": ["backup", "backup"]}, "schedule 'nightly': window 'backup' is given 2 times"),
        ({"in_blackout": "ignore"}, "schedules.nightly.in_blackout"),
        ({"jitter_s": -1}, "schedules.nightly.jitter_s"),
    ],
)
def test_a_schedule_that_cannot_run_is_refused_with_its_key(keys: Any, part: str) -> None:
    assert part in refusal(**keys)
