"""Timelines of production series, judged every night as the daemon does."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby

import pytest

from monitor.domain.finding import Verdict
from monitor.domain.production import DayCounts, ProductionPolicy, Series
from monitor.drift.production.evaluate import SeriesTest, evaluate_series, last_day, oldest_day
from monitor.drift.production.verdict import alpha_shares, effective_horizon, first_day
from tests.drift.production_days import POLICY, from_day, half_year, on

RATES_AND_LEVELS = POLICY.series


def judge(
    days: Sequence[DayCounts],
    series: Series,
    night: int,
    *,
    policy: ProductionPolicy = POLICY,
    accepted: date | None = None,
    open_onset: date | None = None,
) -> SeriesTest:
    """What a night knows: the days before it, as far back as they are looked at."""
    today = on(night)
    kept = [row for row in days if oldest_day(today, policy) <= row.day < today]
    return evaluate_series(
        series, kept, deployment="support", today=today, policy=policy, accepted=accepted, open_onset=open_onset
    )


def verdicts(days: Sequence[DayCounts], series: Series, nights: Iterable[int]) -> list[tuple[str, int]]:
    """Runs of the same verdict with their lengths."""
    open_onset = [judge(days, series, night).verdict.verdict.value for night in nights]
    return [(verdict, len(list(same))) for verdict, same in groupby(open_onset)]


@pytest.mark.parametrize("series", RATES_AND_LEVELS)
def test_a_half_year_with_a_weekly_rhythm_raises_no_alert(series: Series) -> None:
    days = half_year(seed=11)
    open_onset = {judge(days, series, night).verdict.verdict for night in range(32, 200, 3)}
    assert open_onset == {Verdict.OK}


def test_the_baseline_is_learnt_first_and_what_is_missing_is_counted() -> None:
    days = half_year(seed=1, days=60)
    early = judge(days, Series.REFUSALS, 10).verdict
    assert (early.verdict, early.days, early.missing) == (Verdict.INSUFFICIENT, 10, 19)
    assert judge(days, Series.REFUSALS, 28).verdict.missing == 1
    assert judge(days, Series.REFUSALS, 29).verdict.verdict is Verdict.OK


def test_corrections_that_double_are_reported_once_and_are_over_when_they_recover() -> None:
    days = half_year(seed=2, days=120, corrections=from_day(70, 2.0, until=90))
    runs = verdicts(days, Series.CORRECTIONS, range(60, 118))
    assert [verdict for verdict, _ in runs] == ["ok", "regression", "ok"]
    assert 10 + 3 <= runs[0][1] <= 10 + 3 + 4  # reported within four days, once their corrections have had their time
    assert runs[1][1] <= 22


def test_the_report_names_the_onset_and_the_size_with_an_interval() -> None:
    days = half_year(seed=3, days=90, corrections=from_day(70, 2.0))
    open_onset = judge(days, Series.CORRECTIONS, 85).verdict
    assert open_onset.onset is not None
    assert open_onset.change is not None
    assert abs((open_onset.onset - on(70)).days) <= 1
    assert open_onset.change.before == pytest.approx(0.044, abs=0.006)
    assert open_onset.change.low <= 0.044 <= open_onset.change.high
    assert open_onset.change.low > 0.02
    assert open_onset.log_e >= open_onset.log_threshold


@pytest.mark.parametrize(
    ("series", "named"),
    [
        (Series.AVAILABILITY, "failures"),
        (Series.REFUSALS, "refusals"),
        (Series.LATENCY, "latency"),
        (Series.COST, "cost"),
    ],
)
def test_every_series_detects_only_its_own_change(series: Series, named: str) -> None:
    days = half_year(4, 100, **{named: from_day(80, 6.0 if series is Series.AVAILABILITY else 2.0)})  # type: ignore[arg-type]
    open_onset = {other: judge(days, other, 97).verdict.verdict for other in RATES_AND_LEVELS}
    assert open_onset == {other: Verdict.REGRESSION if other is series else Verdict.OK for other in RATES_AND_LEVELS}


@pytest.mark.parametrize(("series", "named"), [(Series.CORRECTIONS, "corrections"), (Series.LATENCY, "latency")])
def test_better_is_an_improvement_and_never_a_regression(series: Series, named: str) -> None:
    days = half_year(5, 110, **{named: from_day(70, 0.4)})  # type: ignore[arg-type]
    open_onset = {judge(days, series, night).verdict.verdict for night in range(60, 110)}
    assert open_onset == {Verdict.OK, Verdict.IMPROVEMENT}


def test_an_outage_is_over_with_its_first_good_day() -> None:
    days = half_year(seed=6, days=100, failures=from_day(80, 100.0, until=82))
    runs = verdicts(days, Series.AVAILABILITY, range(75, 95))
    assert runs == [("ok", 6), ("regression", 2), ("ok", 12)]
    assert judge(days, Series.AVAILABILITY, 83).verdict.recovered == on(82)


def test_one_wild_day_of_latency_is_no_alarm() -> None:
    days = half_year(seed=7, days=100, latency=from_day(80, 7.0, until=81))
    assert verdicts(days, Series.LATENCY, range(75, 95)) == [("ok", 20)]


def test_a_day_without_traffic_is_missing_and_never_a_zero() -> None:
    weekdays = [row for row in half_year(seed=8, days=120) if row.day.weekday() < 5]
    assert verdicts(weekdays, Series.CORRECTIONS, range(60, 118)) == [("ok", 58)]
    assert judge(weekdays, Series.CORRECTIONS, 30).verdict.verdict is Verdict.INSUFFICIENT


def test_small_days_are_weighed_and_not_guessed() -> None:
    days = half_year(seed=9, days=150, calls=12.0)
    assert verdicts(days, Series.CORRECTIONS, range(60, 150, 3)) == [("ok", 30)]
    assert judge(days, Series.LATENCY, 140).verdict.verdict is Verdict.INSUFFICIENT  # a median needs twenty calls


def test_the_newest_days_wait_for_their_corrections() -> None:
    assert last_day(Series.CORRECTIONS, on(50), POLICY) == on(47)
    assert last_day(Series.LATENCY, on(50), POLICY) == on(49)
    days = half_year(seed=10, days=50)
    assert judge(days, Series.CORRECTIONS, 50).points.days[-1] == on(47)


def test_an_accepted_level_is_what_is_usual_from_its_onset_on() -> None:
    days = half_year(seed=12, days=140, latency=from_day(70, 1.5))
    assert judge(days, Series.LATENCY, 90).verdict.verdict is Verdict.REGRESSION
    accepted = judge(days, Series.LATENCY, 90, accepted=on(70)).verdict
    assert (accepted.verdict, accepted.days) == (Verdict.INSUFFICIENT, 20)
    assert judge(days, Series.LATENCY, 110, accepted=on(70)).verdict.verdict is Verdict.OK


def test_an_alert_whose_usual_days_are_gone_is_left_as_it_is() -> None:
    days = half_year(seed=13, days=200, latency=from_day(70, 1.5))
    expired_onset = judge(days, Series.LATENCY, 170, open_onset=on(70)).verdict
    assert (expired_onset.verdict, expired_onset.expired_onset) == (Verdict.INSUFFICIENT, on(70))
    assert judge(days, Series.LATENCY, 90, open_onset=on(70)).verdict.verdict is Verdict.REGRESSION


def test_the_first_day_moves_by_blocks_within_the_stored_days() -> None:
    first = [first_day(on(number), POLICY) for number in range(200)]
    assert len(set(first)) <= 200 // 28 + 2
    assert all(on(number) - day < timedelta(days=POLICY.history_days) for number, day in enumerate(first))
    assert all(on(number) - day >= timedelta(days=POLICY.baseline_days) for number, day in enumerate(first))
    assert first == sorted(first)


def test_alpha_is_shared_and_holds_over_the_days_that_are_judged_again() -> None:
    assert sum(alpha_shares(POLICY).values()) == pytest.approx(POLICY.alpha)
    alone = replace(POLICY, series=(Series.LATENCY,))
    assert alpha_shares(alone) == {Series.LATENCY: POLICY.alpha}
    assert effective_horizon(POLICY) >= POLICY.horizon_days


def test_the_same_days_give_the_same_verdict_on_every_call() -> None:
    days = half_year(seed=14, days=90, corrections=from_day(70, 2.0))
    assert judge(days, Series.CORRECTIONS, 80).verdict == judge(list(days), Series.CORRECTIONS, 80).verdict
