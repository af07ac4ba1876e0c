"""The result of a replayed arm."""

import pytest

from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiment_results import classify_repeat, classify_replay
from monitor.drift.cause.two_by_two import Arm

OLD, NEW = Arm(rate=0.80, se=0.01), Arm(rate=0.70, se=0.01)


@pytest.mark.parametrize(
    ("rate", "se", "result"),
    [
        (0.80, 0.01, StepResult.ALL),
        (0.83, 0.01, StepResult.ALL),
        (0.75, 0.01, StepResult.PART),
        (0.70, 0.01, StepResult.STAYED),
        (0.60, 0.01, StepResult.STAYED),
        (0.75, 0.10, StepResult.UNCLEAR),
    ],
)
def test_an_arm_that_put_one_thing_back(rate: float, se: float, result: StepResult) -> None:
    assert classify_replay(old=OLD, new=NEW, put_back=Arm(rate=rate, se=se)) is result


@pytest.mark.parametrize(
    ("rate", "se", "result"),
    [(0.80, 0.01, StepResult.NO_DROP), (0.70, 0.01, StepResult.STAYED), (0.75, 0.10, StepResult.UNCLEAR)],
)
def test_what_is_deployed_replayed_once_more(rate: float, se: float, result: StepResult) -> None:
    assert classify_repeat(old=OLD, new=NEW, again=Arm(rate=rate, se=se)) is result
