"""Latency, cost and length of the answers of two runs."""

from tests.api.house import House, import_cases
from tests.api.rows import add_complete_run

RUNS = {"baseline": "run-1", "candidate": "run-2"}


def test_reported_amounts_are_compared_by_their_quantiles(house: House) -> None:
    import_cases(house)
    for night in (1, 2):
        add_complete_run(house, f"run-{night}", {"p-7": True, "c-9": False}, night=night)
    found = house.get("/api/v1/comparisons/amounts", **RUNS).json()
    (latency,) = [row for row in found["amounts"] if row["name"] == "latency_ms"]
    assert latency["baseline"]["answers"] == latency["candidate"]["answers"] == 2
    assert len(latency["baseline"]["quantiles"]) == 101
    change = latency["median"]
    assert change["difference"] == change["candidate"] - change["baseline"]
    assert change["ci_low"] <= change["difference"] <= change["ci_high"]
    assert found == house.get("/api/v1/comparisons/amounts", **RUNS).json()


def test_amounts_that_no_answer_reported_are_left_out(house: House) -> None:
    import_cases(house)
    for night in (1, 2):
        add_complete_run(house, f"run-{night}", {"p-7": True}, night=night)
    names = [row["name"] for row in house.get("/api/v1/comparisons/amounts", **RUNS).json()["amounts"]]
    assert "output_tokens" not in names
    assert house.get("/api/v1/comparisons/amounts", baseline="run-1", candidate="absent").status_code == 404
