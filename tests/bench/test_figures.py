"""What one history adds to a figure, measured with detectors whose alerts are known."""

from dataclasses import replace

import numpy as np
import pytest

from bench.drift_study.cell import Cell
from bench.drift_study.document import category_name
from bench.drift_study.judging import NOISE, judge, sample_outcomes
from bench.drift_study.limit import THRESHOLDS, cusum
from bench.drift_study.ours import tally_runs
from bench.drift_study.tally import Tally
from bench.drift_study.world import draw_history
from tests.bench.fakes import alerts_on, blames, methods, never

NULL = Cell(name="test/null", figures=(1,), count="false_alarms", n=60, monitored=40, after=20)
DROP = replace(NULL, name="test/drop", count="silent", change="drop", size=0.05)
CHANGE = DROP.change_night


def events(tally: Tally) -> dict[str, int]:
    """How often each event happened."""
    return {measure: counter[1] for measure, counter in tally.counts.items()}


def test_a_quiet_detector_has_no_false_alarms_and_finds_nothing() -> None:
    assert events(tally_runs(NULL, range(3), 1, methods(never)))["alarm"] == 0
    tally = tally_runs(DROP, range(3), 1, methods(never))
    assert events(tally)["nights_7"] == 0
    assert tally.counts["delay"] == {20: 3}


@pytest.mark.parametrize(("kind", "counted"), [("score", 1), ("mix", 1), ("behaviour", 0), ("judge", 0)])
def test_only_regressions_are_false_alarms(kind: str, counted: int) -> None:
    tally = tally_runs(NULL, range(1), 1, methods(alerts_on(20, kind=kind)))
    assert events(tally)["alarm"] == counted
    assert events(tally)[f"alarm_{kind}"] == 1


@pytest.mark.parametrize(
    ("night", "night_1", "nights_7", "delay"), [(CHANGE, 1, 1, 1), (CHANGE + 6, 0, 1, 7), (CHANGE + 7, 0, 0, 8)]
)
def test_a_drop_is_found_on_its_night(night: int, night_1: int, nights_7: int, delay: int) -> None:
    tally = tally_runs(DROP, range(1), 1, methods(alerts_on(night)))
    assert events(tally)["night_1"] == night_1
    assert events(tally)["nights_7"] == nights_7
    assert tally.counts["delay"] == {delay: 1}


def test_an_alert_before_the_change_is_none_of_its_delays() -> None:
    tally = tally_runs(DROP, range(1), 1, methods(alerts_on(CHANGE - 1)))
    assert events(tally)["before"] == 1
    assert "delay" not in tally.counts


def test_an_improvement_alert_finds_no_drop() -> None:
    assert events(tally_runs(DROP, range(1), 1, methods(alerts_on(CHANGE, delta=0.05))))["nights_7"] == 0


def test_a_collapsed_category_must_be_named_right() -> None:
    cell = replace(DROP, n=200, change="category", size=0.30)
    touched = draw_history(cell, 0, 1).paths.touched
    assert touched is not None
    right = tally_runs(cell, range(1), 1, methods(alerts_on(CHANGE, channel=category_name(touched))))
    wrong = tally_runs(cell, range(1), 1, methods(alerts_on(CHANGE, channel="overall")))
    assert (events(right)["named"], events(wrong)["named"]) == (1, 0)


def test_a_known_change_counts_alerts_with_its_trigger_within_thirty_nights() -> None:
    cell = replace(DROP, count="known", announced=True)
    verdicts = events(tally_runs(cell, range(1), 1, methods(alerts_on(CHANGE, trigger="version"))))
    silent = events(tally_runs(cell, range(1), 1, methods(alerts_on(CHANGE))))
    assert (verdicts["night_1"], verdicts["alarm"], verdicts["either_7"]) == (1, 1, 1)
    assert (silent["night_1"], silent["alarm"], silent["either_7"]) == (0, 0, 1)


def test_an_event_counts_any_trigger_within_thirty_nights_of_the_change() -> None:
    cell = replace(DROP, count="event", announced=True, harmless=3, monitored=60)
    late = cell.change_night
    first = events(tally_runs(cell, range(1), 1, methods(alerts_on(late))))
    known = events(tally_runs(cell, range(1), 1, methods(alerts_on(late + 2, trigger="version"))))
    better = events(tally_runs(cell, range(1), 1, methods(alerts_on(late, delta=0.05))))
    early = events(tally_runs(cell, range(1), 1, methods(alerts_on(late - 1))))
    past = events(tally_runs(cell, range(1), 1, methods(alerts_on(late + 30))))
    assert (first["found_1"], first["alarm_night_1"], first["alarm"], first["early"]) == (1, 1, 1, 0)
    assert (known["found_1"], known["found_3"], known["alarm"]) == (0, 1, 1)
    assert (better["found_30"], better["alarm"]) == (0, 1)
    assert (early["found_30"], early["alarm"], early["early"]) == (0, 0, 1)
    assert (past["found_30"], past["alarm"]) == (0, 0)


def test_after_one_right_alarm_a_second_is_false() -> None:
    cell = replace(DROP, count="again")
    assert events(tally_runs(cell, range(1), 1, methods(alerts_on(CHANGE))))["alarm"] == 0
    assert events(tally_runs(cell, range(1), 1, methods(alerts_on(CHANGE, CHANGE + 9))))["alarm"] == 1


def test_an_alert_inside_the_baseline_is_an_error() -> None:
    with pytest.raises(ValueError, match="inside the baseline"):
        tally_runs(NULL, range(1), 1, methods(alerts_on(3)))


def test_a_change_of_the_mix_is_found_by_the_mix() -> None:
    cell = replace(NULL, count="mix", labels=True, change="new_class", size=0.15)
    found = events(tally_runs(cell, range(1), 1, methods(alerts_on(CHANGE, kind="mix", channel="truncated"))))
    assert (found["nights_7"], found["named"], found["alarm"]) == (1, 1, 0)


class TestLimit:
    def test_a_larger_drop_is_found_sooner_at_every_threshold(self) -> None:
        cell = replace(DROP, n=300, limit=True)
        delays = []
        for size in (0.02, 0.10):
            tally = tally_runs(replace(cell, size=size), range(6), 1, methods(never))
            clean = np.array(tally.vectors["clean"])
            assert clean[-1] == 6
            delays.append(np.array(tally.vectors["delays"])[-1] / clean[-1])
        assert delays[1] < delays[0]

    def test_fewer_identical_models_cross_a_higher_threshold(self) -> None:
        tally = tally_runs(replace(NULL, n=300, limit=True), range(6), 1, methods(never))
        crossed = np.array(tally.vectors["crossed_0.05"])
        assert len(crossed) == len(THRESHOLDS)
        assert (np.diff(crossed) <= 0).all()
        assert crossed[0] > crossed[-1]

    def test_the_statistic_rises_by_its_information_a_night(self) -> None:
        cell = replace(DROP, n=300, monitored=400, after=1, size=0.05)
        history = draw_history(cell, 0, 1)
        first = history.paths.passing[0]
        variance = float((first * (1 - first)).sum()) / 300**2
        assert np.diff(cusum(history, 0.05)[1:]).mean() == pytest.approx(0.05**2 / (2 * variance), rel=0.15)


class TestJudge:
    CELL = replace(NULL, n=300, name="test/judge", count="judge", monitored=7, after=0, rejudged=4200)

    def test_an_unchanged_judge_flips_at_the_calibrated_rate(self) -> None:
        seen = judge(draw_history(self.CELL, 0, 1))
        assert (seen.stored != seen.rejudged).mean() == pytest.approx(NOISE, abs=0.008)
        assert seen.calibration_flips / seen.calibration_n == pytest.approx(NOISE, abs=0.02)

    def test_a_judge_that_moved_takes_its_points_from_a_model_that_did_not(self) -> None:
        cell = replace(self.CELL, judge_size=0.03)
        fallen = []
        for run in range(12):
            seen = judge(draw_history(cell, run, 1))
            fallen.append((seen.before.mean() - seen.after.mean(), seen.stored.mean() - seen.rejudged.mean()))
        assert np.mean(fallen, axis=0) == pytest.approx([0.03, 0.03], abs=0.008)

    def test_each_verdict_is_an_event(self) -> None:
        tally = tally_runs(self.CELL, range(2), 1, methods(attribute=blames("judge")))
        assert (events(tally)["judge"], events(tally)["model"]) == (2, 0)


def test_samples_add_up_to_the_passes() -> None:
    history = draw_history(replace(NULL, k=3, varied_k=True, missing=0.1), 0, 1)
    outcomes = sample_outcomes(history)
    assert np.array_equal(np.nansum(outcomes, axis=2)[history.scored], history.passes[history.scored])
    assert np.isnan(outcomes[~history.scored]).all()


def test_an_interval_covers_or_not_and_is_measured_against_unpaired_samples() -> None:
    cell = replace(DROP, count="interval", after=0, monitored=7, size=0.03)
    tally = tally_runs(cell, range(2), 1, methods())
    assert events(tally)["covered"] == 2
    assert events(tally_runs(replace(cell, size=0.05), range(2), 1, methods()))["covered"] == 0
    n, ratios, _ = tally.sums["width_ratio"]
    assert n == 2
    assert 0.0 < ratios / n < 1.0


def test_speed_is_relative_to_a_fixed_workload() -> None:
    tally = tally_runs(replace(NULL, count="speed"), range(1), 1, methods(never))
    assert tally.sums["reference_seconds"][1] > 0.0
    assert tally.sums["ratio"][1] < 1.0
