"""What a step would show, what it costs, and what is believed once it was tried."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiments import (
    PUTS_BACK,
    Cost,
    Step,
    StepKind,
    expected_results,
    likelihood,
    update_beliefs,
)
from monitor.drift.cause.prior import Suspect
from monitor.drift.cause.suspects import NOTHING, Hypothesis, RecordedEvidence, prior

KINDS = st.sampled_from(StepKind)
POWERS = st.just(0.0) | st.floats(0.001, 1.0)
HYPOTHESES = st.frozensets(st.sampled_from(Suspect), max_size=2)


@given(kind=KINDS, power=POWERS, hypothesis=HYPOTHESES)
def test_the_showings_of_a_step_add_up(kind: StepKind, power: float, hypothesis: Hypothesis) -> None:
    chances = likelihood(Step(kind=kind, cost=Cost(), power=power), hypothesis)
    assert set(chances) == set(StepResult)
    assert sum(chances.values()) == pytest.approx(1.0)


@given(shown=st.lists(st.tuples(KINDS, POWERS, st.sampled_from(StepResult)), max_size=8))
def test_probabilities_add_up_after_any_result(shown: list[tuple[StepKind, float, StepResult]]) -> None:
    beliefs = prior(RecordedEvidence())
    for kind, power, result in shown:
        step = Step(kind=kind, cost=Cost(), power=power)
        if all(likelihood(step, held)[result] == 0.0 for held in beliefs):
            continue  # what the step never shows was not shown
        beliefs = update_beliefs(beliefs, step, result)
    assert sum(beliefs.values()) == pytest.approx(1.0)
    assert all(0.0 <= chance <= 1.0 for chance in beliefs.values())


@given(kind=KINDS)
def test_a_step_that_could_show_nothing_changes_no_belief(kind: StepKind) -> None:
    beliefs = prior(RecordedEvidence(changed=frozenset({Suspect.MODEL})))
    after = update_beliefs(beliefs, Step(kind=kind, cost=Cost(), power=0.0), StepResult.UNCLEAR)
    assert after == pytest.approx(beliefs)


def test_a_strong_replay_moves_beliefs_further_than_a_weak_one() -> None:
    beliefs = prior(RecordedEvidence(changed=frozenset({Suspect.MODEL, Suspect.PROMPT})))
    model = frozenset({Suspect.MODEL})
    reported = [
        update_beliefs(beliefs, Step(kind=StepKind.OLD_MODEL, cost=Cost(), strength=strength), StepResult.STAYED)[model]
        for strength in (0.5, 2.5)
    ]
    assert reported[1] < reported[0] < beliefs[model]


@pytest.mark.parametrize("kind", StepKind)
def test_putting_back_the_only_cause_undoes_the_drop_and_nothing_else_does(kind: StepKind) -> None:
    for suspect in Suspect:
        expected = StepResult.ALL if suspect in PUTS_BACK[kind] else StepResult.STAYED
        assert expected_results(kind, frozenset({suspect})) == {expected: 1.0}


def test_of_two_causes_one_put_back_undoes_a_part_unless_they_need_each_other() -> None:
    shown = expected_results(StepKind.OLD_PROMPT, frozenset({Suspect.PROMPT, Suspect.MODEL}))
    assert shown[StepResult.PART] > shown[StepResult.ALL] > 0.0


def test_only_a_fresh_replay_detects_a_false_alarm() -> None:
    assert expected_results(StepKind.REJUDGE, NOTHING) == {StepResult.STAYED: 1.0}
    assert expected_results(StepKind.AGAIN, NOTHING) == {StepResult.NO_DROP: 1.0}
    assert expected_results(StepKind.OLD_MODEL, NOTHING) == {StepResult.ALL: 1.0}
    assert expected_results(StepKind.UNCHANGED_CASES, NOTHING) == {StepResult.STAYED: 1.0}


def test_costs_add_and_are_covered_in_both_units() -> None:
    budget = Cost(calls=100, usd=1.0)
    assert budget.covers(Cost(calls=100, usd=1.0))
    assert not budget.covers(Cost(calls=101))
    assert not budget.covers(Cost(usd=1.01))
    assert Cost(calls=50, usd=0.8).share_of(budget) == 0.8
    assert Cost(calls=1).share_of(Cost()) == float("inf")
    assert Cost().share_of(Cost()) == 0.0
    assert Cost(calls=1, usd=0.5).plus(Cost(calls=2)) == Cost(calls=3, usd=0.5)


def test_costs_and_powers_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="a cost must not be negative"):
        Cost(calls=-1)
    with pytest.raises(ValueError, match="a cost must not be negative"):
        Cost(usd=float("nan"))
    with pytest.raises(ValueError, match="power must be a probability"):
        Step(kind=StepKind.REJUDGE, cost=Cost(), power=1.5)
