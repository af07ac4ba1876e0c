"""Pinning a run and removing the pin."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor.domain.run import RunState
from monitor.store.runs import runs
from tests.api.house import House, import_cases, open_house
from tests.api.records import CASES
from tests.api.rows import add_complete_run
from tests.store.build import run

PASSES = {str(case["id"]): True for case in CASES}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as one:
        import_cases(one)
        for number in range(1, 5):
            add_complete_run(one, f"run-{number}", PASSES, night=number)
        yield one


def pin(house: House, run_id: str, reason: str = "launch") -> tuple[int, dict[str, object]]:
    answer = house.post("/api/v1/pins", {"run_id": run_id, "reason": reason})
    return answer.status_code, answer.json()


def end(house: House) -> tuple[int, dict[str, object]]:
    answer = house.post("/api/v1/pins/end", {"deployment": "bot", "set_name": "private"})
    return answer.status_code, answer.json()


def test_a_pin_holds_the_nights_of_its_version_up_to_the_run(house: House) -> None:
    status, pinned = pin(house, "run-3")
    assert (status, pinned["run_id"], pinned["first_run"], pinned["ended_at"]) == (201, "run-3", "run-1", None)
    assert pin(house, "run-3", "repeated") == (200, pinned)
    assert house.get("/api/v1/pins").json()["items"] == [pinned]


def test_another_pin_ends_the_first_and_an_end_ends_the_last(house: House) -> None:
    pin(house, "run-2")
    assert pin(house, "run-4")[0] == 201
    listed = {item["run_id"]: item["ended_at"] is None for item in house.get("/api/v1/pins").json()["items"]}
    assert listed == {"run-2": False, "run-4": True}
    status, ended = end(house)
    assert (status, ended["run_id"], ended["ended_at"] is None) == (200, "run-4", False)
    status, problem = end(house)
    assert status == 404
    assert "has no pinned run" in str(problem["detail"])


def test_a_run_that_is_not_over_or_not_known_is_not_pinned(house: House) -> None:
    with house.store.write() as tx:
        kept = runs.get(tx, "run-1")
        assert kept is not None
        open_run = run("open", deployment=kept.deployment, set_name=kept.set_name, revision=kept.revision)
        runs.insert(tx, open_run)
        assert open_run.state is RunState.PLANNED
    status, problem = pin(house, "open")
    assert (status, problem["detail"]) == (409, "run 'open' is planned; only a complete run can be pinned")
    assert pin(house, "nothing")[0] == 404


def test_a_run_of_too_few_verdicts_is_not_pinned(house: House) -> None:
    add_complete_run(house, "run-9", {"p-7": True}, night=9)
    status, problem = pin(house, "run-9")
    assert status == 422
    assert problem["detail"] == "run 'run-9' has too few scored cases to be pinned"
