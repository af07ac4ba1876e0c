"""How far a series moved, against how much its days differ by themselves; and when it is back."""

import numpy as np
import pytest

from monitor.domain.production import Series
from monitor.drift.production.change import find_recovery, fit_usual_days, series_change
from monitor.drift.production.points import Points, points_of
from tests.drift.production_days import from_day, half_year


def split(series: Series, at: int, **world: object) -> tuple[Points, Points]:
    points = points_of(series, half_year(**world))  # type: ignore[arg-type]
    index = np.arange(len(points.days))
    return points.take(index[:at]), points.take(index[at:])


def test_the_interval_covers_no_change_at_its_level() -> None:
    covered = {Series.CORRECTIONS: 0, Series.LATENCY: 0}
    for seed in range(150):
        for series in covered:
            change = series_change(*split(series, 42, seed=seed, days=49))
            covered[series] += change.low <= 0.0 <= change.high
    assert all(135 <= count <= 149 for count in covered.values()), covered


def test_a_weekend_is_measured_by_weekends() -> None:
    points = points_of(Series.CORRECTIONS, half_year(seed=3, days=70))
    weekend = np.flatnonzero(points.weekday >= 5)
    change = series_change(points.take(np.arange(56)), points.take(weekend[weekend >= 56]))
    assert change.before == pytest.approx(0.056, abs=0.008)  # on working days it is 0.04
    assert change.low <= 0.0 <= change.high


def test_the_effect_is_what_was_put_in() -> None:
    doubled = series_change(*split(Series.CORRECTIONS, 56, seed=4, days=70, corrections=from_day(56, 2.0)))
    assert doubled.effect == pytest.approx(doubled.before, rel=0.15)
    slower = series_change(*split(Series.LATENCY, 56, seed=4, days=70, latency=from_day(56, 1.25)))
    assert np.expm1(slower.effect) == pytest.approx(0.25, abs=0.03)
    assert slower.day_noise == pytest.approx(0.04, abs=0.015)


def test_a_series_that_never_failed_has_a_spread_above_zero() -> None:
    before, after = split(Series.AVAILABILITY, 30, seed=5, days=40, failures=lambda day: 0.0)
    assert fit_usual_days(before).dispersion >= 1.0
    change = series_change(before, after)
    assert change.low < 0.0 < change.high


@pytest.mark.parametrize(
    ("series", "world", "within"),
    [
        (Series.AVAILABILITY, {"failures": from_day(60, 100.0, until=62)}, 1),
        (Series.CORRECTIONS, {"corrections": from_day(60, 3.0, until=70)}, 2),
        (Series.CORRECTIONS, {"corrections": from_day(60, 1.5, until=70)}, 14),
    ],
)
def test_a_collapse_is_over_with_the_first_good_day_and_a_small_change_takes_some(
    series: Series, world: dict[str, object], within: int
) -> None:
    before, since = split(series, 60, seed=6, days=95, **world)
    worse = 2 if series is Series.AVAILABILITY else 10
    back = find_recovery(before, since, worse)
    assert back is not None
    assert worse <= back[0] <= back[1] < worse + within


def test_what_is_still_worse_is_not_back_even_after_a_wild_first_day() -> None:
    ends = [
        find_recovery(*split(Series.CORRECTIONS, 60, seed=seed, days=80, corrections=from_day(60, 2.0)), 1)
        for seed in range(60)
    ]
    assert sum(end is not None for end in ends) <= 2
