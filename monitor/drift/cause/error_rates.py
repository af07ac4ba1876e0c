"""How often each step shows the true result: the error rates behind its likelihoods.

Measured by `python bench/causes.py --error-rates`, which prints `MEASURED`; a test ties the table to that measurement.
"""

from collections.abc import Mapping
from enum import StrEnum

from monitor.drift.cause.experiment_outcome import StepResult

EDGES = (1.0, 1.5, 2.0, 3.0)  # of the strength of a replay, in standard errors


class Family(StrEnum):
    """Steps with the same error rates."""

    REJUDGE = "judge stored outputs again"
    PUT_BACK = "replay with one thing put back"
    AGAIN = "replay what is deployed"
    UNCHANGED = "compare unchanged cases"


BY_STRENGTH = frozenset({Family.PUT_BACK, Family.AGAIN})
# What a step that did not fail can show, the order of a row.
RESULTS = (StepResult.ALL, StepResult.PART, StepResult.STAYED, StepResult.NO_DROP, StepResult.UNCLEAR)
# By family and what the step would show without noise: a row for each bin of strength, one where it has no bins.
MEASURED: Mapping[tuple[Family, StepResult], tuple[tuple[float, ...], ...]] = {
    (Family.AGAIN, StepResult.NO_DROP): (
        (0.0, 0.0, 0.022, 0.054, 0.924),
        (0.0, 0.0, 0.016, 0.039, 0.945),
        (0.0, 0.0, 0.014, 0.078, 0.908),
        (0.0, 0.0, 0.014, 0.078, 0.908),
        (0.0, 0.0, 0.014, 0.078, 0.908),
    ),
    (Family.AGAIN, StepResult.STAYED): (
        (0.0, 0.0, 0.066, 0.003, 0.931),
        (0.0, 0.0, 0.227, 0.002, 0.771),
        (0.0, 0.0, 0.604, 0.003, 0.393),
        (0.0, 0.0, 0.951, 0.005, 0.044),
        (0.0, 0.0, 0.978, 0.006, 0.016),
    ),
    (Family.PUT_BACK, StepResult.ALL): (
        (0.057, 0.002, 0.002, 0.0, 0.939),
        (0.125, 0.002, 0.002, 0.0, 0.871),
        (0.425, 0.003, 0.003, 0.0, 0.569),
        (0.866, 0.001, 0.001, 0.0, 0.132),
        (0.976, 0.008, 0.008, 0.0, 0.008),
    ),
    (Family.PUT_BACK, StepResult.PART): (
        (0.011, 0.011, 0.011, 0.0, 0.967),
        (0.01, 0.01, 0.03, 0.0, 0.95),
        (0.019, 0.019, 0.135, 0.0, 0.827),
        (0.14, 0.007, 0.404, 0.0, 0.449),
        (0.156, 0.019, 0.431, 0.0, 0.394),
    ),
    (Family.PUT_BACK, StepResult.STAYED): (
        (0.008, 0.002, 0.045, 0.0, 0.945),
        (0.005, 0.001, 0.229, 0.0, 0.765),
        (0.002, 0.002, 0.637, 0.0, 0.359),
        (0.002, 0.001, 0.944, 0.0, 0.053),
        (0.004, 0.011, 0.974, 0.0, 0.011),
    ),
    (Family.REJUDGE, StepResult.ALL): ((0.961, 0.033, 0.002, 0.002, 0.002),),
    (Family.REJUDGE, StepResult.PART): ((0.383, 0.556, 0.049, 0.006, 0.006),),
    (Family.REJUDGE, StepResult.STAYED): ((0.001, 0.004, 0.992, 0.002, 0.001),),
    (Family.UNCHANGED, StepResult.STAYED): ((0.001, 0.001, 0.993, 0.0, 0.005),),
}
UNSEEN_CHANCE = 1e-4  # of what a step never showed in the measurement
RIGHT, UNCLEAR = 0.9, 0.08  # of what was not measured: a drop that a revised set made


def bin_of(strength: float) -> int:
    """Return the row of the table for a replay of this strength.

    >>> bin_of(0.4), bin_of(1.7), bin_of(float("inf"))
    (0, 2, 4)
    """
    return sum(strength >= edge for edge in EDGES)


def result_chances(family: Family, true_result: StepResult, strength: float) -> dict[StepResult, float]:
    """Return the probability of every result when `true_result` is true; they add up to 1."""
    rows = MEASURED.get((family, true_result))
    if rows is None:
        rest = (1.0 - RIGHT - UNCLEAR) / (len(RESULTS) - 2)
        return dict.fromkeys(RESULTS, rest) | {true_result: RIGHT, StepResult.UNCLEAR: UNCLEAR}
    row = rows[bin_of(strength) if family in BY_STRENGTH else 0]
    return {
        result: (1.0 - UNSEEN_CHANCE) * chance + UNSEEN_CHANCE / len(RESULTS)
        for result, chance in zip(RESULTS, row, strict=True)
    }
