"""Failure categories over time: of the runs of a set, and of the corrections of a deployment."""

from collections import Counter
from datetime import timedelta
from typing import Any

from monitor.domain.failure_category import Categorization, FailureCategory
from tests.api.house import NOW, House, import_cases
from tests.api.rows import add_candidate, add_complete_run

KNOWN = Categorization(name="other", parent=FailureCategory.OTHER, confidence=0.5, reason="no rule applies")


def failures(house: House, **query: Any) -> Any:
    response = house.get("/api/v1/sets/failures", **{"deployment": "bot", "set_name": "private"} | query)
    assert response.status_code == 200, response.text
    return response.json()


def total(run: dict[str, Any], of: str) -> Counter[str]:
    counted: Counter[str] = Counter()
    for row in run["counts"]:
        counted[row[of]] += row["cases"]
    return counted


def test_the_counts_of_a_run_add_up_to_its_scored_cases(house: House) -> None:
    import_cases(house)
    add_complete_run(house, "run-1", {"p-7": True, "c-9": True, "p-11": False})
    add_complete_run(house, "run-2", {"p-7": False, "c-9": False, "p-11": False}, night=1)
    first, second = failures(house)["runs"]
    assert (first["run_id"], second["run_id"]) == ("run-1", "run-2")
    assert total(first, "failure_category")["none"] == 2
    assert sum(total(second, "failure_category").values()) == 3
    assert "none" not in total(second, "failure_category")
    item = house.get("/api/v1/runs/run-2").json()
    own = {row["failure_category"]: row["count"] for row in item["failure_categories"]}
    assert total(second, "failure_category") == own


def test_severities_partition_the_cases(house: House) -> None:
    import_cases(house)
    add_complete_run(house, "run-1", {"p-7": True, "c-9": True, "p-11": False})
    (run,) = failures(house)["runs"]
    severities = {case["severity"] for case in house.get("/api/v1/cases", set_name="private").json()["items"]}
    assert set(total(run, "severity")) == severities


def test_older_runs_and_unknown_metrics_are_left_out(house: House) -> None:
    import_cases(house)
    for night in range(3):
        add_complete_run(house, f"run-{night}", {"p-7": True}, night=night)
    assert [run["run_id"] for run in failures(house, runs=2)["runs"]] == ["run-1", "run-2"]
    since = (NOW + timedelta(days=2)).isoformat()
    assert [run["run_id"] for run in failures(house, since=since)["runs"]] == ["run-2"]
    assert failures(house, metric="unknown")["runs"] == []


def test_a_set_of_no_deployment_is_unknown(house: House) -> None:
    response = house.get("/api/v1/sets/failures", deployment="bot", set_name="absent")
    assert response.status_code == 404


def test_corrections_are_counted_by_day_and_category(house: House) -> None:
    for number, (days, category) in enumerate([(0, "wrong_fact"), (0, "wrong_fact"), (1, "other")]):
        at = NOW - timedelta(days=days)
        add_candidate(house, f"candidate-{number}", at=at, failure_category=category, categorization=KNOWN)
    found = house.get("/api/v1/failure-categories/days", deployment="bot").json()["days"]
    assert [(row["failure_category"], row["corrections"]) for row in found] == [("other", 1), ("wrong_fact", 2)]
    assert house.get("/api/v1/failure-categories/days", deployment="absent").status_code == 404
