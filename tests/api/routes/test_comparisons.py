import pytest

from monitor.store.runs import runs
from tests.api.house import House, import_cases
from tests.api.rows import add_complete_run, add_run

PATH = "/api/v1/comparisons"
ALL = {"p-7": True, "c-9": True, "p-11": True}


@pytest.fixture
def house_with_runs(house: House) -> House:
    import_cases(house)
    for night in range(3):
        add_complete_run(house, f"run-{night}", ALL, night=night)
    add_complete_run(house, "run-3", ALL | {"p-7": False}, night=3, version="v2")
    return house


def test_two_runs_are_compared_case_by_case(house_with_runs: House) -> None:
    item = house_with_runs.get(PATH, baseline="run-2", candidate="run-3").json()
    assert (item["baseline"], item["candidate"], item["n"]) == (1.0, 2 / 3, 3)
    assert (item["flipped_to_fail"], item["flipped_to_pass"], item["p_value"]) == (1, 0, 1.0)
    assert item["flipped_case_ids"] == ["p-7"]
    assert item["worst_cases"] == [
        {
            "case_id": "p-7",
            "category": "prime",
            "severity": "high",
            "passing_nights": 3,
            "failure_category": "wrong_answer",
        }
    ]
    assert item["ci_low"] < item["effect"] < item["ci_high"]


def test_the_noise_of_quiet_nights_is_what_the_set_could_have_seen(house_with_runs: House) -> None:
    assert house_with_runs.get(PATH, baseline="run-2", candidate="run-3").json()["mde_source"] == "a/a"
    assert house_with_runs.get(PATH, baseline="run-2", candidate="run-0").json()["mde_source"] == "this comparison"


def test_nothing_is_stored(house_with_runs: House) -> None:
    house_with_runs.get(PATH, baseline="run-2", candidate="run-3")
    assert house_with_runs.get("/api/v1/findings").json()["items"] == []
    with house_with_runs.store.read() as tx:
        assert len(runs.uncompared(tx)) == 4


def test_a_run_that_is_not_complete_cannot_be_compared(house_with_runs: House) -> None:
    add_run(house_with_runs, "run-open")
    response = house_with_runs.get(PATH, baseline="run-2", candidate="run-open")
    assert response.status_code == 409
    assert "'run-open' is planned" in response.json()["detail"]


def test_runs_of_two_sets_cannot_be_compared(house_with_runs: House) -> None:
    import_cases(house_with_runs, "corrections", allow_sealed=True)
    add_complete_run(house_with_runs, "run-c", ALL, "corrections")
    response = house_with_runs.get(PATH, baseline="run-2", candidate="run-c")
    assert response.status_code == 422
    assert "'private' and 'corrections'" in response.json()["detail"]


def test_runs_without_a_common_verdict_cannot_be_compared(house_with_runs: House) -> None:
    add_complete_run(house_with_runs, "run-empty", {})
    response = house_with_runs.get(PATH, baseline="run-2", candidate="run-empty")
    assert (response.status_code, response.json()["code"]) == (422, "unprocessable")


def test_an_unknown_run_is_named(house_with_runs: House) -> None:
    response = house_with_runs.get(PATH, baseline="run-2", candidate="run-9")
    assert response.status_code == 404
    assert "'run-9'" in response.json()["detail"]


def test_both_runs_must_be_named(house: House) -> None:
    detail = house.get(PATH).json()["detail"]
    assert "query.baseline" in detail
    assert "query.candidate" in detail
