"""The sets of a house: exposure from the access log, and canaries in stored traffic."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from monitor.alerting.checks.condition import ConditionState
from monitor.domain.evalset import Revision
from monitor.jobs.alerting.set_checks import FIRST_AFTER, SetCheck
from monitor.store.sets import revisions
from monitor.store.traffic import interactions
from tests.jobs.replay_house import House
from tests.store.build import interaction, user

FIRING, CLEAR, UNKNOWN = ConditionState.FIRING, ConditionState.CLEAR, ConditionState.UNKNOWN


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.store.close()


def states(house: House, check: SetCheck) -> dict[str, ConditionState]:
    return {one.rule: one.state for one in check.conditions(house.clock.now())}


def revision(house: House) -> Revision:
    with house.store.read() as tx:
        found = revisions.current(tx, "primes")
    assert found is not None
    return found


def test_the_deep_search_starts_ten_minutes_after_a_start(house: House) -> None:
    sealed = replace(revision(house), revision="r2", sealed=True, created_at=house.clock.now() + timedelta(days=999))
    with house.store.write() as tx:
        revisions.insert(tx, sealed, [])
        now = house.clock.now()
        asked = (user(f"please answer {sealed.canary}"),)
        leaked = interaction("a", input_messages=asked, started_at=now, received_at=now)
        interactions.insert(tx, [leaked])
    check = SetCheck(house.store, house.policy, lambda _: None)
    assert states(house, check)["SetLeaked"] is UNKNOWN
    house.clock.instant += FIRST_AFTER
    assert states(house, check)["SetLeaked"] is FIRING
    assert states(house, check)["SetStale"] is UNKNOWN  # without the key of the set


def test_a_house_without_traffic_has_no_condition_that_fires(house: House) -> None:
    check = SetCheck(house.store, house.policy, lambda _: None)
    states(house, check)
    house.clock.instant += FIRST_AFTER
    assert FIRING not in states(house, check).values()
