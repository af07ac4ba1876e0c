"""Real changes of real models: the verdict on a part of the cases is that of all, and identical nights stay quiet.

A small version of bench/real_versions.py, which prints the rates with their error.
"""

import pytest

from bench.real_study.histories import identical_nights, march_to_june
from bench.real_study.pairs import PAIRS, Pair
from bench.real_study.subsets import Result, study
from bench.real_study.versions import Versions, gsm8k, primes, sensitive
from monitor.stats.mde import smallest_detectable_effect

BY_NAME = {pair.name: pair for pair in PAIRS}
TOO_SMALL = BY_NAME["gsm8k, 6b verified to 175b fine-tuned"]
RUNS = 25


def one_night(pair: Pair, cases: int) -> Result:
    return study(pair, cases=cases, runs=RUNS, seed=5)


@pytest.mark.parametrize(
    ("versions", "shares"),
    [
        (primes(), [0.840, 0.502, 0.508, 0.681]),
        (sensitive(), [0.21, 0.05, 0.02, 0.08]),
        (gsm8k(), [0.217, 0.390, 0.347, 0.563]),
    ],
    ids=["primes", "sensitive", "gsm8k"],
)
def test_the_marks_give_the_shares_that_were_published(versions: Versions, shares: list[float]) -> None:
    order = ["gpt-4-0314", "gpt-4-0613", "gpt-3.5-turbo-0301", "gpt-3.5-turbo-0613"]
    if versions is gsm8k():
        order = ["6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"]
    assert [round(float(versions.passed[name].mean()), 3) for name in order] == shares


@pytest.mark.parametrize(
    ("name", "cases", "at_least"),
    [
        ("primes, gpt-4 March to June", 50, 0.99),
        ("primes, gpt-3.5 March to June", 50, 0.75),
        ("primes, gpt-3.5 March to June", 100, 0.99),
        ("sensitive, gpt-4 March to June", 50, 0.75),
        ("gsm8k, 6b: verification added", 100, 0.65),
        ("gsm8k, 175b: verification removed", 100, 0.80),
        ("gsm8k, verification: 6b to 175b", 300, 0.99),
        ("gsm8k, fine-tuning: 175b to 6b", 300, 0.90),
    ],
)
def test_one_night_on_each_side_gives_the_right_verdict(name: str, cases: int, at_least: float) -> None:
    assert one_night(BY_NAME[name], cases).right.rate >= at_least


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_verdict_has_a_direction_that_its_cases_have(pair: Pair) -> None:
    found = one_night(pair, 100)
    assert (found.unfounded.yes, found.opposite.yes) == (0, 0)


@pytest.mark.parametrize("name", ["primes, gpt-4 March to June", "primes, gpt-3.5 March to June"])
def test_the_category_that_fell_and_the_one_that_rose_are_named(name: str) -> None:
    small, large = one_night(BY_NAME[name], 50), one_night(BY_NAME[name], 100)
    assert small.fell.n > 0
    assert small.fell.rate == 1.0
    assert large.fell.rate == 1.0
    assert large.rose.rate >= 0.8


def test_four_points_are_not_detectable_with_fifty_cases() -> None:
    versions = gsm8k()
    before, after = (versions.passed[name] for name in (TOO_SMALL.before, TOO_SMALL.after))
    found, flips = one_night(TOO_SMALL, 50), float((before != after).mean())
    assert float(after.mean() - before.mean()) == pytest.approx(-0.043, abs=0.001)
    assert smallest_detectable_effect(50, flips) > 0.2
    assert found.right.rate <= 0.15
    assert found.right.yes + found.opposite.yes < RUNS  # most are `ok`, as they should be


def test_two_weeks_before_the_change_detect_more_than_one_night() -> None:
    pair = BY_NAME["gsm8k, 175b: verification removed"]
    fortnight = study(pair, cases=50, runs=RUNS, seed=5, baseline=14, resample=0.2)
    assert fortnight.right.rate > one_night(pair, 50).right.rate
    assert fortnight.unfounded.yes == 0


@pytest.mark.parametrize("resample", [0.1, 0.3, 0.5])
def test_half_a_year_of_identical_nights_is_quiet(resample: float) -> None:
    found = identical_nights(resample, runs=4, seed=5, cases=100)
    assert found.alerts.yes <= 1  # at 5 % each, two of four happen once in seventy


@pytest.mark.parametrize("announced", [True, False], ids=["announced", "silent"])
@pytest.mark.parametrize("cases", [50, 300])
def test_june_is_detected_on_its_first_night_with_the_primes(cases: int, announced: bool) -> None:
    found = march_to_june(0.3, runs=6, seed=5, announced=announced, cases=cases)
    assert found.first_night.yes >= 5
    assert found.listed.rate == 1.0
