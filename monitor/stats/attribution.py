"""Model or judge: the cause of a drop, after stored outputs were judged again."""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from monitor.domain.finding import Interval
from monitor.stats.judge_shift import JudgeShift, judge_shift, p_judge_alone
from monitor.stats.night_tally import NightTally
from monitor.stats.normal import normal_cdf
from monitor.stats.two_versions.known_change import interval_spread
from monitor.stats.two_versions.paired_change import paired_change

Floats = NDArray[np.float64]
Z95 = 1.959963984540054
MIN_DROP = 0.02  # the smallest drop an alarm is about
TYPICAL_EXCESS = 0.05  # how far beyond it drops lie a priori: exponential
JUDGE_LEVEL = 0.005  # of 'the judge moved', whatever alpha: a pure model drop is to be called one 99 times of 100
STANDS_ALONE = 0.7  # share of alpha: a judge's drop can also reach the model by a judge that was missed
HARDLY_LEANS = 0.3  # chance of so much of a fall, had nothing fallen, above which an alarm's drop is dismissed
NOTHING_FELL = 0.5  # share of alpha at which a drop is dismissed


class Cause(StrEnum):
    MODEL = "model"
    JUDGE = "judge"
    BOTH = "both"
    NONE = "none"
    NOT_IDENTIFIABLE = "not_identifiable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """The `cause` and its evidence. Deltas are after minus before, intervals at 95 %, p-values one-sided; None is
    unknown.

    `judge_delta` is the effect of a changed judge on the score, shrunk towards 0 while the change is not significant;
    `ci` is its interval. `corrected_delta` is the total without it. Each p-value is of the null hypothesis: `drop_p`
    that nothing fell, `judge_p` that the judge did not become stricter, `judge_alone_p` that the judge caused all of
    the drop, `corrected_p` that nothing fell but the scale of the judge.
    """

    cause: Cause
    judge_delta: float | None = None
    ci: Interval | None = None
    judge_p: float | None = None
    judge_alone_p: float | None = None
    flip_rate: float | None = None
    calibrated_flip_rate: float | None = None
    total_delta: float | None = None
    total_ci: Interval | None = None
    drop_p: float | None = None
    corrected_delta: float | None = None
    corrected_ci: Interval | None = None
    corrected_p: float | None = None


def attribute(  # noqa: PLR0917 - the published contract is positional
    before: Floats,
    after: Floats,
    stored_verdicts: Floats,
    rejudged: Floats,
    calibration_flips: int,
    calibration_n: int,
    alpha: float = 0.05,
) -> Attribution:
    """Return the cause of the drop of an alarm, given outputs of the baseline that were judged again today.

    Formula:   total = `paired_change`, spread as nights do; judge = `judge_shift`; corrected = total - judge, its
               variance the sum of both. Then the first row that is true:

               | condition | cause |
               |---|---|
               | no case on both sides, or no output with two verdicts | not_identifiable |
               | total (and corrected, if the judge moved): p > 0.3, or 2 points excluded at alpha / 2 | none |
               | the judge grew stricter (level JUDGE_LEVEL), corrected fell at 0.7 alpha | both |
               | the judge grew stricter | judge |
               | 'the judge made all of the drop' is rejected at alpha (`p_judge_alone`) | model |
               | neither that, nor 'the judge is unchanged' is rejected | not_identifiable |

               A judge that grew kinder hides a drop and makes none: it corrects, and is not blamed.
    Range:     p-values in [0, 1], deltas in [-1, 1].
    Direction: negative deltas are worse scores, or a stricter judge.
    Shapes:    before[Nb, n, k], after[Na, n, k] float64 in [0, 1], the verdicts as given at the time;
               stored_verdicts[m] and rejudged[m] float64; two counts: how many of `calibration_n` outputs flipped when
               the old judge scored them twice.
    Empty:     NaN is a missing sample, left out. See the first row. 0 of 0 calibrated: the net shift alone speaks.
    Smallest:  measured with 300 cases, 14 nights before and 7 after, alpha 0.05, a judge that takes three points, 2,000
               seeded runs a cell: from m = 300 outputs of a judge without noise, 600 where it flips 1 to 2 %, 1,200
               where it flips 5 %, the judge's drop is put on the model alone in at most 3 % and on `both` in about 4 %;
               a pure drop of three or five points is `model` in 99 %; five points with the judge's three are `both`
               in 92 % or more. Three with three reach 90 % with m = 1,200 without noise, and need more with it. One
               night after is too short for `both` (60 to 82 % of five with three), however many are judged again.
    Source:    the three parts. Decision by rejecting each single explanation: Berger, Technometrics 24 (1982) 295-300
               (intersection-union test).
    Differs:   called at an alarm, which selected the drop: one too weak to be significant at alpha on these nights
               alone is not dismissed up to p = 0.3. Called without an alarm, unchanged scores are blamed on something
               up to that often. `drop_p` is the evidence of these nights for a drop.

    >>> before = np.repeat((np.arange(300) % 5 > 0).astype(float)[None, :, None], 14, axis=0)
    >>> stricter = np.where(np.arange(300) % 20 == 1, 0.0, before[:7, :, 0])
    >>> stored = before[:7].ravel()
    >>> str(attribute(before, stricter[..., None], stored, stored, calibration_flips=4, calibration_n=600).cause)
    'model'
    >>> found = attribute(before, stricter[..., None], stored, stricter.ravel(), calibration_flips=4, calibration_n=600)
    >>> str(found.cause), round(found.judge_delta, 3), round(found.total_delta, 3)
    ('judge', -0.05, -0.05)
    """
    if not 0.0 < alpha < 0.5:
        raise ValueError(f"alpha must be between 0 and 0.5, got {alpha}")
    total = _total_change(np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64))
    stored, again = np.asarray(stored_verdicts, dtype=np.float64), np.asarray(rejudged, dtype=np.float64)
    shift = judge_shift(stored, again, calibration_flips, calibration_n)
    if total is None or shift is None:
        return _not_identifiable(total, shift)
    evidence = _Evidence.of(total, shift, min(JUDGE_LEVEL, alpha))
    return _attribution(evidence, _decide(evidence, alpha), calibration_flips, calibration_n)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    delta: float
    se: float

    @property
    def p_no_drop(self) -> float:
        return normal_cdf(self.delta / self.se)

    def excludes_drop(self, size: float, level: float) -> bool:
        return normal_cdf(-(self.delta + size) / self.se) < level

    @property
    def ci(self) -> Interval:
        half = Z95 * self.se
        return Interval(low=max(-1.0, self.delta - half), high=min(1.0, self.delta + half))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    total: _Change
    corrected: _Change
    shift: JudgeShift
    judge_delta: float
    alone_p: float
    stricter: bool
    kinder: bool

    @classmethod
    def of(cls, total: _Change, shift: JudgeShift, level: float) -> "_Evidence":
        stricter, kinder = shift.p_stricter < level, shift.p_kinder < level
        judge_delta = shift.delta if stricter or kinder else _shrunk(shift.delta, shift.se)
        return cls(
            total=total,
            corrected=_Change(delta=total.delta - judge_delta, se=math.hypot(total.se, shift.se)),
            shift=shift,
            judge_delta=judge_delta,
            alone_p=p_judge_alone(shift, *_drop_sizes(total)),
            stricter=stricter,
            kinder=kinder,
        )


def _decide(evidence: _Evidence, alpha: float) -> Cause:
    """Return the cause by the table of `attribute`, from its second row on."""
    changes = [evidence.total, evidence.corrected] if evidence.stricter or evidence.kinder else [evidence.total]
    if all(_dismissed(change, alpha) for change in changes):
        return Cause.NONE
    if evidence.stricter:
        return Cause.BOTH if evidence.corrected.p_no_drop < STANDS_ALONE * alpha else Cause.JUDGE
    return Cause.MODEL if evidence.alone_p < alpha else Cause.NOT_IDENTIFIABLE


def _dismissed(change: _Change, alpha: float) -> bool:
    """Return whether these nights show no relevant drop: they exclude one worth an alarm, or show hardly any fall."""
    return change.excludes_drop(MIN_DROP, NOTHING_FELL * alpha) or change.p_no_drop > HARDLY_LEANS


def _attribution(evidence: _Evidence, cause: Cause, flips: int, calibrated: int) -> Attribution:
    shift = evidence.shift
    return Attribution(
        cause=cause,
        judge_delta=evidence.judge_delta,
        ci=Interval(low=min(shift.ci.low, evidence.judge_delta), high=max(shift.ci.high, evidence.judge_delta)),
        judge_p=shift.p_stricter,
        judge_alone_p=evidence.alone_p,
        flip_rate=shift.flip_rate,
        calibrated_flip_rate=flips / calibrated if calibrated else None,
        total_delta=evidence.total.delta,
        total_ci=evidence.total.ci,
        drop_p=evidence.total.p_no_drop,
        corrected_delta=evidence.corrected.delta,
        corrected_ci=evidence.corrected.ci,
        corrected_p=evidence.corrected.p_no_drop,
    )


def _not_identifiable(total: _Change | None, shift: JudgeShift | None) -> Attribution:
    """Return the part that can be computed when outputs judged again, or cases on both sides, are missing."""
    return Attribution(
        cause=Cause.NOT_IDENTIFIABLE,
        judge_delta=shift.delta if shift else None,
        ci=shift.ci if shift else None,
        judge_p=shift.p_stricter if shift else None,
        flip_rate=shift.flip_rate if shift else None,
        total_delta=total.delta if total else None,
        total_ci=total.ci if total else None,
        drop_p=total.p_no_drop if total else None,
    )


def _total_change(before: Floats, after: Floats) -> _Change | None:
    if before.ndim != 3 or after.ndim != 3 or before.shape[1] != after.shape[1]:
        raise ValueError(
            f"before and after have the shape [nights, cases, samples] of the same cases; "
            f"got {before.shape} and {after.shape}"
        )
    then, now = NightTally.of_values(before), NightTally.of_values(after)
    all_cases = np.ones(before.shape[1], dtype=np.bool_)
    spread = interval_spread(then, now, all_cases[:, None].astype(np.float64))
    change = paired_change(then, now, all_cases, spread=float(spread[0]))
    if change is None:
        return None
    half = max(change.these_cases.high - change.delta, change.delta - change.these_cases.low)
    return _Change(delta=change.delta, se=half / Z95)


def _drop_sizes(total: _Change) -> tuple[Floats, Floats]:
    """Return a grid of the possible drops, from MIN_DROP on, with their weights given these nights."""
    drops = np.linspace(MIN_DROP, 1.0, 393)
    log = -(drops - MIN_DROP) / TYPICAL_EXCESS - 0.5 * ((drops + total.delta) / total.se) ** 2
    weights = np.exp(log - log.max())
    return drops, weights / weights.sum()


def _shrunk(delta: float, se: float) -> float:
    """Return the estimate shrunk towards 0 by the share that noise explains (positive-part James-Stein estimate)."""
    return delta * max(0.0, 1.0 - (se / delta) ** 2) if delta else 0.0
