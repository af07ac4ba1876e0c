"""The result of each step of an investigation, with its numbers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from monitor.drift.cause.attribution import rejudge_step_result
from monitor.drift.cause.before_after import BeforeAfter, Floats, Key, spread_of
from monitor.drift.cause.experiment_outcome import StepResult
from monitor.drift.cause.experiments import StepKind
from monitor.drift.cause.two_by_two import Z95, Arm, effect_between
from monitor.drift.judge.wording import count, percent, signed_points
from monitor.stats.attribution import Attribution, attribute
from monitor.stats.night_tally import NightTally


def classify_replay(*, old: Arm, new: Arm, put_back: Arm, alpha: float = 0.05) -> StepResult:
    """Return whether the drop from `old` to `new` is gone in the arm that restores one condition.

    | put_back below old | put_back above new | result |
    | --- | --- | --- |
    | no | yes | all of the drop went away |
    | yes | yes | part of it |
    | yes | no | it stayed |
    | no | no | the result is unclear: the arm is too small |

    Each comparison is one-sided at alpha / 2.

    >>> arms = {"old": Arm(rate=0.84, se=0.01), "new": Arm(rate=0.50, se=0.01)}
    >>> classify_replay(put_back=Arm(rate=0.83, se=0.01), **arms).name
    'ALL'
    """
    fell = effect_between(old, put_back).p_drop < alpha / 2.0
    recovered = effect_between(put_back, new).p_drop < alpha / 2.0
    if recovered:
        return StepResult.PART if fell else StepResult.ALL
    return StepResult.STAYED if fell else StepResult.UNCLEAR


def classify_repeat(*, old: Arm, new: Arm, again: Arm, alpha: float = 0.05) -> StepResult:
    """Return whether a fresh replay of the deployed version drops as well. A drop that does not repeat was a false
    alarm.
    """
    if effect_between(old, again).p_drop < alpha / 2.0:
        return StepResult.STAYED
    is_gone = effect_between(again, new).p_drop < alpha / 2.0
    return StepResult.NO_DROP if is_gone else StepResult.UNCLEAR


ALPHA = 0.05
POWER_Z = 0.8416212335729143  # with Z95: the cases that show a drop four times in five


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentResult:
    result: StepResult
    detail: str


def unchanged_cases_result(samples: BeforeAfter) -> ExperimentResult:
    """Return whether the drop is present on the cases of both sides. New cases add the rest.

    The drop stayed when those cases fell, one-sided at 2.5 %; a part of it, when all cases fell by twice as much. All
    of it went away when those cases did not fall, and their interval excludes half of the drop.
    """
    change, overall_delta = samples.change(), samples.overall_delta
    if change is None or overall_delta is None:
        return ExperimentResult(result=StepResult.UNCLEAR, detail="no case has samples before and after the onset")
    detail = (
        f"{count(change.n, 'unchanged case')} of {samples.cases_asked}: {signed_points(change.delta)} points there, "
        f"{signed_points(change.these_cases.low)} to {signed_points(change.these_cases.high)}; "
        f"{signed_points(overall_delta)} over all cases"
    )
    if change.these_cases.high < 0.0:
        is_part = overall_delta < 2.0 * change.these_cases.low
        return ExperimentResult(result=StepResult.PART if is_part else StepResult.STAYED, detail=detail)
    is_gone = change.n < samples.cases_asked and overall_delta < 0.0 and change.these_cases.low > overall_delta / 2.0
    return ExperimentResult(result=StepResult.ALL if is_gone else StepResult.UNCLEAR, detail=detail)


def rejudging_result(
    samples: BeforeAfter, stored: Sequence[float], again: Sequence[float | None], calibration: tuple[int, int]
) -> ExperimentResult:
    """Return what `attribute` concludes from stored outputs that were judged again. `calibration` is (flips,
    outputs).
    """
    attribution = attribute(
        samples.before,
        samples.after,
        np.array(stored, dtype=np.float64),
        np.array([math.nan if value is None else value for value in again], dtype=np.float64),
        *calibration,
        ALPHA,
    )
    return ExperimentResult(
        result=rejudge_step_result(attribution.cause), detail=_describe_attribution(attribution, len(again))
    )


def replay_result(
    kind: StepKind, samples: BeforeAfter, scores: Mapping[Key, Sequence[float | None]]
) -> ExperimentResult:
    """Return the result of a fresh replay, compared with both sides on the cases that it answered."""
    answered = [i for i, key in enumerate(samples.keys) if any(value is not None for value in scores.get(key, ()))]
    if not answered:
        return ExperimentResult(result=StepResult.FAILED, detail="no case has a scored answer")
    then, now = samples.before[:, answered], samples.after[:, answered]
    spread = spread_of(NightTally.of_values(then), NightTally.of_values(now))
    old, new = _arm(then, spread), _arm(now, spread)
    fresh = _arm(_replay_scores([scores[samples.keys[i]] for i in answered]), spread)
    if kind is StepKind.AGAIN:
        result = classify_repeat(old=old, new=new, again=fresh, alpha=ALPHA)
    else:
        result = classify_replay(old=old, new=new, put_back=fresh, alpha=ALPHA)
    detail = (
        f"{percent(fresh.rate)} on {count(len(answered), 'case')}, where it was {percent(old.rate)} before the onset "
        f"and {percent(new.rate)} since"
    )
    return ExperimentResult(result=result, detail=detail)


def replay_strength(samples: BeforeAfter, keys: Sequence[Key]) -> float:
    """Return how clearly one fresh sample of these cases separates the drop from no drop, in standard errors.

    Formula:   (old - new) / sqrt(se_new^2 + se_fresh^2), the fresh arm at the mean of both rates.
    Range:     at least 0; 0 without a drop, or without a case.
    """
    index = {key: i for i, key in enumerate(samples.keys)}
    columns = [index[key] for key in keys]
    if not columns:
        return 0.0
    then, now = samples.before[:, columns], samples.after[:, columns]
    spread = spread_of(NightTally.of_values(then), NightTally.of_values(now))
    old, new = _arm(then, spread), _arm(now, spread)
    mean = min(max((old.rate + new.rate) / 2.0, 0.05), 0.95)
    fresh = spread * mean * (1.0 - mean) / len(columns)
    return max(0.0, (old.rate - new.rate) / math.sqrt(new.se**2 + fresh))


def cases_needed(samples: BeforeAfter) -> int:
    """Return how many cases detect the drop with 80 % power, with one sample each in the fresh replay.

    Formula:   (z_{0.975} + z_{0.8})^2 (m (1 - m)) (1 + 1 / nights) / delta^2, m the mean rate of both sides.
    Smallest:  30, since fewer have little information; at most the unchanged cases.
    Source:    the normal approximation of a difference of proportions.
    """
    change = samples.change()
    if change is None:
        return 0
    mean = min(max((change.before + change.after) / 2.0, 0.05), 0.95)
    nights = 1.0 + 1.0 / min(samples.before.shape[0], samples.after.shape[0])
    needed = float((Z95 + POWER_Z) ** 2 * mean * (1.0 - mean) * nights / max(change.delta**2, 1e-6))
    return min(len(samples.keys), max(30, math.ceil(needed)))


def _describe_attribution(found: Attribution, outputs: int) -> str:
    if found.judge_delta is None or found.flip_rate is None or found.total_delta is None:
        return f"{count(outputs, 'stored output')}: too few have a verdict on both sides"
    without = "" if found.corrected_delta is None else f"; {signed_points(found.corrected_delta)} points without that"
    return (
        f"{count(outputs, 'stored output')} judged again: {percent(found.flip_rate)} came out differently, which moves "
        f"the score by {signed_points(found.judge_delta)} points of {signed_points(found.total_delta)}{without}"
    )


def _replay_scores(scores: Sequence[Sequence[float | None]]) -> Floats:
    samples = max(len(row) for row in scores)
    values = np.full((1, len(scores), samples), np.nan)
    for i, row in enumerate(scores):
        for k, value in enumerate(row):
            values[0, i, k] = math.nan if value is None else value
    return values


def _arm(values: Floats, spread: float) -> Arm:
    """Return the mean over cases. Its error assumes that all cases have one rate, which makes it rather too wide."""
    tally = NightTally.of_values(values).pooled()
    kept = tally.count[0] > 0
    rate = float((tally.first[0, kept] / tally.count[0, kept]).mean()) if kept.any() else 0.5
    within = max(rate * (1.0 - rate), 0.5 / (kept.sum() + 1.0))
    se = math.sqrt(spread * within * float((1.0 / tally.count[0, kept]).sum())) / max(int(kept.sum()), 1)
    return Arm(rate=rate, se=se if se > 0.0 else 0.5)
