"""The stored results of root-cause analysis belong to today's code, and the simulated worlds are consistent."""

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from bench.cause_study.confirm import Result, confirm
from bench.cause_study.investigation import investigate_alarm
from bench.cause_study.mix import draw_plan
from bench.cause_study.step_results import Counts
from bench.cause_study.table import table_of
from bench.cause_study.world import Arm, World
from bench.causes import RESULTS, RESULTS_OF, WORLD, calibration_sources, error_rate_sources
from bench.drift_study.confirm import ChangedResultsError
from bench.drift_study.ledger import code_hash
from bench.drift_study.shares import Share
from monitor.drift.cause.error_rates import EDGES, MEASURED, Family, result_chances
from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiments import StepKind
from monitor.drift.cause.prior import Suspect

CONFIRM = "if code was only rearranged: python bench/causes.py --confirm; else measure it again, see its --help"
STORED = json.loads(RESULTS.read_text(encoding="utf-8"))


def measured() -> Counts:
    return {
        (Family[row["family"]], StepResult[row["true_result"]]): [
            Counter({StepResult[name]: n for name, n in counts.items()}) for counts in row["bins"]
        ]
        for row in STORED["error_rates"]["counts"]
    }


def test_the_error_rates_of_steps_are_those_that_were_measured_with_this_code() -> None:
    assert STORED["error_rates"]["code"] == code_hash(error_rate_sources(), WORLD), CONFIRM
    assert STORED["error_rates"]["edges"] == list(EDGES)
    table = table_of(measured())
    assert table.keys() == MEASURED.keys()
    for key, rows in table.items():
        for row, told in zip(rows, MEASURED[key], strict=True):
            assert told == pytest.approx(row, abs=1e-9), key


def test_the_calibration_was_measured_with_this_code() -> None:
    assert STORED["calibration"]["code"] == code_hash(calibration_sources(), WORLD), CONFIRM


@pytest.mark.parametrize("row", STORED["calibration"]["bins"], ids=lambda row: f"{row['low']}-{row['high']}")
def test_of_causes_with_a_percentage_that_share_is_right(row: dict[str, float]) -> None:
    share = Share(yes=int(row["right"]), n=int(row["count"]))
    if row["low"] < 0.5 or not share.n:
        return  # nobody is told a cause
    assert row["low"] - 2.0 * share.error <= share.rate <= row["high"] + 2.0 * share.error


def test_a_sample_of_each_stored_result_comes_out_the_same_with_the_code_of_today() -> None:
    lines: list[str] = []
    confirmed = confirm(STORED, RESULTS_OF, report=lines.append)
    assert lines == [f"{name}: the first 20 runs are the same\n" for name in ("error_rates", "calibration")]
    assert confirmed["error_rates"]["code"] == code_hash(error_rate_sources(), WORLD)
    assert confirmed["calibration"]["code"] == code_hash(calibration_sources(), WORLD)
    for name, result in confirmed.items():
        assert {**result, "code": ""} == {**STORED[name], "code": ""}, "nothing but the code is new"


def result_of(sample: dict[str, Any]) -> Result:
    return Result(measure=lambda runs: {"code": "new", "runs": runs, "sample": sample}, repeat="--error-rates")


def test_results_with_another_sample_are_not_confirmed() -> None:
    stored = {"error_rates": {"code": "old", "sample": {"runs": 2, "counts": [1, 0]}}}
    same, other = ({"runs": 2, "counts": counts} for counts in ([1, 0], [0, 1]))
    assert confirm(stored, {"error_rates": result_of(same)}, report=str)["error_rates"]["code"] == "new"
    with pytest.raises(ChangedResultsError, match="error_rates: the first 2 runs differ; measure it again: "):
        confirm(stored, {"error_rates": result_of(other)}, report=str)
    assert stored["error_rates"]["code"] == "old"


def test_results_without_a_stored_sample_are_not_confirmed() -> None:
    for stored in ({}, {"error_rates": {"code": "old"}}):
        with pytest.raises(ChangedResultsError, match="no sample is stored with it"):
            confirm(stored, {"error_rates": result_of({"runs": 2})}, report=str)


def test_a_reading_adds_up_and_nothing_is_impossible() -> None:
    for family in Family:
        for right in (showing for showing in StepResult if showing.clear):
            chances = result_chances(family, right, 2.2)
            assert sum(chances.values()) == pytest.approx(1.0, abs=0.002)
            assert min(chances.values()) > 0.0


def test_a_world_restores_the_given_condition() -> None:
    for number in range(300):
        rng = np.random.default_rng([9, number])
        plan = draw_plan(rng)
        if plan.truth != {Suspect.MODEL, Suspect.PROMPT} or plan.drop < 0.15:
            continue
        world = World(plan, rng)
        old, new = world.passing(frozenset()).mean(), world.passing(plan.truth).mean()
        half = world.passing(plan.truth - {Suspect.PROMPT}).mean()
        assert new < old - 0.1
        assert (half == old) if plan.needs_both else (new < half < old)
        assert len(Arm(world).replay(StepKind.AGAIN, world.ids[:5])) == 5


def test_an_investigation_is_the_same_for_the_same_number() -> None:
    one, again = investigate_alarm(3, 4), investigate_alarm(3, 4)
    assert (one.truth, one.likeliest, one.probability, one.steps) == (
        again.truth,
        again.likeliest,
        again.probability,
        again.steps,
    )
