"""The schedule loop with a real store: the nights it plans when the clock of its zone, or of the machine, jumps."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.domain.calendar.pauses import Pause
from monitor.domain.calendar.windows import Window
from monitor.domain.policy import Policy, SchedulePolicy
from monitor.domain.run import Run
from monitor.jobs.replay.schedule_loop import ScheduleLoop
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.runs import pauses, runs
from monitor.store.sets import revisions as evalsets
from tests.api.policies import policy
from tests.store.build import revision


class MovedClock:
    """A clock that a test sets forward and back."""

    def __init__(self, now: datetime) -> None:
        self.at = now

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()


class House:
    def __init__(self, folder: Path, start: datetime, cron: str | None = "0 2 * * *", **fields: Any) -> None:
        self.clock = MovedClock(start)
        self.store = Store.open(folder / "driftd.duckdb", clock=self.clock)
        self.policy = _nightly(cron, fields)
        self.loop = ScheduleLoop(store=self.store, policy=self.policy, clock=self.clock)
        with self.store.write() as tx:
            evalsets.insert(tx, revision("private", created_at=start), [])
        self.loop.step()

    def live_until(self, end: datetime, step: timedelta = timedelta(minutes=30)) -> None:
        while self.clock.at < end:
            self.clock.at += step
            self.loop.step()

    def planned(self) -> list[str]:
        with self.store.read() as tx:
            found: list[Run] = runs.page(tx, PageQuery(limit=500)).items
        return [f"{run.planned_at.astimezone(UTC):%m-%d %H:%M}" for run in reversed(found)]


def _nightly(cron: str | None, fields: Mapping[str, Any]) -> Policy:
    base = policy()
    bot = replace(base.deployments["bot"], sets=("private",))
    schedule = SchedulePolicy(
        name="nightly", cron=cron, timezone="Europe/Berlin", deployments=("bot",), catch_up_s=86_400.0, **fields
    )
    return replace(base, deployments={"bot": bot}, schedules={"nightly": schedule})


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    one = House(tmp_path, datetime(2026, 10, 23, 12, tzinfo=UTC))
    yield one
    one.store.close()


def test_the_night_summer_time_ends_has_one_run(house: House) -> None:
    house.live_until(datetime(2026, 10, 26, 12, tzinfo=UTC))
    assert house.planned() == ["10-24 00:00", "10-25 00:00", "10-26 01:00"]


def test_the_night_summer_time_begins_runs_at_the_first_valid_minute(tmp_path: Path) -> None:
    spring = House(tmp_path, datetime(2026, 3, 27, 12, tzinfo=UTC), cron="30 2 * * *")
    spring.live_until(datetime(2026, 3, 30, 12, tzinfo=UTC))
    assert spring.planned() == ["03-28 01:30", "03-29 01:00", "03-30 00:30"]
    spring.store.close()


def test_a_daemon_that_was_down_over_the_fold_catches_up_once(house: House) -> None:
    house.clock.at = datetime(2026, 10, 25, 6, tzinfo=UTC)
    house.live_until(datetime(2026, 10, 25, 12, tzinfo=UTC))
    assert house.planned() == ["10-25 00:00"]


def test_after_a_clock_that_was_years_ahead_the_nights_go_on_and_the_log_says_so_once(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.live_until(datetime(2026, 10, 24, 1, tzinfo=UTC))
    house.clock.at = datetime(2030, 1, 1, 12, tzinfo=UTC)
    house.loop.step()
    house.clock.at = datetime(2026, 10, 24, 12, tzinfo=UTC)
    with caplog.at_level(logging.WARNING):
        house.live_until(datetime(2026, 10, 27, 12, tzinfo=UTC))
    assert house.planned() == ["10-24 00:00", "10-25 00:00", "10-26 01:00", "10-27 01:00", "01-01 01:00"]
    warned = [record for record in caplog.records if record.levelno >= logging.WARNING]
    [sent] = [record.getMessage() for record in warned if record.name == "monitor.jobs.replay.schedule_loop"]
    assert sent == (
        "schedule nightly of bot: instant 2030-01-01 01:00 UTC is in the future; the clock was ahead when it was "
        "recorded, so it is ignored"
    )


def test_a_clock_that_is_set_back_plans_no_night_twice(house: House) -> None:
    house.live_until(datetime(2026, 10, 24, 3, tzinfo=UTC))
    house.clock.at = datetime(2026, 10, 23, 20, tzinfo=UTC)
    house.live_until(datetime(2026, 10, 24, 12, tzinfo=UTC))
    assert house.planned() == ["10-24 00:00"]


def test_a_paused_schedule_plans_nothing_and_catches_nothing_up(house: House) -> None:
    house.live_until(datetime(2026, 10, 24, 3, tzinfo=UTC))
    with house.store.write() as tx:
        pauses.insert(tx, Pause(id="p1", schedule="nightly", paused_at=house.clock.at, paused_by="anna"))
    house.live_until(datetime(2026, 10, 26, 12, tzinfo=UTC))
    with house.store.write() as tx:
        assert pauses.resume(tx, "nightly", house.clock.at, "ben") == 1
    house.live_until(datetime(2026, 10, 27, 12, tzinfo=UTC))
    assert house.planned() == ["10-24 00:00", "10-27 01:00"]


def test_a_pause_ends_at_its_end_without_a_person(house: House) -> None:
    end = datetime(2026, 10, 25, 12, tzinfo=UTC)
    with house.store.write() as tx:
        pauses.insert(tx, Pause(id="p1", schedule="nightly", paused_at=house.clock.at, paused_by="anna", ends_at=end))
    house.live_until(datetime(2026, 10, 26, 12, tzinfo=UTC))
    assert house.planned() == ["10-26 01:00"]


def test_a_night_in_a_blackout_is_planned_at_its_end(tmp_path: Path) -> None:
    backup = Window(name="backup", timezone="Europe/Berlin", start=time(1, 30), end=time(4))
    night = House(tmp_path, datetime(2026, 10, 27, 12, tzinfo=UTC), blackouts=(backup,))
    night.live_until(datetime(2026, 10, 29, 12, tzinfo=UTC))
    assert night.planned() == ["10-28 03:00", "10-29 03:00"]
    night.store.close()


def test_an_interval_plans_a_run_each_time_it_has_passed(tmp_path: Path) -> None:
    often = House(tmp_path, datetime(2026, 10, 27, 12, tzinfo=UTC), cron=None, every_s=8 * 3600.0)
    often.live_until(datetime(2026, 10, 28, 12, tzinfo=UTC))
    assert often.planned() == ["10-27 16:00", "10-28 00:00", "10-28 08:00"]
    often.store.close()
