"""The table of docs/alerts.md is that of the stored results, and the results are those of proofs that hold."""

import json
from pathlib import Path

import pytest

from bench.alert_results import RESULTS, table, write_result

PAGE = Path(__file__).parents[2] / "docs" / "alerts.md"
STORED = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]


def test_the_page_has_the_table_of_the_stored_results() -> None:
    assert table() in PAGE.read_text(encoding="utf-8"), "run: python -m bench.alert_results, and put it on the page"


def test_no_stored_proof_lost_a_notification_or_had_a_wrong_page() -> None:
    assert STORED != []
    for result in STORED:
        assert result.get("faults", []) == []
        assert [result.get(name, 0) for name in ("firings_lost", "resolutions_lost", "actions_lost")] == [0, 0, 0]


def test_a_result_keeps_its_conditions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.alert_results.RESULTS", tmp_path)
    plan = {"nights": 3, "cases": 40, "changes": [], "target_down": []}
    write_result("soak", {"plan": plan, "pages": [], "faults": [], "seconds": 120})
    assert json.loads((tmp_path / "soak.json").read_text())["conditions"]["cores"] >= 1
    assert "| 3 nights of 40 cases; nothing changes | 0 pages, 0 resolved; 0 missing or too many | 2 min, " in table(
        tmp_path
    )
