"""The result of every step for drops with known cause: the error rates behind the likelihoods of the product."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from bench.cause_study.investigation import alarmed, steps_of
from bench.cause_study.mix import Plan
from monitor.drift.cause.error_rates import BY_STRENGTH, EDGES, Family, bin_of
from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiments import REPLAYS, Cost, Step, StepKind, expected_results

FAMILY = {
    StepKind.REJUDGE: Family.REJUDGE,
    StepKind.UNCHANGED_CASES: Family.UNCHANGED,
    StepKind.OLD_PROMPT: Family.PUT_BACK,
    StepKind.OLD_MODEL: Family.PUT_BACK,
    StepKind.AGAIN: Family.AGAIN,
}
Counts = dict[tuple[Family, StepResult], list[Counter[StepResult]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReading:
    """The result of one step. `true_result` is its result without noise, `strength` the signal of the replay in
    standard errors.
    """

    kind: StepKind
    true_result: StepResult
    strength: float
    result: StepResult


def step_results(seed: int, number: int) -> list[StepReading]:
    """Return the result of every step of one alarm, also of steps that an investigation would not or could not run."""
    found = alarmed(seed, number)
    steps = steps_of(found)
    offered = {step.kind: step for step in steps.offered(Cost(calls=10**9, usd=1e9))}
    return [
        StepReading(
            kind=kind,
            true_result=true_result(kind, found.world.plan),
            strength=offered[kind].strength,
            result=steps.take(Step(kind=kind, cost=Cost())),
        )
        for kind in FAMILY
        if kind not in REPLAYS or found.world.plan.has_arm
    ]


def true_result(kind: StepKind, plan: Plan) -> StepResult:
    """Return the true result among those of `expected_results`: the plan contains whether two causes
    need each other.
    """
    allowed = expected_results(kind, plan.truth)
    if len(allowed) == 1:
        return next(iter(allowed))
    return StepResult.ALL if plan.needs_both else StepResult.PART


def count_results(readings: Iterable[StepReading]) -> Counts:
    """Return how often each result occurred, by the true result and the strength of the step."""
    counts: Counts = {}
    for row in readings:
        family = FAMILY[row.kind]
        bins = len(EDGES) + 1 if family in BY_STRENGTH else 1
        rows = counts.setdefault((family, row.true_result), [Counter() for _ in range(bins)])
        rows[bin_of(row.strength) if family in BY_STRENGTH else 0][row.result] += 1
    return counts
