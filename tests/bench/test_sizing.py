"""The figures of the sizing bench, and what they advise."""

import json
from typing import Any

import pytest

from bench.sizing import RESULTS
from bench.sizing_study.advice import Costs, costs, replay_cost, request_for, turn_cpu_s
from bench.sizing_study.report import report
from tests.docs.markdown import ROOT

MB = 10**6


def measured(interactions: int = 1_000_000, *, turns: bool = False, cpu_s: float = 500.0) -> dict[str, Any]:
    """Return a measurement with a file of 1 MB, 2000 MB of interactions, and 2 and 4 MB of a thousand cases."""
    used = {"cpu_s": cpu_s, "settling_cpu_s": 1.0, "peak_rss_mb": 900.0, "peak_disk_bytes": 1, "wall_s": 1.0}
    grown = {"interactions": 2001 * MB, "open": 2003 * MB, "sealed": 2007 * MB}
    return {
        "conditions": {"machine": "a machine", "cores": 2, "python": "3.11.7", "at": "2026-01-01", "load_before": 0.2},
        "load_after": 0.4,
        "memory_limit_mb": 1126,
        "size": {"interactions": interactions, "runs": 0 if turns else 1, "cases": 1_000, "turns": turns},
        "interactions": interactions,
        "started_rss_mb": 250.0,
        "idle_cores": {"empty": 0.01, "filled": 0.02},
        "ingest": used,
        "replays": {} if turns else {"open": used | {"cpu_s": 2.0}, "sealed": used | {"cpu_s": 3.0}},
        "empty_bytes": MB,
        "compactions": {name: used | {"bytes": size, "peak_disk_bytes": 2 * size} for name, size in grown.items()},
    }


def test_the_costs_are_the_largest_and_those_of_turns_are_the_difference() -> None:
    found = costs([measured(), measured(turns=True, cpu_s=1_500.0)])
    assert found.call_cpu_s == pytest.approx(500e-6)
    assert found.turn_cpu_s == pytest.approx(1_000e-6)
    assert found.call_bytes == 2_000
    assert (found.case_cpu_s, found.case_bytes) == (3e-3, 4_000)
    assert (found.copy, found.peak_rss_mb, found.idle_cores) == (2.0, 900.0, 0.02)


def test_a_set_costs_what_the_file_grew_after_the_step_before_it() -> None:
    assert replay_cost(measured(), "open") == (2e-3, 2_000)
    assert turn_cpu_s(measured(cpu_s=700.0), [measured(), measured(cpu_s=600.0)]) == pytest.approx(200e-6)


def test_a_request_covers_the_busiest_hour_the_retention_and_a_copy_of_the_file() -> None:
    of = Costs(
        call_cpu_s=0.001, turn_cpu_s=0.001, call_bytes=1_000, case_cpu_s=0.0, case_bytes=0, idle_cores=0.1,
        peak_rss_mb=3_000, copy=2.0,
    )  # fmt: skip
    asked = request_for(1_800_000, 0, of)
    assert asked.cpu_m == 250  # 0.1 of an idle daemon, and 0.1 of the calls of a day in an hour
    assert asked.memory_mi == 3_840
    assert asked.disk_gi == 341  # 90 days of 1.8 GB, 2.25 times, and the reserve of 1 GiB
    assert request_for(10, 10, of).cpu_m == 250
    assert request_for(10, 10, of).disk_gi == 2


def test_the_page_has_the_tables_of_the_stored_measurement() -> None:
    page = (ROOT / "docs/sizing.md").read_text(encoding="utf-8")
    assert report(json.loads(RESULTS.read_text(encoding="utf-8"))) in page
