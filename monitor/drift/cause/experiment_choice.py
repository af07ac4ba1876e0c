"""Chooses the next step: the most expected information for its cost."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiments import Cost, Step, likelihood
from monitor.drift.cause.suspects import Beliefs

MIN_BITS = 0.02  # a step with less expected information is not worth its cost ...
MIN_BITS_FREE = 0.002  # ... nor one that costs nothing its clock time
FREE = 0.01  # share of the budget that every step costs at least, in waiting time


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    step: Step
    bits: float  # expected information about what made the drop


def expected_bits(beliefs: Beliefs, step: Step) -> float:
    """Return the mutual information between the cause of the drop and the result of the step.

    Formula:   H(showing) - sum_h P(h) H(showing | h), in bits.
    Range:     [0, log2 of the number of showings]; 0 when every hypothesis believed in predicts the same showings.
    Direction: larger is more informative.
    Empty:     a certain belief gives 0: nothing is left to learn.
    Source:    Lindley, Ann Math Statist 27 (1956) 986-1005.

    >>> from monitor.drift.cause.experiments import StepKind
    >>> from monitor.drift.cause.suspects import Suspect
    >>> even = {frozenset({Suspect.JUDGE}): 0.5, frozenset({Suspect.MODEL}): 0.5}
    >>> round(expected_bits(even, Step(kind=StepKind.REJUDGE, cost=Cost(calls=300), power=0.9)), 2)
    0.87
    """
    marginal = dict.fromkeys(StepResult, 0.0)
    conditional = 0.0
    for hypothesis, chance in beliefs.items():
        chances = likelihood(step, hypothesis)
        conditional += chance * _entropy(chances.values())
        for result in StepResult:
            marginal[result] += chance * chances[result]
    return max(0.0, _entropy(marginal.values()) - conditional)


def choose_step(beliefs: Beliefs, steps: Sequence[Step], budget_left: Cost) -> Choice | None:
    """Return the available step within the budget with the most expected bits per share of the budget; None when none
    is worth it.

    Ties go to the earlier step.
    """
    affordable = [choice for choice in _worthwhile(beliefs, steps) if budget_left.covers(choice.step.cost)]
    return max(affordable, key=lambda choice: _bits_per_cost(choice, budget_left), default=None)


def too_expensive(beliefs: Beliefs, steps: Sequence[Step], budget_left: Cost) -> list[Step]:
    """Return the informative steps that the budget does not cover."""
    return [choice.step for choice in _worthwhile(beliefs, steps) if not budget_left.covers(choice.step.cost)]


def out_of_reach(beliefs: Beliefs, steps: Sequence[Step]) -> list[Step]:
    """Return the informative steps that are not available."""
    return [step for step in steps if step.unavailable is not None and expected_bits(beliefs, step) >= MIN_BITS]


def _worthwhile(beliefs: Beliefs, steps: Sequence[Step]) -> list[Choice]:
    choices = [Choice(step=step, bits=expected_bits(beliefs, step)) for step in steps if step.unavailable is None]
    return [choice for choice in choices if choice.bits >= (MIN_BITS if _is_paid(choice.step) else MIN_BITS_FREE)]


def _is_paid(step: Step) -> bool:
    return step.cost.calls > 0 or step.cost.usd > 0.0


def _bits_per_cost(choice: Choice, budget_left: Cost) -> float:
    return choice.bits / (FREE + choice.step.cost.share_of(budget_left))


def _entropy(chances: Iterable[float]) -> float:
    return -sum(chance * math.log2(chance) for chance in chances if chance > 0.0)
