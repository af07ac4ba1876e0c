"""How the agreement of a judge with people, and its verdicts on sentinels, developed over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

import numpy as np

from monitor.domain.judge_standing import JudgeIdentity
from monitor.domain.outcome_review import OutcomeReview
from monitor.stats.judge_error import JudgeError, judge_error
from monitor.stats.judge_validation import review_counts
from monitor.stats.sentinel_nights import SentinelNights
from monitor.stats.sentinel_shift import SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationPoint:
    """The agreement of a judge with people after all reviews until `at`; `error` is None while it is unknown."""

    at: datetime
    reviewed: int
    error: JudgeError | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelRound:
    """A round on `judged` sentinels: how many `agrees` with people, and `fell` or `rose` against the reference."""

    at: datetime
    judged: int
    agrees: int
    fell: int
    rose: int


def calibration_points(
    reviews: Sequence[OutcomeReview], judge: JudgeIdentity, *, passes: int, fails: int, most: int
) -> list[CalibrationPoint]:
    """Return the agreement after each day (UTC) with a review of this judge, the newest `most` days, the oldest first.

    Weights:   `passes` and `fails` are the verdicts of the judge on all stored outcomes, the same for every day: a step
               of the series comes from reviews only.
    Empty:     no review of this judge gives an empty list.
    """
    own = sorted((each for each in reviews if each.outcome.judge == judge and each.counts), key=lambda each: each.at)
    days = [list(group) for _, group in groupby(own, key=lambda each: each.at.date())]
    points: list[CalibrationPoint] = []
    for number in range(max(0, len(days) - most), len(days)):
        known = [each for day in days[: number + 1] for each in day]
        counts = review_counts(known, judge, passes=passes, fails=fails)
        points.append(CalibrationPoint(at=known[-1].at, reviewed=counts.reviewed, error=judge_error(counts)))
    return points


def sentinel_rounds(nights: SentinelNights, most: int) -> list[SentinelRound]:
    """Return the newest `most` rounds of sentinels against their reference, the oldest first."""
    reference, rounds = nights.values[0], []
    for row, (_, at) in list(zip(nights.values[1:], nights.rounds, strict=True))[-most:]:
        known, change = ~np.isnan(row), row - reference
        rounds.append(
            SentinelRound(
                at=at,
                judged=int(np.sum(known)),
                agrees=int(np.sum((row >= 0.5) == (nights.people >= 0.5), where=known)),
                fell=int(np.sum(change < -SAME)),
                rose=int(np.sum(change > SAME)),
            )
        )
    return rounds
