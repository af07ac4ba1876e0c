"""The noise of a set: stored by a loop, and never other than what its nights give."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from monitor.jobs.maintenance.noise_loop import NoiseLoop
from monitor.refresh import set_noise
from monitor.store.aggregates import settled_runs
from monitor.store.sets import stored_noise
from tests.api.house import House, import_cases, open_house
from tests.api.policies import policy
from tests.api.records import CASES
from tests.api.rows import add_complete_run, add_finding, add_sample

PASSES = {str(case["id"]): True for case in CASES}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as one:
        import_cases(one)
        for number in range(1, 5):
            add_complete_run(one, f"run-{number}", PASSES | {"p-7": number % 2 == 0}, night=number)
        settle(one)
        yield one


def settle(house: House) -> None:
    with house.store.write() as tx:
        settled_runs.settle(tx, 10)


def work(house: House) -> None:
    loop = NoiseLoop(store=house.store, policy=policy(), clock=house.clock, code_version="0.1.0+test")
    for _ in range(3):
        assert loop.step() == 0
    assert loop.poll_s == 10.0


def noise(house: House) -> Any:
    return house.get("/api/v1/noise", deployment="bot", set_name="private").json()


def stored(house: House) -> stored_noise.StoredNoise | None:
    with house.store.read() as tx:
        return stored_noise.newest(tx, "bot", "private")


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the deployments and sets that requests and loops measure from now on."""
    sets: list[str] = []
    measure = set_noise.measure

    def recorded(tx: Any, deployment: str, set_name: str, drift: Any) -> set_noise.SetNoise | None:
        sets.append(f"{deployment} {set_name}")
        return measure(tx, deployment, set_name, drift)

    monkeypatch.setattr(set_noise, "measure", recorded)
    return sets


def test_the_stored_noise_is_that_of_the_nights_and_no_request_measures_it_again(
    house: House, measured: list[str]
) -> None:
    before = noise(house)
    assert measured.count("bot private") == 1
    work(house)
    assert measured.count("bot private") == 2
    assert noise(house) == before
    assert measured.count("bot private") == 2


def test_another_night_and_an_accepted_baseline_are_measured_anew(house: House, measured: list[str]) -> None:
    work(house)
    add_complete_run(house, "run-5", PASSES, night=5)
    assert noise(house)["nights"] == 5  # before its results are stored, and after
    settle(house)
    assert noise(house)["nights"] == 5
    work(house)
    add_finding(house, "f", comparison=None)
    known = measured.count("bot private")
    assert noise(house)["nights"] == 5
    assert measured.count("bot private") == known
    house.post("/api/v1/baselines", {"finding_id": "f", "reason": "good enough"}).raise_for_status()
    assert noise(house)["nights"] < 5


def test_other_scores_of_a_run_remove_the_stored_noise(house: House) -> None:
    work(house)
    assert stored(house) is not None
    add_sample(house, "run-4", "p-7", 1, passed=False)  # a repeat: no result of the run changes
    assert stored(house) is None
    settle(house)
    work(house)
    assert stored(house) is not None
    assert noise(house)["repeats"] == 1


def test_a_set_without_a_night_has_no_noise(house: House) -> None:
    work(house)
    answer = house.get("/api/v1/noise", deployment="bot", set_name="corrections")
    assert answer.status_code == 404
    assert "has no scored night of deployment 'bot'; replay it first" in answer.json()["detail"]
    assert house.get("/api/v1/noise", deployment="nobody", set_name="private").status_code == 404
