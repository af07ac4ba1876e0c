"""Converts the history of a judge to items of the API schema. Pure functions."""

from collections.abc import Sequence

from monitor.api.schema.judge_history import (
    CalibrationPointItem,
    JudgeCalibrationItem,
    JudgeEventItem,
    SentinelRoundItem,
)
from monitor.api.schema.judging import EstimateItem
from monitor.domain.judge_standing import JudgeIdentity
from monitor.domain.outcome_review import OutcomeReview
from monitor.domain.sentinel import JudgeEvent
from monitor.stats.judge_error import Estimate
from monitor.stats.judge_history import CalibrationPoint, SentinelRound, calibration_points
from monitor.store.judging.standing import JudgeCounts

MOST_DAYS = 90


def calibration(found: JudgeCounts, reviews: Sequence[OutcomeReview], current: JudgeIdentity) -> JudgeCalibrationItem:
    """Return the agreement of one judge over the days with reviews."""
    points = calibration_points(reviews, found.judge, passes=found.passes, fails=found.fails, most=MOST_DAYS)
    return JudgeCalibrationItem(
        model=found.judge.model,
        prompt=found.judge.prompt,
        rubric=found.judge.rubric,
        is_current=found.judge == current,
        newest=found.newest,
        points=[_point(point) for point in points],
    )


def sentinel_round(row: SentinelRound) -> SentinelRoundItem:
    return SentinelRoundItem(at=row.at, judged=row.judged, agrees=row.agrees, fell=row.fell, rose=row.rose)


def event(row: JudgeEvent, current: JudgeIdentity) -> JudgeEventItem:
    return JudgeEventItem(
        at=row.at,
        kind=row.kind,
        who=row.who,
        reason=row.reason,
        model=row.judge.model,
        is_current=row.judge == current,
    )


def _point(row: CalibrationPoint) -> CalibrationPointItem:
    error = row.error
    return CalibrationPointItem(
        at=row.at,
        reviewed=row.reviewed,
        agreement=None if error is None else _estimate(error.agreement),
        kappa=None if error is None or error.kappa is None else _estimate(error.kappa),
    )


def _estimate(found: Estimate) -> EstimateItem:
    return EstimateItem(value=found.value, low=found.low, high=found.high)
