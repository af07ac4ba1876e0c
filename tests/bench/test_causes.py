"""What investigations tell is tied to its measurement, and the worlds of the measurement are what they say."""

import json
from collections import Counter

import numpy as np
import pytest

from bench.cause_study.mix import draw_plan
from bench.cause_study.play import play
from bench.cause_study.readings import Counts
from bench.cause_study.table import table_of
from bench.cause_study.world import Arm, World
from bench.causes import RESULTS, WORLD, told_sources, world_sources
from bench.drift_study.ledger import code_hash
from bench.drift_study.shares import Share
from monitor.drift.cause.error_rates import EDGES, MEASURED, Family, result_chances
from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiments import StepKind
from monitor.drift.cause.prior import Suspect

STORED = json.loads(RESULTS.read_text(encoding="utf-8"))


def measured() -> Counts:
    return {
        (Family[row["family"]], StepResult[row["right"]]): [
            Counter({StepResult[name]: n for name, n in counts.items()}) for counts in row["bins"]
        ]
        for row in STORED["readings"]["counts"]
    }


def test_the_error_rates_of_steps_are_those_that_were_measured_with_this_code() -> None:
    assert STORED["readings"]["code"] == code_hash(world_sources(), WORLD), "python bench/causes.py --readings"
    assert STORED["readings"]["edges"] == list(EDGES)
    table = table_of(measured())
    assert table.keys() == MEASURED.keys()
    for key, rows in table.items():
        for row, told in zip(rows, MEASURED[key], strict=True):
            assert told == pytest.approx(row, abs=1e-9), key


def test_the_calibration_was_measured_with_this_code() -> None:
    assert STORED["calibration"]["code"] == code_hash(told_sources(), WORLD), "python bench/causes.py"


@pytest.mark.parametrize("row", STORED["calibration"]["bins"], ids=lambda row: f"{row['low']}-{row['high']}")
def test_of_causes_told_with_a_percentage_that_share_is_right(row: dict[str, float]) -> None:
    share = Share(yes=int(row["right"]), n=int(row["told"]))
    if row["low"] < 0.5 or not share.n:
        return  # nobody is told a cause
    assert row["low"] - 2.0 * share.error <= share.rate <= row["high"] + 2.0 * share.error


def test_a_reading_adds_up_and_nothing_is_impossible() -> None:
    for family in Family:
        for right in (showing for showing in StepResult if showing.clear):
            chances = result_chances(family, right, 2.2)
            assert sum(chances.values()) == pytest.approx(1.0, abs=0.002)
            assert min(chances.values()) > 0.0


def test_a_world_puts_back_what_it_says() -> None:
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
    one, again = play(3, 4), play(3, 4)
    assert (one.truth, one.likeliest, one.probability, one.steps) == (
        again.truth,
        again.likeliest,
        again.probability,
        again.steps,
    )
