"""The arrivals of a deployment in the store, by hour, through the check of a running daemon."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from monitor.alerting.checks.condition import Condition, ConditionState
from monitor.jobs.alerting.daemon_checks import TrafficCheck
from monitor.store.traffic import interactions
from tests.jobs.replay_house import House
from tests.store.build import interaction

HOUR, WEEK = timedelta(hours=1), timedelta(weeks=1)
CALLS = 30  # an hour


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.store.close()


def send(house: House, since: datetime, until: datetime) -> None:
    """Store calls in every hour of [since, until)."""
    hours = int((until - since) / HOUR)
    rows = [
        interaction(f"{since + hour * HOUR:%m%dT%H}-{n}", received_at=(at := since + hour * HOUR), started_at=at)
        for hour in range(hours)
        for n in range(CALLS)
    ]
    with house.store.write() as tx:
        interactions.insert(tx, rows)


def state(house: House, check: TrafficCheck) -> ConditionState:
    [found] = check.conditions(house.clock.now())
    assert isinstance(found, Condition)
    return found.state


def test_a_deployment_that_stops_is_found_and_its_next_calls_clear_it(house: House) -> None:
    start = house.clock.now()
    send(house, start - 3 * WEEK, start)
    check = TrafficCheck(house.store, house.policy)
    assert state(house, check) is ConditionState.UNKNOWN  # driftd has just started
    for hour in (1, 2, 3):
        send(house, start + (hour - 1) * HOUR, start + hour * HOUR)
        house.clock.instant = start + hour * HOUR
        assert state(house, check) is ConditionState.CLEAR
    house.clock.instant = start + 6 * HOUR
    assert state(house, check) is ConditionState.FIRING
    send(house, start + 6 * HOUR, start + 7 * HOUR)
    house.clock.instant = start + 7 * HOUR
    assert state(house, check) is ConditionState.CLEAR
