"""Which step is tried next."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.drift.cause.experiment_choice import (
    MIN_BITS,
    MIN_BITS_FREE,
    choose_step,
    expected_bits,
    out_of_reach,
    too_expensive,
)
from monitor.drift.cause.experiments import Cost, Step, StepKind
from monitor.drift.cause.prior import Suspect
from monitor.drift.cause.suspects import RecordedEvidence, prior

MODEL, JUDGE = frozenset({Suspect.MODEL}), frozenset({Suspect.JUDGE})
ROOM = Cost(calls=10_000, usd=100.0)

COSTS = st.builds(Cost, calls=st.integers(0, 2000), usd=st.floats(0.0, 20.0))
STEPS = st.lists(
    st.builds(
        Step,
        kind=st.sampled_from(StepKind),
        cost=COSTS,
        power=st.floats(0.0, 1.0),
        unavailable=st.sampled_from([None, None, "the target no longer offers it"]),
    ),
    max_size=5,
    unique_by=lambda step: step.kind,
)
EVIDENCE = st.builds(
    lambda changed, ruled_out: RecordedEvidence(changed=changed, ruled_out=ruled_out - changed),
    st.frozensets(st.sampled_from(Suspect)),
    st.frozensets(st.sampled_from(Suspect)),
)


def least_of(step: Step) -> float:
    return MIN_BITS if step.cost.calls > 0 or step.cost.usd > 0.0 else MIN_BITS_FREE


@given(evidence=EVIDENCE, steps=STEPS, left=COSTS)
def test_a_chosen_step_is_available_affordable_and_informative(
    evidence: RecordedEvidence, steps: list[Step], left: Cost
) -> None:
    beliefs = prior(evidence)
    choice = choose_step(beliefs, steps, left)
    if choice is None:
        possible = [step for step in steps if step.unavailable is None and left.covers(step.cost)]
        assert all(expected_bits(beliefs, step) < least_of(step) for step in possible)
        return
    assert choice.step in steps
    assert choice.step.unavailable is None
    assert left.covers(choice.step.cost)
    assert choice.bits >= least_of(choice.step)


@given(evidence=EVIDENCE, steps=STEPS)
def test_information_is_never_negative_and_grows_with_power(evidence: RecordedEvidence, steps: list[Step]) -> None:
    beliefs = prior(evidence)
    for step in steps:
        sharp = Step(kind=step.kind, cost=step.cost, power=1.0)
        blind = Step(kind=step.kind, cost=step.cost, power=0.0)
        assert 0.0 <= expected_bits(beliefs, step) <= expected_bits(beliefs, sharp) + 1e-9
        assert expected_bits(beliefs, blind) == pytest.approx(0.0, abs=1e-9)


def test_a_step_about_somebody_who_is_no_suspect_is_useless_and_never_chosen() -> None:
    between = {MODEL: 0.5, JUDGE: 0.5}
    about_the_set = [Step(kind=StepKind.OLD_SET, cost=Cost()), Step(kind=StepKind.UNCHANGED_CASES, cost=Cost())]
    assert [expected_bits(between, step) for step in about_the_set] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert choose_step(between, about_the_set, ROOM) is None


def test_what_is_certain_needs_no_step() -> None:
    every = [Step(kind=kind, cost=Cost()) for kind in StepKind]
    assert choose_step({MODEL: 1.0}, every, ROOM) is None


def test_of_two_equally_informative_steps_the_cheaper_is_chosen() -> None:
    between = {MODEL: 0.5, JUDGE: 0.5}
    dear = Step(kind=StepKind.OLD_MODEL, cost=Cost(calls=900, usd=9.0))
    cheap = Step(kind=StepKind.REJUDGE, cost=Cost(calls=300, usd=0.5))
    choice = choose_step(between, [dear, cheap], ROOM)
    assert choice is not None
    assert choice.step is cheap


def test_a_more_expensive_step_is_chosen_when_it_is_more_informative_for_its_cost() -> None:
    mostly_model = {MODEL: 0.5, frozenset({Suspect.PROMPT}): 0.49, JUDGE: 0.01}
    rejudge = Step(kind=StepKind.REJUDGE, cost=Cost(calls=300, usd=1.0))
    old_model = Step(kind=StepKind.OLD_MODEL, cost=Cost(calls=600, usd=2.0))
    choice = choose_step(mostly_model, [rejudge, old_model], ROOM)
    assert choice is not None
    assert choice.step is old_model


def test_informative_but_unavailable_steps_are_listed() -> None:
    between = {MODEL: 0.5, JUDGE: 0.5}
    gone = Step(kind=StepKind.OLD_MODEL, cost=Cost(calls=1), unavailable="the target no longer offers gpt-4-0314")
    dear = Step(kind=StepKind.REJUDGE, cost=Cost(calls=20_000))
    useless = Step(kind=StepKind.OLD_SET, cost=Cost(calls=20_000))
    assert out_of_reach(between, [gone, dear, useless]) == [gone]
    assert too_expensive(between, [gone, dear, useless], ROOM) == [dear]
