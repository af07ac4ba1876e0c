import json
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.drift.backtest_json import read_history
from monitor.drift.detect.detector import detect_alerts
from tests.drift.histories import (
    BASELINE,
    NAMES,
    Document,
    Floats,
    alerts,
    cut,
    document,
    drawn,
    in_category,
    labelled,
    regressions,
    served,
    silenced,
    steady,
)

CASES, NIGHTS, CHANGE = 90, 40, 25
Plant = Callable[[Floats], Floats]


def dropped(rates: Floats, *, since: int = CHANGE, by: float = 0.3) -> Floats:
    worse = rates.copy()
    worse[since:] = np.clip(worse[since:] - by, 0.0, 1.0)
    return worse


def redrawn(rates: Floats, *, since: int = CHANGE) -> Floats:
    """Other cases are right, as many as before."""
    other = rates.copy()
    other[since:] = np.random.default_rng(99).permutation(rates[0])
    return other


def history(seed: int = 0, plant: Plant | None = None, *, cases: int = CASES, nights: int = NIGHTS) -> Document:
    rates = steady(cases, nights, seed)
    return document(drawn(rates if plant is None else plant(rates), seed), seed=seed)


@st.composite
def eventful(draw: st.DrawFn) -> Document:
    """Any mixture of what may happen to a deployment."""
    seed = draw(st.integers(0, 10_000))
    rates = steady(36, 34, seed)
    for _ in range(draw(st.integers(0, 2))):
        rates = dropped(rates, since=draw(st.integers(10, 33)), by=draw(st.sampled_from([-0.3, 0.2, 0.5])))
    if draw(st.booleans()):
        rates = redrawn(rates, since=draw(st.integers(10, 33)))
    line = document(
        drawn(rates, seed), seed=seed, baseline_nights=draw(st.sampled_from([0, 3, 10, 14])), alpha=0.2, horizon=30
    )
    for key in draw(st.lists(st.sampled_from(["version", "judge"]), max_size=2)):
        line = served(line, key, f"other {key}", draw(st.integers(1, 33)))
    line = silenced(line, draw(st.lists(st.integers(0, 33), max_size=3)))
    line = silenced(line, draw(st.lists(st.integers(0, 33), max_size=3)), in_category("orders", 36))
    if draw(st.booleans()):
        surges = draw(st.dictionaries(st.integers(2, 33), st.sampled_from(["format", "empty", "refusal"]), max_size=3))
        line = labelled(line, surges)
    return line


def same(one: Document, other: Document) -> bool:
    """Equal but for the last digits of a sum."""
    numbers = ("delta", "e", "p")
    return all(
        one.get(key) == (pytest.approx(other.get(key), rel=1e-9) if key in numbers else other.get(key))
        for key in {*one, *other} - {"ci"}
    ) and one["ci"] == (other["ci"] and pytest.approx(other["ci"], rel=1e-9, abs=1e-12))


@settings(max_examples=30, deadline=None)
@given(eventful(), st.data())
def test_cutting_off_the_nights_after_an_alert_does_not_change_it(line: Document, data: st.DataObject) -> None:
    found = alerts(line)
    ends = [alert["night"] + 1 for alert in found] + [data.draw(st.integers(1, 34))]
    for end in ends:
        expected = [alert for alert in found if alert["night"] < end]
        known_then = alerts(cut(line, end))
        assert len(known_then) == len(expected)
        assert all(map(same, known_then, expected))


@settings(max_examples=15, deadline=None)
@given(eventful())
def test_an_alert_has_its_night_channel_and_size(line: Document) -> None:
    channels = {"overall", *NAMES, "wrong_answer", "format", "empty", "refusal"}
    last = -1
    for alert in alerts(line):
        assert last <= alert["night"] < len(line["nights"])
        assert alert["night"] >= line["baseline_nights"]
        assert 0 <= alert["onset"] <= alert["night"]
        assert alert["channel"] in channels
        assert ("e" in alert) != ("p" in alert)
        assert alert.get("e", 1.0) > 0.0
        assert 0.0 < alert.get("p", 1.0) <= 1.0
        if alert["delta"] is not None:
            low, high = alert["ci"]
            assert low <= alert["delta"] <= high
        last = alert["night"]
    json.dumps(alerts(line), allow_nan=False)


@settings(max_examples=10, deadline=None)
@given(eventful())
def test_the_same_history_gives_the_same_alerts(line: Document) -> None:
    assert alerts(json.loads(json.dumps(line))) == alerts(line)


def test_identical_nights_stay_quiet() -> None:
    assert sum(bool(alerts(history(seed, nights=60))) for seed in range(12)) <= 2


def test_a_drop_is_detected_soon_with_its_onset_and_its_size() -> None:
    (alert,) = regressions(history(1, dropped))
    assert alert["kind"] == "score"
    assert alert["trigger"] == "silent"
    assert CHANGE <= alert["night"] <= CHANGE + 3
    assert abs(alert["onset"] - CHANGE) <= 1
    assert alert["delta"] < -0.1


def test_a_rise_is_no_regression() -> None:
    rates = 0.6 * steady(CASES, NIGHTS, 2)
    better = document(drawn(dropped(rates, by=-0.3), 2))
    assert regressions(better) == []


def test_nothing_is_reported_within_the_baseline() -> None:
    early = partial(dropped, since=5, by=0.6)
    assert all(alert["night"] >= BASELINE for alert in alerts(history(3, early)))
    announced = served(history(3, early), "version", "v2", 5)
    assert all(alert["night"] >= BASELINE for alert in alerts(announced))


def test_a_version_that_came_within_the_baseline_is_detected_at_its_end() -> None:
    first, *_ = regressions(served(history(3, partial(dropped, since=8, by=0.6)), "version", "v2", 8))
    assert (first["night"], first["trigger"], first["onset"]) == (BASELINE, "version", 8)


def test_one_drop_is_one_alert() -> None:
    for seed in range(4, 8):
        assert len(regressions(history(seed, dropped))) == 1


def test_after_an_alarm_a_second_drop_is_found_against_the_new_level() -> None:
    def twice(rates: Floats) -> Floats:
        return dropped(dropped(rates, by=0.3), since=45, by=0.4)

    first, second = regressions(history(8, twice, nights=60))
    assert first["night"] < 45 <= second["night"] <= 48
    assert abs(second["onset"] - 45) <= 1


def test_a_drop_that_goes_on_while_the_new_level_is_learnt_is_the_same_episode() -> None:
    for seed in (31, 33, 34):
        found = regressions(history(seed, lambda rates: dropped(dropped(rates, by=0.25), since=28, by=0.1)))
        assert [alert["onset"] for alert in found] == [CHANGE]


def test_a_category_that_collapses_is_named() -> None:
    def collapsed(rates: Floats) -> Floats:
        worse = rates.copy()
        worse[CHANGE:, in_category("refunds", CASES)] = 0.15
        return worse

    alert, *_ = regressions(history(9, collapsed))
    assert alert["channel"] == "refunds"
    assert alert["delta"] < -0.3


def test_a_version_that_is_worse_is_detected_on_its_first_night() -> None:
    alert, *_ = alerts(served(history(10, dropped), "version", "v2", CHANGE))
    assert (alert["night"], alert["kind"], alert["trigger"], alert["onset"]) == (CHANGE, "score", "version", CHANGE)
    assert alert["p"] < 0.05


def test_a_drop_with_a_new_judge_alone_is_blamed_on_the_judge() -> None:
    alert, *_ = alerts(served(history(10, dropped), "judge", "j2", CHANGE))
    assert (alert["night"], alert["kind"], alert["trigger"]) == (CHANGE, "judge", "version")


def test_a_drop_with_a_new_judge_and_a_new_version_is_a_drop() -> None:
    both = served(served(history(10, dropped), "version", "v2", CHANGE), "judge", "j2", CHANGE)
    alert, *_ = alerts(both)
    assert (alert["kind"], alert["trigger"]) == ("score", "version")


@pytest.mark.parametrize("key", ["version", "judge"])
def test_a_new_version_or_judge_that_changes_nothing_is_quiet(key: str) -> None:
    quiet = [not regressions(served(history(seed), key, "other", CHANGE)) for seed in range(20, 28)]
    assert sum(quiet) >= 7


def test_a_version_is_reported_once_though_it_stays_worse() -> None:
    line = served(history(11, dropped, nights=60), "version", "v2", CHANGE)
    assert [alert["trigger"] for alert in regressions(line)] == ["version"]


@pytest.mark.parametrize("since", [20, CHANGE])
def test_nights_without_any_score_are_no_alert(since: int) -> None:
    assert alerts(silenced(history(12), range(since, NIGHTS))) == []


def test_an_outage_in_the_middle_hides_nothing() -> None:
    line = silenced(history(1, dropped), [15, 16, CHANGE])
    alert, *_ = regressions(line)
    assert CHANGE < alert["night"] <= CHANGE + 4


def test_an_outage_of_a_third_of_a_category_is_no_alert() -> None:
    out = in_category("refunds", CASES) & (np.arange(CASES) < 0.3 * CASES)
    for seed in (13, 14, 15):
        assert alerts(silenced(history(seed), range(28, 33), out)) == alerts(history(seed)) == []


def carried_over(line: Document, since: int) -> Document:
    """From a night on, a third of the cases is asked no more and another third for the first time."""
    old, new = np.arange(CASES) < CASES // 3, np.arange(CASES) >= 2 * CASES // 3
    return silenced(silenced(line, range(since), new), range(since, NIGHTS), old)


def test_a_revision_with_half_of_its_cases_carried_over_is_no_alert() -> None:
    hard = np.where(np.arange(CASES) >= 2 * CASES // 3, 0.4, 0.9)  # what is new is harder: that is no drop
    for seed in (16, 17, 18):
        line = document(drawn(np.tile(hard, (NIGHTS, 1)), seed), seed=seed)
        assert alerts(carried_over(line, 20)) == []


def test_a_drop_after_a_revision_is_found_on_the_cases_carried_over() -> None:
    alert, *_ = regressions(carried_over(history(19, dropped), 23))
    assert CHANGE <= alert["night"] <= CHANGE + 5
    assert alert["kind"] == "score"


def test_another_model_of_equal_quality_is_detected_and_is_not_a_regression() -> None:
    rates = np.tile(np.where(np.arange(150) % 2, 0.97, 0.03), (NIGHTS, 1))
    found = alerts(document(drawn(redrawn(rates), 1)))
    assert "behaviour" in {alert["kind"] for alert in found}
    assert found[0]["kind"] == "behaviour"
    assert found[0]["trigger"] == "silent"
    assert CHANGE <= found[0]["night"] <= CHANGE + 2


def test_a_surge_of_one_failure_category_is_named() -> None:
    rates = np.tile(np.full(150, 0.7), (NIGHTS, 1))
    line = labelled(document(drawn(rates, 20), seed=20), {2: "format", 4: "wrong_answer", CHANGE: "format"})
    (alert,) = regressions(line)
    assert (alert["kind"], alert["channel"], alert["trigger"]) == ("mix", "format", "silent")
    assert CHANGE <= alert["night"] <= CHANGE + 5
    assert alert["delta"] > 0.05


def test_a_new_failure_category_is_named() -> None:
    rates = np.tile(np.full(150, 0.7), (NIGHTS, 1))
    (alert,) = regressions(labelled(document(drawn(rates, 21), seed=21), {CHANGE: "made_up_order"}))
    assert (alert["kind"], alert["channel"]) == ("mix", "made_up_order")
    assert CHANGE <= alert["night"] <= CHANGE + 7


def test_a_version_that_fails_in_a_new_way_is_detected_by_its_failure_category() -> None:
    rates = np.tile(np.full(150, 0.7), (NIGHTS, 1))
    line = labelled(document(drawn(rates, 22), seed=22), {2: "format", 4: "wrong_answer", CHANGE: "format"})
    alert, *_ = alerts(served(line, "version", "v2", CHANGE))
    assert (alert["kind"], alert["channel"], alert["trigger"]) == ("mix", "format", "version")


def test_failures_that_are_called_as_ever_are_no_mix_alert() -> None:
    assert all(alert["kind"] != "mix" for alert in alerts(labelled(history(23, nights=60))))


@pytest.mark.parametrize("nights", [1, 2, BASELINE, BASELINE + 1])
def test_a_very_short_history_raises_no_alert(nights: int) -> None:
    assert alerts(cut(history(24), nights)) == []


def test_a_history_within_its_baseline_raises_no_alert() -> None:
    line = served({**history(1, dropped), "baseline_nights": NIGHTS + 5}, "version", "v2", 30)
    assert alerts(line) == []


def test_one_category_alone_is_monitored_as_overall() -> None:
    line = history(1, dropped)
    line["cases"] = [{**case, "category": "orders"} for case in line["cases"]]
    alert, *_ = regressions(line)
    assert alert["channel"] == "overall"


def test_cases_that_all_pass_always_say_nothing_until_they_fail() -> None:
    perfect = np.ones((NIGHTS, CASES), dtype=np.int64)
    assert alerts(document(perfect)) == []
    broken = perfect.copy()
    broken[CHANGE:, ::3] = 0
    assert regressions(document(broken))[0]["night"] <= CHANGE + 3


def test_a_category_that_always_passed_and_collapses_is_named() -> None:
    rates = steady(CASES, NIGHTS, 25)
    rates[:, in_category("orders", CASES)] = 1.0
    rates[CHANGE:, in_category("orders", CASES)] = 0.5
    alert, *_ = regressions(document(drawn(rates, 25), seed=25))
    assert alert["channel"] == "orders"
    assert alert["night"] <= CHANGE + 2


def test_versions_that_change_every_night_are_no_crash_and_no_alert() -> None:
    line = history(26)
    line["nights"] = [{**night, "version": f"v{t}"} for t, night in enumerate(line["nights"])]
    assert [alert for alert in alerts(line) if alert["trigger"] == "silent"] == []


def test_samples_may_vary_by_case_and_night() -> None:
    rng = np.random.default_rng(27)
    samples = rng.integers(1, 4, size=(NIGHTS, CASES))
    line = document(rng.binomial(samples, steady(CASES, NIGHTS, 27)), k=3)
    for row, night in zip(samples.tolist(), line["nights"], strict=True):
        night["samples"] = row
    assert alerts(line) == []


def test_graded_scores_are_monitored_like_passes() -> None:
    rng = np.random.default_rng(28)
    centre = np.tile(rng.uniform(0.4, 0.9, CASES), (NIGHTS, 1))
    grades = np.clip(np.round(4.0 * (dropped(centre, by=0.12) + 0.15 * rng.normal(size=centre.shape))) / 4.0, 0.0, 1.0)
    alert, *_ = regressions(document(grades.tolist()))
    assert CHANGE <= alert["night"] <= CHANGE + 2


def test_alerts_come_in_the_order_of_their_nights() -> None:
    line = served(history(8, partial(dropped, by=0.3), nights=60), "version", "v2", 45)
    nights = [alert.night for alert in detect_alerts(read_history(line))]
    assert nights == sorted(nights)


@pytest.mark.parametrize("announced", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_a_category_that_collapses_in_a_set_that_always_passes_is_named(seed: int, announced: bool) -> None:
    rates = np.full((NIGHTS, CASES), 0.998)
    rates[CHANGE:, in_category("orders", CASES)] = 0.6
    line = document(drawn(rates, seed), seed=seed)
    reported = regressions(served(line, "version", "v2", CHANGE) if announced else line)
    assert [(alert["night"], alert["channel"]) for alert in reported][:1] == [(CHANGE, "orders")]
