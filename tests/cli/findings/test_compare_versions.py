from datetime import UTC, datetime
from typing import Any

import pytest

from monitor.api.schema.version_comparisons import (
    LeftOutRunItem,
    PooledCategoryItem,
    PooledVersionItem,
    VersionComparisonItem,
)
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon

PATH = "GET /api/v1/comparisons/versions"
COMMAND = ("compare-versions", "bot", "private", "v1", "v2")


def side(version: str, nights: int, rate: float) -> PooledVersionItem:
    at = datetime(2026, 3, 1, 2, tzinfo=UTC)
    runs = [f"{version}-{n}" for n in range(nights)]
    return PooledVersionItem(
        version=version, label=f"label {version}", runs=runs, nights=nights, first_at=at, last_at=at, rate=rate
    )


def found(**changes: Any) -> VersionComparisonItem:
    fields: dict[str, Any] = {
        "deployment": "bot",
        "set_name": "private",
        "metric": "verdict",
        "baseline": side("v1", 14, 0.84),
        "candidate": side("v2", 1, 0.5),
        "conditions": {"set revision": "r1", "judge": "judge-1", "rubric": "unset"},
        "n": 800,
        "clusters": 780,
        "effect": -0.34,
        "ci_low": -0.38,
        "ci_high": -0.3,
        "p_value": 1e-9,
        "p_value_adjusted": 2e-9,
        "mde": 0.05,
        "categories": [category("prime", -0.34, 2e-9)],
        "left_out": [LeftOutRunItem(run_id="run-0", version="v1", reason="judge judge-1 to judge-2")],
        "notes": ["the versions have different parameters: temperature 0.0 to 1.0"],
    }
    return VersionComparisonItem(**fields | changes)


def category(name: str, effect: float, p_value: float | None) -> PooledCategoryItem:
    return PooledCategoryItem(
        category=name,
        n=800,
        baseline=0.84,
        candidate=0.84 + effect,
        effect=effect,
        ci_low=None,
        ci_high=None,
        p_value_adjusted=p_value,
        moved=False,
    )


def test_the_nights_the_change_and_what_is_not_pooled_are_printed(daemon: Daemon, run: Run) -> None:
    daemon.respond(PATH, found())
    result = run(*COMMAND, "--url", daemon.url)
    assert result.code == 1
    for part in (
        "label v1: 14 nights, 14 runs",
        "label v2: 1 night, 1 run, ",
        "84.0 % to 50.0 %",
        "-34.0 points, 95 % interval -38.0 to -30.0",
        "800, 780 of them independent",
        "set revision r1, judge judge-1",
        "temperature 0.0 to 1.0",
        "not pooled (1 run)",
        "judge judge-1 to judge-2",
    ):
        assert part in result.out
    assert "rubric" not in result.out  # it is not recorded
    assert daemon.asked[-1].query == {
        "deployment": "bot",
        "set_name": "private",
        "baseline": "v1",
        "candidate": "v2",
        "runs": "60",
    }


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"p_value_adjusted": 0.2, "categories": []}, 0),
        ({"effect": 0.34, "categories": []}, 0),
        ({"effect": 0.0, "categories": [category("prime", -0.1, 0.01)]}, 1),
        ({"p_value_adjusted": None, "categories": [category("prime", -0.1, None)]}, 0),
    ],
)
def test_a_certain_fall_overall_or_in_a_category_is_exit_code_1(
    daemon: Daemon, run: Run, changes: dict[str, Any], code: int
) -> None:
    daemon.respond(PATH, found(**changes))
    assert run(*COMMAND, "--url", daemon.url, "--json").code == code
