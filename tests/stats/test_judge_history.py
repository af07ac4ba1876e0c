"""The agreement of a judge over time, and the rounds of its sentinels."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from monitor.domain.outcome_review import OutcomeReview
from monitor.stats.judge_error import judge_error
from monitor.stats.judge_history import calibration_points, sentinel_rounds
from monitor.stats.judge_validation import review_counts
from monitor.stats.sentinel_nights import SentinelNights
from tests.stats.test_judge_validation import JUDGE, NOW, review

DAY = 24 * 60
VERDICTS = some.lists(some.tuples(some.booleans(), some.booleans(), some.integers(0, 5)), min_size=1, max_size=30)


def made(verdicts: list[tuple[bool, bool, int]]) -> list[OutcomeReview]:
    return [review(n, passes, judged, minute=day * DAY + n) for n, (passes, judged, day) in enumerate(verdicts)]


@given(VERDICTS)
def test_the_last_point_is_the_agreement_of_all_reviews_and_counts_only_grow(
    verdicts: list[tuple[bool, bool, int]],
) -> None:
    reviews = made(verdicts)
    points = calibration_points(reviews, JUDGE, passes=100, fails=100, most=90)
    assert len(points) == len({day for _, _, day in verdicts})
    assert points[-1].error == judge_error(review_counts(reviews, JUDGE, passes=100, fails=100))
    counts = [point.reviewed for point in points]
    assert counts == sorted(counts)
    assert [point.at for point in points] == sorted(point.at for point in points)


def test_the_newest_days_have_the_reviews_of_all_days_before() -> None:
    reviews = made([(True, True, day) for day in range(4)])
    (point,) = calibration_points(reviews, JUDGE, passes=9, fails=9, most=1)
    assert point.reviewed == 4


def test_reviews_of_another_judge_and_reviews_that_were_not_blind_do_not_count() -> None:
    other = review(1, True, judge=replace(JUDGE, model="judge-2"))
    assert calibration_points([other, review(2, True, blind=False)], JUDGE, passes=9, fails=9, most=90) == []


def test_a_round_is_compared_with_the_reference_and_with_people() -> None:
    values = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, np.nan], [1.0, 1.0, 0.0, 0.0]])
    nights = SentinelNights(
        values=values,
        people=np.array([1.0, 1.0, 0.0, 0.0]),
        rounds=(("r1", NOW), ("r2", NOW + timedelta(days=1))),
    )
    first, second = sentinel_rounds(nights, most=9)
    assert (first.judged, first.agrees, first.fell, first.rose) == (3, 1, 1, 1)
    assert (second.judged, second.agrees, second.fell, second.rose) == (4, 4, 0, 0)
    assert sentinel_rounds(nights, most=1) == [second]
