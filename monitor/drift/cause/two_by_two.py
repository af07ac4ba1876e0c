"""Old and new prompt on old and new model: which of the two caused the drop?"""

import math
from dataclasses import dataclass
from enum import StrEnum

from monitor.domain.finding import Interval
from monitor.stats.normal import normal_cdf

Z95 = 1.959963984540054


class Factor(StrEnum):
    MODEL = "model"
    PROMPT = "prompt"
    BOTH = "both"
    INTERACTION = "interaction"  # neither alone: the new prompt does not suit the new model
    NEITHER = "neither"
    NOT_IDENTIFIABLE = "not_identifiable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """The pass rate of one combination and its standard error, on the cases that all arms share."""

    rate: float
    se: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.rate <= 1.0 and self.se > 0.0):
            raise ValueError(
                f"an arm must have a rate between 0 and 1 and an error above 0, got {self.rate} and {self.se}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    delta: float
    ci: Interval  # at 95 %
    p_drop: float  # one-sided, of 'it did not make the rate fall'


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoByTwo:
    """The result. `interaction` is the effect of both together beyond the sum of each; None without all four arms."""

    factor: Factor
    why: str
    model: Effect | None
    prompt: Effect | None
    interaction: Effect | None


def two_by_two(
    *, old: Arm, new_model_old_prompt: Arm | None, old_model_new_prompt: Arm | None, new: Arm, alpha: float = 0.05
) -> TwoByTwo:
    """Return which factor made the rate fall from `old` to `new`, given the mixed arms that can still be replayed.

    Formula:   four arms: a factor's effect is the mean of its effects at the old and at the new value of the other, the
               interaction is new - new_model_old_prompt - old_model_new_prompt + old. Three arms: the path through the
               mixed arm gives each factor one effect; they add up to the whole, the interaction is unknown. No mixed
               arm: nothing separates them. A factor is named where its effect is below 0 at alpha / 2, so that an
               innocent pair is blamed with at most alpha. Four arms, of which only `new` fell: interaction. Where
               `new` is not below `old` at alpha, there is nothing to blame on either.
    Range:     deltas in [-1, 1].
    Direction: negative is a drop.
    Shapes:    arms with independent errors (within cases, see `paired_change`).
    Empty:     a mixed arm that no longer exists is None.
    Smallest:  depends on the errors of the arms.
    Source:    factorial experiments: Cox and Reid, The Theory of the Design of Experiments (2000), section 5.2.
    Differs:   one-sided, since an alarm selected a drop.

    >>> arms = {"old": Arm(rate=0.84, se=0.01), "new": Arm(rate=0.50, se=0.01)}
    >>> mixed = Arm(rate=0.51, se=0.01)
    >>> found = two_by_two(new_model_old_prompt=mixed, old_model_new_prompt=None, **arms)
    >>> str(found.factor), round(found.model.delta, 2), round(found.prompt.delta, 2)
    ('model', -0.33, -0.01)
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")
    if effect_between(old, new).p_drop >= alpha:
        why = "the rate did not fall from old to new beyond its error"
        return TwoByTwo(factor=Factor.NEITHER, why=why, model=None, prompt=None, interaction=None)
    if new_model_old_prompt is not None and old_model_new_prompt is not None:
        return _four_arms(old, new_model_old_prompt, old_model_new_prompt, new, alpha)
    if new_model_old_prompt is not None:
        model, prompt = effect_between(old, new_model_old_prompt), effect_between(new_model_old_prompt, new)
        return _three_arms(model, prompt, "the old model with the new prompt", alpha)
    if old_model_new_prompt is not None:
        model, prompt = effect_between(old_model_new_prompt, new), effect_between(old, old_model_new_prompt)
        return _three_arms(model, prompt, "the new model with the old prompt", alpha)
    why = "model and prompt moved at once and neither mixed arm can be replayed any more"
    return TwoByTwo(factor=Factor.NOT_IDENTIFIABLE, why=why, model=None, prompt=None, interaction=None)


def _four_arms(old: Arm, model_only: Arm, prompt_only: Arm, new: Arm, alpha: float) -> TwoByTwo:
    model = _effect([(0.5, model_only), (-0.5, old), (0.5, new), (-0.5, prompt_only)])
    prompt = _effect([(0.5, prompt_only), (-0.5, old), (0.5, new), (-0.5, model_only)])
    interaction = _effect([(1.0, new), (-1.0, model_only), (-1.0, prompt_only), (1.0, old)])
    alone = [effect_between(old, arm).p_drop < alpha / 2.0 for arm in (model_only, prompt_only)]
    if interaction.p_drop < alpha / 2.0 and not any(alone):
        factor, why = Factor.INTERACTION, "neither falls alone, both together do"
    else:
        factor, why = _named(model, prompt, alpha)
    return TwoByTwo(factor=factor, why=why, model=model, prompt=prompt, interaction=interaction)


def _three_arms(model: Effect, prompt: Effect, missing: str, alpha: float) -> TwoByTwo:
    factor, why = _named(model, prompt, alpha)
    note = f"{why}; {missing} was not replayed, so an interaction cannot be estimated"
    return TwoByTwo(factor=factor, why=note, model=model, prompt=prompt, interaction=None)


def _named(model: Effect, prompt: Effect, alpha: float) -> tuple[Factor, str]:
    by_model, by_prompt = model.p_drop < alpha / 2.0, prompt.p_drop < alpha / 2.0
    if by_model and by_prompt:
        return Factor.BOTH, "the rate falls with the model and with the prompt"
    if by_model:
        return Factor.MODEL, "the rate falls with the model, whichever prompt"
    if by_prompt:
        return Factor.PROMPT, "the rate falls with the prompt, whichever model"
    return Factor.NEITHER, "neither model nor prompt makes the rate fall beyond its error"


def effect_between(start: Arm, end: Arm) -> Effect:
    """Return the change of the rate from one arm to another."""
    return _effect([(1.0, end), (-1.0, start)])


def _effect(terms: list[tuple[float, Arm]]) -> Effect:
    delta = sum(weight * arm.rate for weight, arm in terms)
    se = math.sqrt(sum((weight * arm.se) ** 2 for weight, arm in terms))
    return Effect(
        delta=delta,
        ci=Interval(low=delta - Z95 * se, high=delta + Z95 * se),
        p_drop=normal_cdf(delta / se),
    )
