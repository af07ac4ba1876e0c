from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from monitor.config.tree import Config
from monitor.domain.run import RunState, Trigger
from monitor.store.runs import outcomes, runs
from tests.jobs.nightly import FIRST
from tests.jobs.replay_house import CASES, CATEGORIES, House, config


def test_a_run_that_meets_its_budget_is_a_fair_sample_and_says_so(tmp_path: Path) -> None:
    house = House(tmp_path, budget={"requests": 40})
    run = house.played()
    assert (run.state, run.stopped_by, run.cases_attempted, run.cases) == (RunState.COMPLETE, "requests", 40, CASES)
    assert run.manifest is not None
    assert run.manifest["extra"]["partial"] == "cut off by its budget of requests"
    shares = Counter(CATEGORIES[int(case.split("-")[1]) % 4] for case in house.model.asked)
    assert all(9 <= shares[category] <= 11 for category in CATEGORIES)


def test_money_is_never_spent_beyond_the_budget(tmp_path: Path) -> None:
    run = House(tmp_path, budget={"usd": 0.255}).played()
    assert run.manifest is not None
    assert run.manifest["cost_usd"] <= 0.255
    assert (run.stopped_by, run.cases_attempted) == ("usd", 25)


def test_a_budget_in_money_needs_a_price() -> None:
    settings = config({"budget": {"usd": 1.0}}).model_dump(mode="json", exclude_unset=True)
    del settings["targets"]["model"]["price"]
    with pytest.raises(ValueError, match=r"replay\.budget\.usd needs targets\.model\.price"):
        Config.model_validate(settings)


def test_what_a_run_will_take_is_said_before_it_and_the_next_one_goes_by_it(tmp_path: Path) -> None:
    house = House(tmp_path)
    first = house.played()
    assert first.forecast is not None
    assert (first.forecast["calls"], first.forecast["basis"]) == (CASES, "the length of the texts")
    assert first.forecast["tokens"] > CASES * 100
    house.later(days=1)
    second = house.played()
    assert second.forecast is not None
    assert second.manifest is not None
    assert second.forecast["basis"] == "the last run"
    assert second.forecast["usd"] == pytest.approx(second.manifest["cost_usd"])
    assert second.forecast["seconds"] == pytest.approx(CASES * 0.05 / 4)


def test_a_run_whose_target_is_out_waits_and_goes_on_the_same_night(tmp_path: Path) -> None:
    house = House(tmp_path, retry_minutes=10.0)
    house.model.out = True
    waiting = house.played()
    assert (waiting.state, waiting.retries) == (RunState.RUNNING, 1)
    assert waiting.retry_at == FIRST + timedelta(minutes=10)
    assert "calls in a row failed" in (waiting.error or "")
    asked = len(house.model.asked)
    house.later(minutes=9)
    assert house.loop.step() == 0
    assert len(house.model.asked) == asked
    house.model.out = False
    house.later(minutes=1)
    house.loop.step()
    done = house.run(waiting.id)
    assert (done.state, done.retry_at, done.error) == (RunState.COMPLETE, None, None)
    with house.store.read() as tx:
        assert len(outcomes.answered(tx, done.id)) == CASES


def test_it_is_put_off_twice_as_long_each_time_and_fails_at_last(tmp_path: Path) -> None:
    house = House(tmp_path, retries=2, retry_minutes=10.0)
    house.model.out = True
    run_id = house.played().id
    house.later(minutes=10)
    house.loop.step()
    assert house.run(run_id).retry_at == FIRST + timedelta(minutes=30)
    house.later(minutes=20)
    house.loop.step()
    failed = house.run(run_id)
    assert (failed.state, failed.retries) == (RunState.FAILED, 2)
    assert "calls in a row failed with connection" in (failed.error or "")


def test_somebody_who_waits_for_a_run_is_told_at_once(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.model.out = True
    assert house.played(Trigger.MANUAL).state is RunState.FAILED


def test_a_waiting_run_can_be_tried_at_once(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.model.out = True
    run_id = house.played().id
    house.model.out = False
    with house.store.write() as tx:
        runs.resume(tx, run_id)
    house.loop.step()
    assert house.run(run_id).state is RunState.COMPLETE


def test_a_run_waits_while_the_disk_has_no_space_and_continues_without_asking_twice(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.disk_full = lambda: True
    waiting = house.played()
    assert (waiting.state, house.model.asked) == (RunState.PLANNED, [])
    house.disk_full = lambda: len(house.model.asked) >= 20
    house.loop.step()
    stopped = house.run(waiting.id)
    assert (stopped.state, stopped.error) == (RunState.RUNNING, None)
    assert 20 <= len(house.model.asked) < CASES
    assert house.loop.step() == 0
    house.disk_full = lambda: False
    house.loop.step()
    assert house.run(waiting.id).state is RunState.COMPLETE
    assert max(Counter(house.model.asked).values()) == 1
    assert len(house.model.asked) == CASES
