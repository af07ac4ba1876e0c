"""Two versions over all their comparable nights."""

import pytest

from tests.api.house import House, import_cases
from tests.api.rows import add_complete_run, add_version

PATH = "/api/v1/comparisons/versions"
ALL = {"p-7": True, "c-9": True, "p-11": True}
ASKED = {"deployment": "bot", "set_name": "private", "baseline": "v1", "candidate": "v2"}


@pytest.fixture
def house_with_versions(house: House) -> House:
    import_cases(house)
    for version in ("v1", "v2"):
        add_version(house, version)
    for night in range(3):
        add_complete_run(house, f"run-{night}", ALL, night=night)
    for night in range(3, 5):
        add_complete_run(house, f"run-{night}", ALL | {"p-7": night == 3}, night=night, version="v2")
    return house


def test_all_nights_of_both_versions_are_pooled_by_case(house_with_versions: House) -> None:
    item = house_with_versions.get(PATH, **ASKED).json()
    before, after = item["baseline"], item["candidate"]
    assert (before["nights"], before["runs"]) == (3, ["run-0", "run-1", "run-2"])
    assert (after["nights"], after["runs"], after["label"]) == (2, ["run-3", "run-4"], "label of v2")
    assert (before["rate"], after["rate"]) == (1.0, pytest.approx(2.5 / 3))  # p-7 passes one of two nights
    assert (item["n"], item["clusters"], item["effect"]) == (3, 3, pytest.approx(-0.5 / 3))
    assert item["ci_low"] < item["effect"] < item["ci_high"]
    assert {row["category"]: round(row["effect"], 3) for row in item["categories"]} == {
        "composite": 0.0,
        "prime": -0.25,
    }
    assert item["conditions"]["set revision"]
    assert (item["left_out"], item["notes"]) == ([], [])


def test_a_version_is_found_by_its_label(house_with_versions: House) -> None:
    item = house_with_versions.get(PATH, **ASKED | {"candidate": "label of v2"}).json()
    assert item["candidate"]["version"] == "v2"


def test_runs_limits_the_nights_of_each_version(house_with_versions: House) -> None:
    item = house_with_versions.get(PATH, **ASKED, runs="1").json()
    assert (item["baseline"]["runs"], item["candidate"]["runs"]) == (["run-2"], ["run-4"])


def test_a_metric_pools_the_scores_of_that_metric(house_with_versions: House) -> None:
    item = house_with_versions.get(PATH, **ASKED, metric="contains").json()
    assert (item["metric"], item["n"]) == ("contains", 3)
    missing = house_with_versions.get(PATH, **ASKED, metric="unknown")
    assert missing.status_code == 422
    assert "no common scored case with metric 'unknown'" in missing.json()["detail"]


def test_a_run_of_another_revision_is_named_and_not_pooled(house_with_versions: House) -> None:
    import_cases(house_with_versions, count=2)
    add_complete_run(house_with_versions, "run-5", {"p-7": True, "c-9": True}, night=5, version="v2")
    item = house_with_versions.get(PATH, **ASKED).json()
    assert item["candidate"]["runs"] == ["run-3", "run-4"]
    [left_out] = item["left_out"]
    assert (left_out["run_id"], left_out["version"]) == ("run-5", "v2")
    assert left_out["reason"].startswith("set revision ")


def test_versions_without_a_common_condition_are_refused(house_with_versions: House) -> None:
    import_cases(house_with_versions, count=2)
    add_version(house_with_versions, "v3")
    add_complete_run(house_with_versions, "run-5", {"p-7": True, "c-9": True}, night=5, version="v3")
    response = house_with_versions.get(PATH, **ASKED | {"candidate": "v3"})
    assert response.status_code == 409
    assert "have no runs under the same conditions to pool: set revision " in response.json()["detail"]


@pytest.mark.parametrize(
    ("changes", "status", "detail"),
    [
        ({"candidate": "v9"}, 404, "has no version 'v9'"),
        ({"candidate": "v1"}, 422, "are the same version"),
        ({"set_name": "other"}, 404, "other"),
        ({"deployment": "other"}, 404, "other"),
    ],
)
def test_unknown_names_are_refused(
    house_with_versions: House, changes: dict[str, str], status: int, detail: str
) -> None:
    response = house_with_versions.get(PATH, **ASKED | changes)
    assert response.status_code == status
    assert detail in response.json()["detail"]


def test_a_version_without_a_run_is_refused(house_with_versions: House) -> None:
    add_version(house_with_versions, "v3")
    response = house_with_versions.get(PATH, **ASKED | {"candidate": "v3"})
    assert response.status_code == 409
    assert "has no complete run of 'private'" in response.json()["detail"]
