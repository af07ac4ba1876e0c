"""What a replay that put one thing back showed of the drop."""

from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.two_by_two import Arm, effect_between


def showing_of_replay(*, old: Arm, new: Arm, put_back: Arm, alpha: float = 0.05) -> StepResult:
    """Whether the drop from `old` to `new` went away in the arm that put one thing back.

    | put_back below old | put_back above new | showing |
    |---|---|---|
    | no | yes | all of the drop went away |
    | yes | yes | part of it |
    | yes | no | it stayed |
    | no | no | it cannot be told: the arm is too small |

    Each comparison is one-sided at alpha / 2.

    >>> arms = {"old": Arm(rate=0.84, se=0.01), "new": Arm(rate=0.50, se=0.01)}
    >>> showing_of_replay(put_back=Arm(rate=0.83, se=0.01), **arms).name
    'ALL'
    """
    fell = effect_between(old, put_back).p_drop < alpha / 2.0
    recovered = effect_between(put_back, new).p_drop < alpha / 2.0
    if recovered:
        return StepResult.PART if fell else StepResult.ALL
    return StepResult.STAYED if fell else StepResult.UNCLEAR


def showing_of_again(*, old: Arm, new: Arm, again: Arm, alpha: float = 0.05) -> StepResult:
    """Whether a fresh replay of what is deployed fell as well: a drop that does not come back was none."""
    if effect_between(old, again).p_drop < alpha / 2.0:
        return StepResult.STAYED
    gone = effect_between(again, new).p_drop < alpha / 2.0
    return StepResult.NO_DROP if gone else StepResult.UNCLEAR
