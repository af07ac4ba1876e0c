"""The steps by which a cause is told from another: put one thing back, look whether the drop goes away."""

from dataclasses import dataclass
from enum import StrEnum

from monitor.drift.suspects import NOTHING, Beliefs, Hypothesis, Suspect, normalised

INTERACTS = 0.3  # of two causes at once, how often each needs the other: putting one back undoes all of the drop
MISREAD = 0.02  # of all showings, how many say the wrong thing clearly; the others that fail are unclear


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
    StepKind.AGAIN: frozenset(),  # tells a drop from a false alarm, and no cause from another
}


REPLAYS = frozenset({StepKind.OLD_PROMPT, StepKind.OLD_MODEL, StepKind.OLD_SET, StepKind.AGAIN})


class Showing(StrEnum):
    """What a step showed of the drop."""

    ALL = "all of the drop went away"
    PART = "part of the drop went away"
    STAYED = "the drop stayed"
    NO_DROP = "there is no drop"
    UNCLEAR = "it cannot be told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What is spent, or may be: calls of a model or judge, and money."""

    calls: int = 0
    usd: float = 0.0

    def __post_init__(self) -> None:
        if self.calls < 0 or not self.usd >= 0.0:
            raise ValueError(f"a cost is not negative: {self.calls} calls, {self.usd} USD")

    def covers(self, other: "Cost") -> bool:
        return other.calls <= self.calls and other.usd <= self.usd

    def plus(self, other: "Cost") -> "Cost":
        return Cost(calls=self.calls + other.calls, usd=self.usd + other.usd)

    def share_of(self, budget: "Cost") -> float:
        """The larger share of the two it takes; infinite where the budget has none of it left."""
        return max(_share(self.calls, budget.calls), _share(self.usd, budget.usd))


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """`power` is the chance that it shows the truth clearly, given its cases and the size of the drop. `unavailable`
    says why it cannot be done (the target no longer offers the old model), None when it can.
    """

    kind: StepKind
    cost: Cost
    power: float = 0.9
    unavailable: str | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.power <= 1.0:
            raise ValueError(f"{self.kind}: its power is a probability, this one is {self.power}")


def truth(kind: StepKind, hypothesis: Hypothesis) -> dict[Showing, float]:
    """What the step would show if the hypothesis were true and nothing were noisy: showings and their chances."""
    if hypothesis == NOTHING:
        return {_truth_of_nothing(kind): 1.0}
    put_back = hypothesis & PUTS_BACK[kind]
    if not put_back:
        return {Showing.STAYED: 1.0}
    if put_back == hypothesis:
        return {Showing.ALL: 1.0}
    return {Showing.PART: 1.0 - INTERACTS, Showing.ALL: INTERACTS}


def likelihood(step: Step, hypothesis: Hypothesis) -> dict[Showing, float]:
    """The probability of every showing under the hypothesis; they add up to 1."""
    clear = [showing for showing in Showing if showing is not Showing.UNCLEAR]
    right = truth(step.kind, hypothesis)
    read = 1.0 - MISREAD
    chances = {showing: MISREAD / len(clear) + read * step.power * right.get(showing, 0.0) for showing in clear}
    return chances | {Showing.UNCLEAR: read * (1.0 - step.power)}


def update(beliefs: Beliefs, step: Step, showing: Showing) -> dict[Hypothesis, float]:
    """Bayes' rule."""
    return normalised({held: chance * likelihood(step, held)[showing] for held, chance in beliefs.items()})


def _truth_of_nothing(kind: StepKind) -> Showing:
    """After a false alarm a fresh replay finds the old score again, whatever was put back; re-judging finds that
    nothing fell; the same two nights on fewer cases look as they did.
    """
    if kind in {StepKind.REJUDGE, StepKind.AGAIN}:
        return Showing.NO_DROP
    return Showing.STAYED if kind is StepKind.UNCHANGED_CASES else Showing.ALL


def _share(part: float, whole: float) -> float:
    if part == 0:
        return 0.0
    return part / whole if whole > 0 else float("inf")
