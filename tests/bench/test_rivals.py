"""The rivals' arithmetic, where it is ours, against scipy; their processes are tried where their environments exist."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ttest_1samp

from bench.drift_study.cell import Cell
from bench.drift_study.cells import all_cells
from bench.drift_study.rivals import benjamini_hochberg, fixed_threshold, paired_t, psi, two_proportion
from bench.drift_study.rivals.dedrift_histories import document_of, draw_cycles, records_of
from bench.drift_study.rivals.dedrift_study import studies, tally_detector
from bench.drift_study.rivals.environment import lock_file
from bench.drift_study.rivals.series import Series, series_of
from bench.drift_study.rivals.table import RIVALS, tally_rival
from bench.drift_study.world import draw_history
from tests.bench.fakes import alerts_on

CELL = Cell(
    name="test/rivals", figures=(2,), count="silent", n=100, k=2, monitored=20, after=10, change="drop", size=0.3
)


@pytest.fixture
def series() -> Series:
    return series_of(draw_history(replace(CELL, missing=0.05), 0, 1))


def test_the_channels_add_up_to_the_overall_count(series: Series) -> None:
    assert np.array_equal(series.passes[:, 1:].sum(axis=1), series.passes[:, 0])
    assert np.array_equal(series.samples[:, 1:].sum(axis=1), series.samples[:, 0])
    assert series.samples[:, 0].max() <= 200


def test_z_squared_is_the_uncorrected_chi_square(series: Series) -> None:
    had, of = series.reference()
    night = series.baseline + 3
    pairs = [[had[0], of[0] - had[0]], [series.passes[night, 0], series.samples[night, 0] - series.passes[night, 0]]]
    assert two_proportion.z_scores(series)[3, 0] ** 2 == pytest.approx(
        chi2_contingency(pairs, correction=False).statistic
    )


def test_the_paired_t_test_is_scipy_s_of_the_differences(series: Series) -> None:
    overall = replace(series, channels=("overall",), category=np.zeros_like(series.category))
    rates = series.case_rates
    differences = rates[series.baseline + 4] - np.nanmean(rates[: series.baseline], axis=0)
    expected = -np.log10(ttest_1samp(differences, 0.0, nan_policy="omit").pvalue)
    assert paired_t.statistic(overall)[4] == pytest.approx(expected)


def test_benjamini_hochberg_rejects_exactly_when_a_channel_is_rejected(series: Series) -> None:
    from scipy.stats import false_discovery_control, norm

    p = 2.0 * norm.sf(np.abs(two_proportion.z_scores(series)))
    expected = [false_discovery_control(night).min() for night in p]
    assert 10.0 ** -benjamini_hochberg.of_proportions(series) == pytest.approx(expected)


def test_fixed_thresholds_see_a_drop_of_thirty_points(series: Series) -> None:
    assert fixed_threshold.overall(series)[10:].mean() == pytest.approx(0.30, abs=0.05)
    assert (fixed_threshold.any_category(series) >= fixed_threshold.overall(series)).all()


def test_psi_of_the_same_shares_is_zero() -> None:
    same = np.full((3, 1), 10)
    flat = Series(
        baseline=1,
        channels=("overall",),
        passes=same,
        samples=same * 2,
        category=np.zeros(1, dtype=np.int64),
        case_rates=np.full((3, 1), 0.5),
    )
    assert psi.statistic(flat) == pytest.approx(0.0)


def test_peaks_of_a_rival_are_stored_before_and_after_the_change() -> None:
    tally = tally_rival("two_proportion", CELL, range(3), 1)
    assert tally.runs == 3
    assert min(tally.values["nights_7"]) > max(tally.values["before"])
    null = tally_rival("two_proportion", replace(CELL, change="none"), range(3), 1)
    assert set(null.values) == {"before"}


def test_every_rival_with_an_environment_has_a_hashed_lock_without_an_address() -> None:
    for rival in RIVALS.values():
        if rival.environment is not None:
            text = lock_file(rival.environment).read_text()
            assert "--hash=sha256:" in text
            assert "://" not in text


class TestDedriftHistories:
    STUDY = replace(studies()["dedrift/anytime/refusals10"], cycles=20, change=10, size=0.5)

    def test_a_cycle_holds_each_repetition_of_each_canary_once(self) -> None:
        cycles = draw_cycles(self.STUDY, np.random.default_rng(1))
        records = list(records_of(self.STUDY, cycles, 3))
        assert len({record["id"] for record in records}) == self.STUDY.records == 126
        assert {record["cycle_id"] for record in records} == {"cycle-0003"}

    def test_both_see_the_same_failures(self) -> None:
        cycles = draw_cycles(self.STUDY, np.random.default_rng(1))
        nights = document_of(self.STUDY, cycles, seed=1)["nights"]
        assert isinstance(nights, list)
        for cycle, night in enumerate(nights):
            outputs = [record["output"] for record in records_of(self.STUDY, cycles, cycle)]
            assert sum(night["passes"]) == sum(output["structured"] is not None for output in outputs)  # type: ignore[index]

    def test_a_delay_is_counted_from_the_change(self) -> None:
        tally = tally_detector(self.STUDY, range(2), 1, alerts_on(12))
        assert tally.counts["alarm"][1] == 2
        assert tally.counts["delay"] == {3: 2}


def test_the_cells_a_rival_is_compared_on_exist() -> None:
    from bench.drift_study.report_rivals import COLUMNS, MOODY, NULL

    assert {NULL, MOODY, *COLUMNS} <= set(all_cells())
