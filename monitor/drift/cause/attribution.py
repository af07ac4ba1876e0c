"""Root-cause analysis of a drop: run the most informative experiments within a budget, and rank the causes.

Each hypothesis (no cause, one suspect, or two) starts with a prior probability from the recorded conditions. Each step
has a likelihood for every result, so Bayes' rule updates the probabilities. The next step is the one with the most
expected information for its cost.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from monitor.drift.cause.experiment_choice import choose_step, out_of_reach, too_expensive
from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiments import PUTS_BACK, REPLAYS, Cost, Step, StepKind, update_beliefs
from monitor.drift.cause.prior import Suspect
from monitor.drift.cause.suspects import NOTHING, Beliefs, Hypothesis, RecordedEvidence, hypothesis_name, prior
from monitor.drift.cause.two_by_two import Factor, TwoByTwo
from monitor.stats.attribution import Cause

ENOUGH = 0.95  # probability from which nothing more is tried
SURE = 0.8  # probability from which a cause is named
LEFT_OPEN = 0.05  # probability from which an explanation is mentioned with others

_OF_CAUSE = {
    Cause.JUDGE: StepResult.ALL,
    Cause.BOTH: StepResult.PART,
    Cause.MODEL: StepResult.STAYED,  # the judge did not change; other steps separate the rest
    Cause.NONE: StepResult.NO_DROP,
    Cause.NOT_IDENTIFIABLE: StepResult.UNCLEAR,
}


class Rejudge(Protocol):
    """Scores stored outputs with the judge of today."""

    @property
    def cost_each(self) -> Cost:
        """The cost of one output; zero for a judge that makes no calls."""
        ...

    def calibration(self, outputs: int) -> tuple[int, int]:
        """Return how many outputs flipped, of how many, when the judge of the stored verdicts scored them twice.

        0 of 0 means unknown. `outputs` is the number of outputs that are scored again now: a judge that cannot flip
        counts as calibrated on as many.
        """
        ...

    def rejudge(self, outcome_ids: Sequence[str], *, failing_as: str | None = None) -> Mapping[str, float | None]:
        """Return the verdict of each outcome in [0, 1], None where the judge gave none.

        With `failing_as`, return the verdict on that failure category alone: 0 for an output that fails in this way, 1
        otherwise.
        """
        ...


class ReplayArm(Protocol):
    """Replays cases on a target with a mixture of old and new conditions."""

    @property
    def cost_each(self) -> Cost:
        """The cost of one call, as far as its price is known."""
        ...

    def unavailable(self, kind: StepKind) -> str | None:
        """Return why the mixture cannot be replayed, None when it can. Costs nothing."""
        ...

    def replay(
        self, kind: StepKind, case_ids: Sequence[str], *, failing_as: str | None = None
    ) -> Mapping[str, Sequence[float | None]]:
        """Return the scores of every sample of each case in [0, 1], None where a sample has none. `failing_as` as in
        `rejudge`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    kind: StepKind
    result: StepResult
    bits: float  # of information expected of it
    cost: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTried:
    kind: StepKind
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    suspect: Suspect | None  # None: nothing made a drop, the alarm was false
    probability: float  # that it had a part in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Investigation:
    """The state of an investigation: the probabilities, the experiments so far, and the budget. Each step returns a new
    state.
    """

    beliefs: Beliefs
    steps: tuple[Step, ...]  # not tried yet
    budget_left: Cost
    tried: tuple[Tried, ...] = ()

    @property
    def spent(self) -> Cost:
        total = Cost()
        for step in self.tried:
            total = total.plus(step.cost)
        return total


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCauses:
    """The result of an investigation.

    - `named`: the suspects that caused the drop together, empty for a false alarm, None when not identifiable.
    - `likeliest`: the most probable explanation in either case.
    - `why`: the evidence for it, or what is missing.
    - `causes`: the probabilities need not add up to 1, because two suspects can act together.
    """

    named: Hypothesis | None
    likeliest: Hypothesis
    probability: float  # of the likeliest explanation
    why: str
    causes: tuple[Ranked, ...]
    tried: tuple[Tried, ...]
    not_tried: tuple[NotTried, ...]
    spent: Cost

    @property
    def identifiable(self) -> bool:
        return self.named is not None


def open_investigation(evidence: RecordedEvidence, steps: Sequence[Step], budget: Cost) -> Investigation:
    """Return the state before any step. Raise ValueError when two steps are of the same kind."""
    kinds = [step.kind for step in steps]
    if len(set(kinds)) < len(kinds):
        raise ValueError("each kind of step may be offered only once")
    return Investigation(beliefs=prior(evidence), steps=tuple(steps), budget_left=budget)


def next_step(investigation: Investigation) -> Step | None:
    """Return the step to run next, or None at the end.

    The investigation ends when one explanation is certain enough and was tested, or no step is possible, affordable and
    informative. An explanation that only the records suggest is tested as well: an untested explanation gets no
    probability.
    """
    # Suspects of the likeliest explanation that no step has tested yet.
    untested = _likeliest(investigation) - frozenset[Suspect]().union(
        *(PUTS_BACK[tried_step.kind] for tried_step in investigation.tried)
    )
    if max(investigation.beliefs.values()) >= ENOUGH and not untested:
        return None
    # The most informative step for its cost.
    choice = choose_step(investigation.beliefs, investigation.steps, investigation.budget_left)
    if choice is not None:
        return choice.step
    # No step is informative enough. An untested explanation is tested nevertheless.
    test = (step for step in investigation.steps if step.unavailable is None and PUTS_BACK[step.kind] & untested)
    return next((step for step in test if investigation.budget_left.covers(step.cost)), None)


def _likeliest(investigation: Investigation) -> Hypothesis:
    return max(investigation.beliefs, key=lambda hypothesis: investigation.beliefs[hypothesis])


def record_result(investigation: Investigation, step: Step, result: StepResult) -> Investigation:
    """Return the state after a step. A step that was not chosen may be recorded as well."""
    if step not in investigation.steps:
        raise ValueError(f"{step.kind}: not one of the remaining steps")
    choice = choose_step(investigation.beliefs, [step], investigation.budget_left)
    budget_left = Cost(
        calls=max(0, investigation.budget_left.calls - step.cost.calls),
        usd=max(0.0, investigation.budget_left.usd - step.cost.usd),
    )
    tried_step = Tried(kind=step.kind, result=result, bits=choice.bits if choice else 0.0, cost=step.cost)
    return replace(
        investigation,
        beliefs=update_beliefs(investigation.beliefs, step, result),
        steps=tuple(other for other in investigation.steps if other != step),
        budget_left=budget_left,
        tried=(*investigation.tried, tried_step),
    )


def investigate(
    evidence: RecordedEvidence, steps: Sequence[Step], budget: Cost, run: Callable[[Step], StepResult]
) -> RankedCauses:
    """Run steps by `run` until no step is worth its cost, and return the ranked causes."""
    investigation = open_investigation(evidence, steps, budget)
    while (step := next_step(investigation)) is not None:
        investigation = record_result(investigation, step, run(step))
    return rank_causes(investigation)


def rank_causes(investigation: Investigation) -> RankedCauses:
    """Return the ranked causes of the current state."""
    likeliest = _likeliest(investigation)
    probability = investigation.beliefs[likeliest]
    named = likeliest if probability >= SURE else None
    not_tried = _not_tried(investigation)
    return RankedCauses(
        named=named,
        likeliest=likeliest,
        probability=probability,
        why=_why_identified(likeliest, investigation)
        if named is not None
        else _why_not_identified(investigation, not_tried),
        causes=_ranked(investigation.beliefs),
        tried=investigation.tried,
        not_tried=not_tried,
        spent=investigation.spent,
    )


def rejudge_step_result(cause: Cause) -> StepResult:
    """Return the result of the re-judging step for the cause that `attribute` found."""
    return _OF_CAUSE[cause]


def two_by_two_results(table: TwoByTwo) -> dict[StepKind, StepResult]:
    """Return the results of the mixed replays: with the old prompt only the drop of the model is left, and the reverse.

    All four arms are fresh replays, so they also show whether the deployed version still drops.
    """
    missing = table.factor is Factor.NOT_IDENTIFIABLE
    repeat_result = StepResult.NO_DROP if table.factor is Factor.NEITHER and table.model is None else StepResult.STAYED
    old_prompt, old_model = {
        Factor.MODEL: (StepResult.STAYED, StepResult.ALL),
        Factor.PROMPT: (StepResult.ALL, StepResult.STAYED),
        Factor.BOTH: (StepResult.PART, StepResult.PART),
        Factor.INTERACTION: (StepResult.ALL, StepResult.ALL),
        Factor.NEITHER: (StepResult.UNCLEAR, StepResult.UNCLEAR),
        Factor.NOT_IDENTIFIABLE: (StepResult.FAILED, StepResult.FAILED),
    }[table.factor]
    return {
        StepKind.OLD_PROMPT: old_prompt,
        StepKind.OLD_MODEL: old_model,
        StepKind.AGAIN: StepResult.FAILED if missing else repeat_result,
    }


def _ranked(beliefs: Beliefs) -> tuple[Ranked, ...]:
    ranked = [Ranked(suspect=None, probability=beliefs.get(NOTHING, 0.0))]
    for suspect in Suspect:
        part = sum(chance for hypothesis, chance in beliefs.items() if suspect in hypothesis)
        ranked.append(Ranked(suspect=suspect, probability=part))
    return tuple(sorted(ranked, key=lambda cause: -cause.probability))


def _not_tried(investigation: Investigation) -> tuple[NotTried, ...]:
    """Return every offered step that was not run, with the reason."""
    unaffordable = {
        step.kind for step in too_expensive(investigation.beliefs, investigation.steps, investigation.budget_left)
    }
    return tuple(
        NotTried(kind=step.kind, why=_why_not_tried(step, unaffordable, investigation.budget_left))
        for step in investigation.steps
    )


def _why_not_tried(step: Step, unaffordable: set[StepKind], budget_left: Cost) -> str:
    if step.unavailable is not None:
        return step.unavailable
    if step.kind in unaffordable:
        return (
            f"it costs {step.cost.calls} calls and {step.cost.usd:.2f} USD, "
            f"{budget_left.calls} calls and {budget_left.usd:.2f} USD are left"
        )
    return "little information is expected from it"


def _why_identified(likeliest: Hypothesis, investigation: Investigation) -> str:
    results = "; ".join(f"{step.kind}: {step.result}" for step in investigation.tried)
    return (
        f"{hypothesis_name(likeliest)}, by {results}"
        if results
        else f"{hypothesis_name(likeliest)}, based based on the records alone"
    )


def _why_not_identified(investigation: Investigation, not_tried: Sequence[NotTried]) -> str:
    possible = sorted(
        (hypothesis for hypothesis, chance in investigation.beliefs.items() if chance >= LEFT_OPEN),
        key=lambda h: -investigation.beliefs[h],
    )
    replayed = any(step.kind in REPLAYS and PUTS_BACK[step.kind] and step.result.clear for step in investigation.tried)
    shares = {hypothesis: f" ({investigation.beliefs[hypothesis]:.0%})" if replayed else "" for hypothesis in possible}
    names = (
        ", ".join(f"{hypothesis_name(hypothesis)}{shares[hypothesis]}" for hypothesis in possible) or "too many to name"
    )
    informative = {step.kind for step in out_of_reach(investigation.beliefs, investigation.steps)}
    informative |= {
        step.kind for step in too_expensive(investigation.beliefs, investigation.steps, investigation.budget_left)
    }
    missing = "; ".join(f"{step.kind}: {step.why}" for step in not_tried if step.kind in informative)
    suffix = f"; steps that could decide: {missing}" if missing else "; no further step can separate them"
    return f"still possible: {names}{suffix}"
