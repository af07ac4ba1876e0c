import math

import pytest

from replay.scorers.base import Stamped
from replay.scoring import has_verdict, score_reply
from replay.types import Case, Reply, Score
from tests.replay.replays import SaysYes, case

REPLY = Reply(text="yes", latency_ms=1.0)


class Broken(Stamped):
    def score(self, case: Case, reply: Reply) -> Score:
        raise ZeroDivisionError(f"while judging {reply.text}")


class OffScale(Stamped):
    def __init__(self, value: float) -> None:
        super().__init__(name="off", version="1")
        object.__setattr__(self, "value", value)

    def score(self, case: Case, reply: Reply) -> Score:
        return Score(
            scorer=self.name,
            scorer_version=self.version,
            value=self.value,  # type: ignore[attr-defined]
            label="pass",
            failure_category="none",
            reason="",
        )


def test_a_scorer_that_raises_leaves_its_class_and_no_verdict_and_the_others_still_judge() -> None:
    broken, fine = score_reply(case(0), REPLY, [Broken(name="broken", version="3"), SaysYes()])
    assert (broken.scorer, broken.scorer_version, broken.value, broken.label) == ("broken", "3", None, "unscored")
    assert broken.reason == "ZeroDivisionError"  # and not its text, which may hold the reply
    assert fine.value == 1.0


@pytest.mark.parametrize("value", [-0.01, 1.01, math.nan, math.inf])
def test_a_value_off_the_scale_is_no_verdict(value: float) -> None:
    (score,) = score_reply(case(0), REPLY, [OffScale(value)])
    assert (score.value, score.label) == (None, "unscored")
    assert "not in [0, 1]" in score.reason


def test_a_sample_is_scored_when_every_scorer_reached_a_verdict() -> None:
    scores = score_reply(case(0), REPLY, [SaysYes(), SaysYes()])
    unscored = score_reply(case(0), REPLY, [SaysYes(), Broken(name="broken", version="1")])
    assert (has_verdict(scores), has_verdict(unscored), has_verdict(())) == (True, False, False)
