"""Old and new prompt on old and new model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.drift.cause.two_by_two import Arm, Factor, two_by_two

RATES = st.floats(0.0, 1.0)


def arm(rate: float) -> Arm:
    return Arm(rate=rate, se=0.01)


@pytest.mark.parametrize(
    ("new_model_old_prompt", "old_model_new_prompt", "new", "factor"),
    [
        (0.70, 0.80, 0.70, Factor.MODEL),
        (0.80, 0.70, 0.70, Factor.PROMPT),
        (0.75, 0.75, 0.70, Factor.BOTH),
        (0.80, 0.80, 0.70, Factor.INTERACTION),
    ],
)
def test_four_arms_name_the_factor(
    new_model_old_prompt: float, old_model_new_prompt: float, new: float, factor: Factor
) -> None:
    found = two_by_two(
        old=arm(0.80),
        new_model_old_prompt=arm(new_model_old_prompt),
        old_model_new_prompt=arm(old_model_new_prompt),
        new=arm(new),
    )
    assert found.factor is factor
    assert found.model is not None
    assert found.prompt is not None
    assert found.interaction is not None
    assert found.model.delta + found.prompt.delta == pytest.approx(new - 0.80)


@pytest.mark.parametrize(
    ("mixed", "factor_by_model_arm", "factor_by_prompt_arm"),
    [(0.70, Factor.MODEL, Factor.PROMPT), (0.80, Factor.PROMPT, Factor.MODEL), (0.75, Factor.BOTH, Factor.BOTH)],
)
def test_three_arms_name_the_factor_and_say_that_an_interaction_is_unknown(
    mixed: float, factor_by_model_arm: Factor, factor_by_prompt_arm: Factor
) -> None:
    by_model = two_by_two(old=arm(0.80), new_model_old_prompt=arm(mixed), old_model_new_prompt=None, new=arm(0.70))
    by_prompt = two_by_two(old=arm(0.80), new_model_old_prompt=None, old_model_new_prompt=arm(mixed), new=arm(0.70))
    assert (by_model.factor, by_prompt.factor) == (factor_by_model_arm, factor_by_prompt_arm)
    assert by_model.interaction is None
    assert "the old model with the new prompt was not replayed" in by_model.why
    assert "the new model with the old prompt was not replayed" in by_prompt.why


@pytest.mark.parametrize("prompt_only", [0.8, 0.9, None])
def test_no_factor_is_named_without_a_fall(prompt_only: float | None) -> None:
    mixed = None if prompt_only is None else arm(prompt_only)
    found = two_by_two(old=arm(0.8), new_model_old_prompt=arm(0.8), old_model_new_prompt=mixed, new=arm(0.8))
    assert (found.factor, found.model) == (Factor.NEITHER, None)


def test_two_that_moved_at_once_without_a_mixed_arm_are_not_identifiable() -> None:
    found = two_by_two(old=arm(0.8), new_model_old_prompt=None, old_model_new_prompt=None, new=arm(0.7))
    assert found.factor is Factor.NOT_IDENTIFIABLE
    assert found.model is found.prompt is found.interaction is None
    assert "neither mixed arm can be replayed" in found.why


@given(old=RATES, one=RATES, other=RATES, new=RATES)
def test_model_and_prompt_change_places_when_their_arms_do(old: float, one: float, other: float, new: float) -> None:
    first = two_by_two(old=arm(old), new_model_old_prompt=arm(one), old_model_new_prompt=arm(other), new=arm(new))
    second = two_by_two(old=arm(old), new_model_old_prompt=arm(other), old_model_new_prompt=arm(one), new=arm(new))
    assert (first.model is None) == (second.prompt is None)
    if first.model is not None and second.prompt is not None:
        assert first.model.delta == pytest.approx(second.prompt.delta)
    mirrored = {Factor.MODEL: Factor.PROMPT, Factor.PROMPT: Factor.MODEL}
    assert second.factor is mirrored.get(first.factor, first.factor)


def test_an_arm_or_a_level_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="an arm must have a rate between 0 and 1"):
        Arm(rate=1.2, se=0.01)
    with pytest.raises(ValueError, match="an error above 0"):
        Arm(rate=0.5, se=0.0)
    with pytest.raises(ValueError, match="alpha must be between 0 and 1"):
        two_by_two(old=arm(0.8), new_model_old_prompt=None, old_model_new_prompt=None, new=arm(0.7), alpha=0.0)
