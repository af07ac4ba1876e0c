"""Real answers, judged and judged again by two real readings: plan, re-judge and attribution end at the right cause.

The strict judge takes the first [Yes] or [No] of an answer and fails what has none; the kinder one then takes the last
yes or no of the text, as the study's authors did. GPT-4's answers nearly all carry the marker, GPT-3.5's often do not.
"""

import gzip
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from monitor.domain.version import ChangeKind
from monitor.drift.cause.attribution import RankedCauses, investigate, rejudge_step_result
from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiment_results import classify_replay
from monitor.drift.cause.experiments import Cost, Step, StepKind
from monitor.drift.cause.prior import Suspect
from monitor.drift.cause.suspects import Hypothesis, RecordedEvidence, recorded_evidence
from monitor.drift.cause.two_by_two import Arm
from monitor.stats.attribution import Attribution, Cause, attribute

ROOT = Path(__file__).parents[3]
GPT_4 = ROOT / "examples" / "llmdrift" / "primes.jsonl.gz"
GPT_3_5 = ROOT / "tests" / "data" / "llmdrift" / "gpt-3.5-primes.jsonl.gz"

Floats = NDArray[np.float64]
Judge = Callable[[str], str | None]


def strict(answer: str) -> str | None:
    marker = re.search(r"\[(yes|no)\]", answer, re.IGNORECASE)
    return marker[1].lower() if marker else None


def kinder(answer: str) -> str | None:
    words = re.findall(r"\b(yes|no)\b", answer.lower())
    return strict(answer) or (words[-1] if words else None)


@cache
def questions(path: Path) -> tuple[dict[str, Any], ...]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """One recorded replay: which snapshot answered, who judged."""

    data: Path
    snapshot: str
    judge: Judge

    def answers(self) -> Iterator[tuple[str, str]]:
        for question in questions(self.data):
            recorded = question["answers"][self.snapshot]
            yield recorded if isinstance(recorded, str) else recorded[0]["text"], question["reference"]

    def verdicts(self) -> Floats:
        return np.array([float(self.judge(text) == reference) for text, reference in self.answers()])

    def arm(self) -> Arm:
        verdicts = self.verdicts()
        rate = float(verdicts.mean())
        return Arm(rate=rate, se=math.sqrt(rate * (1.0 - rate) / verdicts.size))


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    before: Night
    after: Night
    evidence: RecordedEvidence

    def rejudged(self) -> Attribution:
        """The stored outputs of the night before, read by the judge of the night after."""
        stored = self.before.verdicts()
        now = Night(data=self.before.data, snapshot=self.before.snapshot, judge=self.after.judge).verdicts()
        twice = int((stored != self.before.verdicts()).sum())  # the calibration: the old judge, asked twice
        return attribute(
            stored[None, :, None], self.after.verdicts()[None, :, None], stored, now, twice, stored.size, 0.05
        )

    def old_model(self) -> StepResult:
        """The old snapshot asked again today, so by today's judge; recorded answers stand for it."""
        put_back = Night(data=self.before.data, snapshot=self.before.snapshot, judge=self.after.judge)
        return classify_replay(old=self.before.arm(), new=self.after.arm(), put_back=put_back.arm())

    def run(self, step: Step) -> StepResult:
        if step.kind is StepKind.REJUDGE:
            return rejudge_step_result(self.rejudged().cause)
        assert step.kind is StepKind.OLD_MODEL
        return self.old_model()


MODEL_CHANGED = recorded_evidence([ChangeKind.MODEL], judge_changed=None, set_changed=False)
NOTHING_RECORDED = recorded_evidence([], judge_changed=None, set_changed=False)

MODEL_ONLY = Story(
    before=Night(data=GPT_4, snapshot="gpt-4-0314", judge=strict),
    after=Night(data=GPT_4, snapshot="gpt-4-0613", judge=strict),
    evidence=MODEL_CHANGED,
)
JUDGE_ONLY = Story(
    before=Night(data=GPT_3_5, snapshot="gpt-3.5-turbo-0613", judge=kinder),
    after=Night(data=GPT_3_5, snapshot="gpt-3.5-turbo-0613", judge=strict),
    evidence=NOTHING_RECORDED,
)
BOTH = Story(  # a model taken back to March, and a stricter reader at once
    before=Night(data=GPT_3_5, snapshot="gpt-3.5-turbo-0613", judge=kinder),
    after=Night(data=GPT_3_5, snapshot="gpt-3.5-turbo-0301", judge=strict),
    evidence=MODEL_CHANGED,
)


def walk(story: Story, *, old_model: str | None = None) -> RankedCauses:
    """The whole plan with what these recordings can answer: the other arms say why they cannot."""
    steps = [
        Step(kind=StepKind.REJUDGE, cost=Cost(calls=1000, usd=1.0)),
        Step(kind=StepKind.OLD_MODEL, cost=Cost(calls=1000, usd=10.0), unavailable=old_model),
        Step(kind=StepKind.OLD_PROMPT, cost=Cost(calls=1000, usd=10.0), unavailable="the prompt never changed"),
        Step(kind=StepKind.OLD_SET, cost=Cost(), unavailable="the set never changed"),
    ]
    return investigate(story.evidence, steps, Cost(calls=3000, usd=30.0), story.run)


@pytest.mark.parametrize(
    ("story", "cause", "total", "of_the_judge"),
    [
        (MODEL_ONLY, Cause.MODEL, -0.338, 0.0),
        (JUDGE_ONLY, Cause.JUDGE, -33 / 334, -33 / 334),
        (BOTH, Cause.BOTH, -82 / 334, -33 / 334),
    ],
    ids=["model", "judge", "both"],
)
def test_re_judging_real_answers_names_the_cause(story: Story, cause: Cause, total: float, of_the_judge: float) -> None:
    found = story.rejudged()
    assert found.cause is cause
    assert found.total_delta == pytest.approx(total)
    assert found.judge_delta == pytest.approx(of_the_judge)
    assert found.ci is not None
    assert found.ci.low <= of_the_judge <= found.ci.high


@pytest.mark.parametrize(
    ("story", "named"),
    [
        (MODEL_ONLY, {Suspect.MODEL}),
        (JUDGE_ONLY, {Suspect.JUDGE}),
        (BOTH, {Suspect.MODEL, Suspect.JUDGE}),
    ],
    ids=["model", "judge", "both"],
)
def test_the_plan_walks_to_the_right_cause(story: Story, named: Hypothesis) -> None:
    found = walk(story)
    assert found.named == named
    assert {done.kind for done in found.tried} <= {StepKind.REJUDGE, StepKind.OLD_MODEL}
    assert found.spent.calls == 1000 * len(found.tried)


def test_a_judge_is_convicted_without_the_old_model() -> None:
    found = walk(JUDGE_ONLY, old_model="gpt-3.5-turbo-0613 was retired")
    assert found.named == frozenset({Suspect.JUDGE})
    assert [done.kind for done in found.tried] == [StepKind.REJUDGE]


def test_without_the_old_model_a_silent_drop_stays_open_between_those_whom_nothing_can_put_back() -> None:
    silent = Story(before=MODEL_ONLY.before, after=MODEL_ONLY.after, evidence=NOTHING_RECORDED)
    found = walk(silent, old_model="gpt-4-0314 was retired")
    assert found.named is None
    assert "replay the old model on the new prompt: gpt-4-0314 was retired" in found.why
    judge = next(cause for cause in found.causes if cause.suspect is Suspect.JUDGE)
    assert judge.probability < 0.05
