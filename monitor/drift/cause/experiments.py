"""The steps that separate one cause from another: restore one condition and test whether the drop goes away."""

import math
from dataclasses import dataclass
from enum import StrEnum

from monitor.drift.cause.error_rates import Family, result_chances
from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.prior import NEED_EACH_OTHER, Suspect
from monitor.drift.cause.suspects import NOTHING, Beliefs, Hypothesis, normalised


class StepKind(StrEnum):
    REJUDGE = "re-judge stored baseline outputs"
    OLD_PROMPT = "replay the old prompt on the new model"
    OLD_MODEL = "replay the old model on the new prompt"
    OLD_SET = "replay the old set revision"
    UNCHANGED_CASES = "compare only unchanged cases"
    AGAIN = "replay what is deployed once more"


PUTS_BACK: dict[StepKind, Hypothesis] = {
    StepKind.REJUDGE: frozenset({Suspect.JUDGE}),
    StepKind.OLD_PROMPT: frozenset({Suspect.PROMPT}),
    StepKind.OLD_MODEL: frozenset({Suspect.MODEL}),
    StepKind.OLD_SET: frozenset({Suspect.SET}),
    StepKind.UNCHANGED_CASES: frozenset({Suspect.SET}),
    StepKind.AGAIN: frozenset(),  # separates a drop from a false alarm, and no cause from another
}


_FAMILY = {
    StepKind.REJUDGE: Family.REJUDGE,
    StepKind.OLD_PROMPT: Family.PUT_BACK,
    StepKind.OLD_MODEL: Family.PUT_BACK,
    StepKind.OLD_SET: Family.PUT_BACK,
    StepKind.UNCHANGED_CASES: Family.UNCHANGED,
    StepKind.AGAIN: Family.AGAIN,
}

REPLAYS = frozenset({StepKind.OLD_PROMPT, StepKind.OLD_MODEL, StepKind.OLD_SET, StepKind.AGAIN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of a step, or a budget: calls of a model or judge, and money."""

    calls: int = 0
    usd: float = 0.0

    def __post_init__(self) -> None:
        if self.calls < 0 or not self.usd >= 0.0:
            raise ValueError(f"a cost must not be negative: {self.calls} calls, {self.usd} USD")

    def covers(self, other: "Cost") -> bool:
        return other.calls <= self.calls and other.usd <= self.usd

    def plus(self, other: "Cost") -> "Cost":
        return Cost(calls=self.calls + other.calls, usd=self.usd + other.usd)

    def share_of(self, budget: "Cost") -> float:
        """Return the larger of both shares of a budget; infinite where the budget has nothing left."""
        return max(_share(self.calls, budget.calls), _share(self.usd, budget.usd))


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step that an investigation can run.

    - `power`: the probability that it shows anything that enough outputs would show.
    - `strength`: how clearly a replay of its cases separates the drop from no drop (`replay_strength`).
    - `unavailable`: why it cannot run (for example, the target no longer offers the old model); None when it can.
    """

    kind: StepKind
    cost: Cost
    power: float = 1.0
    strength: float = math.inf
    unavailable: str | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.power <= 1.0:
            raise ValueError(f"{self.kind}: power must be a probability, got {self.power}")


def expected_results(kind: StepKind, hypothesis: Hypothesis) -> dict[StepResult, float]:
    """Return the results of the step without noise when the hypothesis is true, with their probabilities."""
    if hypothesis == NOTHING:
        return {_result_of_false_alarm(kind): 1.0}
    put_back = hypothesis & PUTS_BACK[kind]
    if not put_back:
        return {StepResult.STAYED: 1.0}
    if put_back == hypothesis:
        return {StepResult.ALL: 1.0}
    return {StepResult.PART: 1.0 - NEED_EACH_OTHER, StepResult.ALL: NEED_EACH_OTHER}


def likelihood(step: Step, hypothesis: Hypothesis) -> dict[StepResult, float]:
    """Return the probability of every result under the hypothesis; they add up to 1 when the step does not fail.

    The result without noise is combined with the error rates that `bench/causes.py` measured.
    """
    chances = dict.fromkeys(StepResult, 0.0)
    for true_result, weight in expected_results(step.kind, hypothesis).items():
        for result, chance in result_chances(_FAMILY[step.kind], true_result, step.strength).items():
            chances[result] += weight * step.power * chance
    chances[StepResult.UNCLEAR] += 1.0 - step.power
    return chances


def update_beliefs(beliefs: Beliefs, step: Step, result: StepResult) -> dict[Hypothesis, float]:
    """Return the posterior probabilities by Bayes' rule. A failed step changes nothing."""
    if result is StepResult.FAILED:
        return dict(beliefs)
    return normalised(
        {hypothesis: chance * likelihood(step, hypothesis)[result] for hypothesis, chance in beliefs.items()}
    )


def _result_of_false_alarm(kind: StepKind) -> StepResult:
    """Return the result of a step after a false alarm.

    A fresh replay finds the old score again, whatever condition it restores. The stored nights, judged again or on
    fewer cases, still show the drop: they raised the alarm.
    """
    if kind is StepKind.AGAIN:
        return StepResult.NO_DROP
    return StepResult.STAYED if kind in {StepKind.REJUDGE, StepKind.UNCHANGED_CASES} else StepResult.ALL


def _share(part: float, whole: float) -> float:
    if part == 0:
        return 0.0
    return part / whole if whole > 0 else float("inf")
