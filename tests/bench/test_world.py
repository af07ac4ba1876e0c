"""The moments of the world, and that a history is a pure function of (cell, run, base seed)."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from bench.drift_study.cases import INTRACLASS, Cases, categories, draw_cases, passing_at, redrawn, with_mean
from bench.drift_study.cell import Cell, Change, NightScale
from bench.drift_study.cells import BETWEEN, all_cells, cells_of
from bench.drift_study.cells_versions import PULLS, version_cells
from bench.drift_study.document import document
from bench.drift_study.labels import MIX, NAMES, NEW_CLASS
from bench.drift_study.paths import pulled
from bench.drift_study.world import History, draw_history, true_means

NULL = Cell(name="test/null", figures=(1,), count="false_alarms", n=60, monitored=30, after=10)
DROP = replace(NULL, name="test/drop", count="silent", change="drop", size=0.05)


def test_the_same_seeds_give_the_same_history() -> None:
    cell = all_cells()["5/surge3"]
    first, second = draw_history(cell, 3, 7), draw_history(cell, 3, 7)
    assert document(first, name="x") == document(second, name="x")


@pytest.mark.parametrize(("run", "seed"), [(4, 7), (3, 8)])
def test_another_run_or_another_base_seed_gives_another_history(run: int, seed: int) -> None:
    assert not np.array_equal(draw_history(NULL, 3, 7).passes, draw_history(NULL, run, seed).passes)


def test_two_cells_have_histories_of_their_own() -> None:
    assert not np.array_equal(draw_history(NULL, 3, 7).passes, draw_history(DROP, 3, 7).passes)


@pytest.mark.parametrize("mean", [0.62, 0.80, 0.96])
def test_case_probabilities_have_the_mean_and_the_intraclass_correlation(mean: float) -> None:
    passing = passing_at(np.random.default_rng(1).standard_normal(200_000), mean)
    assert passing.mean() == pytest.approx(mean, abs=0.003)
    assert passing.var() / (mean * (1.0 - mean)) == pytest.approx(INTRACLASS, abs=0.01)


def test_difficulty_is_shared_between_versions_within_the_stated_rank_correlations() -> None:
    cases = Cases(
        category=categories(20_000),
        difficulty=np.random.default_rng(2).standard_normal(20_000),
        passing=np.zeros(0),
        mean=0.8,
    )
    cases = replace(cases, passing=passing_at(cases.difficulty, 0.8))
    found = [spearmanr(cases.passing, redrawn(cases, np.random.default_rng(seed))).statistic for seed in range(20)]
    assert min(found) > 0.22
    assert max(found) < 0.76
    assert max(found) - min(found) > 0.2


def test_the_ten_categories_are_of_unequal_size() -> None:
    sizes = np.bincount(categories(300))
    assert len(sizes) == 10
    assert sizes.sum() == 300
    assert sizes[0] == 60
    assert sizes[-1] == 12


@pytest.mark.parametrize("redraw", [False, True])
@pytest.mark.parametrize("size", [0.02, 0.05, 0.10])
def test_a_drop_is_exact_in_the_mean_of_these_cases(size: float, redraw: bool) -> None:
    means = true_means(draw_history(replace(DROP, size=size, redraw=redraw), 0, 1))
    assert means[DROP.change_night - 1] - means[DROP.change_night] == pytest.approx(size, abs=1e-9)


def test_a_ramp_falls_by_the_same_amount_every_night() -> None:
    means = true_means(draw_history(replace(DROP, change="ramp", size=0.002), 0, 1))
    fallen = np.diff(means[DROP.change_night - 1 :])
    assert fallen == pytest.approx(-0.002, abs=1e-9)


@pytest.mark.parametrize("redraw", [False, True])
def test_one_category_collapses_and_the_others_keep_their_means(redraw: bool) -> None:
    cell = replace(DROP, n=200, change="category", size=0.30, redraw=redraw)
    history = draw_history(cell, 0, 1)
    for category in range(10):
        members = history.cases.category == category
        before, after = history.paths.passing[0, members].mean(), history.paths.passing[-1, members].mean()
        expected = 0.30 if category == history.paths.touched else 0.0
        assert before - after == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("scale", "least"), [("logit", 0.009), ("clipped", 0.006)])
def test_a_night_effect_moves_the_mean_by_about_one_point(scale: NightScale, least: float) -> None:
    cell = replace(NULL, n=300, monitored=2000, night_sd=0.01, night_scale=scale)
    moods = draw_history(cell, 0, 1).paths.tonight.mean(axis=1)
    assert least < moods.std() < 0.0108


def test_outcomes_are_binomial_around_the_night_s_probabilities() -> None:
    history = draw_history(replace(NULL, n=200, k=3, monitored=400), 0, 1)
    spread = (history.passes - 3 * history.paths.tonight) / np.sqrt(
        np.maximum(3 * history.paths.tonight * (1 - history.paths.tonight), 1e-9)
    )
    unsaturated = (history.paths.tonight > 0.05) & (history.paths.tonight < 0.95)
    assert spread[unsaturated].std() == pytest.approx(1.0, abs=0.02)


def test_missing_cases_are_null_and_say_why() -> None:
    history = draw_history(replace(NULL, missing=0.05), 0, 1)
    line = document(history, name="x")
    nights = line["nights"]
    assert isinstance(nights, list)
    for night in nights:
        assert [passes is None for passes in night["passes"]] == [error is not None for error in night["errors"]]
    assert (~history.scored).mean() == pytest.approx(0.05, abs=0.02)


def test_an_outage_takes_at_most_a_third_of_one_category_at_a_time() -> None:
    history = draw_history(replace(NULL, n=300, outage="easiest", monitored=200), 0, 1)
    assert history.outages.any()
    assert not history.outages.all(axis=1).any()
    assert np.array_equal(~history.scored, history.outages)


def test_a_revision_carries_half_of_the_cases_and_of_each_category_over() -> None:
    cell = replace(NULL, n=200, revision_after=5)
    active = draw_history(cell, 0, 1).active
    old, new = active[0], active[-1]
    assert old.sum() == new.sum() == 200
    assert (old & new).sum() == 100
    category = draw_history(cell, 0, 1).cases.category
    assert np.array_equal(np.bincount(category[old]), np.bincount(category[new]))


def test_samples_vary_by_case_and_night_when_configured() -> None:
    history = draw_history(replace(NULL, k=3, varied_k=True), 0, 1)
    assert set(np.unique(history.samples)) == {1, 2, 3}
    assert (history.passes <= history.samples).all()


def test_a_known_change_changes_the_version_string_that_night() -> None:
    line = document(draw_history(replace(DROP, announced=True), 0, 1), name="x")
    nights = line["nights"]
    assert isinstance(nights, list)
    assert [night["version"] for night in nights].index("v2") == DROP.change_night


def test_a_second_change_falls_as_far_again() -> None:
    cell = replace(DROP, second_after=20)
    means = true_means(draw_history(cell, 0, 1))
    assert means[0] - means[-1] == pytest.approx(0.10, abs=1e-9)
    assert cell.counted_from == cell.baseline + 20


class TestLabels:
    def shares(self, history: History, *, after: bool) -> np.ndarray:
        assert history.labels is not None
        night = history.cell.change_night
        codes = history.labels[night:] if after else history.labels[:night]
        failed = codes[codes > 0]
        return np.bincount(failed, minlength=len(NAMES))[1:] / len(failed)

    def labelled(self, change: Change, size: float) -> History:
        cell = replace(NULL, name="test/labels", n=600, monitored=200, after=100, labels=True, change=change, size=size)
        return draw_history(cell, 0, 1)

    def test_a_failure_has_a_label_and_a_pass_is_none(self) -> None:
        history = self.labelled("none", 0.0)
        assert history.labels is not None
        assert np.array_equal(history.labels[..., 0] == 0, history.passes == 1)
        assert np.abs(self.shares(history, after=False)[:5] - MIX).max() < 0.08

    def test_thirty_percent_of_the_failures_move_to_one_class(self) -> None:
        history = self.labelled("moved", 0.30)
        before, after = self.shares(history, after=False), self.shares(history, after=True)
        favoured = history.favoured - 1
        expected = before[favoured] + 0.30 * (1.0 - before[favoured])
        assert after[favoured] == pytest.approx(expected, abs=0.02)

    def test_a_new_class_takes_fifteen_percent(self) -> None:
        history = self.labelled("new_class", 0.15)
        assert history.favoured_name == NEW_CLASS
        assert self.shares(history, after=False)[-1] == 0.0
        assert self.shares(history, after=True)[-1] == pytest.approx(0.15, abs=0.015)

    @pytest.mark.parametrize("change", ["surge", "surge_moved"])
    def test_a_surge_adds_three_points_of_one_class(self, change: Change) -> None:
        history = self.labelled(change, 0.03)
        assert history.labels is not None
        night = history.cell.change_night
        of_class = history.labels == history.favoured
        assert of_class[night:].mean() - of_class[:night].mean() == pytest.approx(0.03, abs=0.006)


@pytest.mark.parametrize("rho", [rho / 100 for rho in BETWEEN])
def test_the_share_of_variance_between_cases_is_that_of_the_cell(rho: float) -> None:
    passing = draw_cases(200_000, np.random.default_rng(1), means=(0.8, 0.8), intraclass=rho).passing
    assert passing.mean() == pytest.approx(0.8, abs=0.003)
    assert passing.var() / (0.8 * 0.2) == pytest.approx(rho, abs=0.01)


def test_certain_cases_answer_alike_on_every_still_night() -> None:
    certain = replace(NULL, intraclass=1.0)
    passes = draw_history(certain, 0, 1).passes
    assert (passes == passes[0]).all()
    assert 0 < passes[0].sum() < certain.n


def test_certain_cases_take_a_mood_that_is_clipped_and_no_other() -> None:
    moody = replace(NULL, n=300, intraclass=1.0, night_sd=0.01, night_scale="clipped")
    passes = draw_history(moody, 0, 1).passes
    assert (passes != passes[0]).any()
    with pytest.raises(ValueError, match="log-odds"):
        draw_history(replace(moody, night_scale="logit"), 0, 1)


@pytest.mark.parametrize("categories", [1, 10])
@pytest.mark.parametrize("pull", [pull / 100 for pull in PULLS])
def test_a_noisier_version_keeps_the_mean_of_every_category(categories: int, pull: float) -> None:
    cell = replace(NULL, name="test/noisier", n=300, change="noisier", pull=pull, categories=categories)
    history = draw_history(cell, 0, 1)
    before, after = history.paths.passing[cell.change_night - 1], history.paths.passing[cell.change_night]
    assert sorted(set(history.cases.category)) == list(range(categories))
    for category in range(categories):
        members = history.cases.category == category
        assert after[members].mean() == pytest.approx(before[members].mean(), abs=1e-12)
        assert after[members].std() == pytest.approx((1.0 - pull) * before[members].std(), rel=1e-9)


def test_a_pull_moves_each_case_that_share_of_the_way_to_its_category() -> None:
    cases = replace(draw_cases(4, np.random.default_rng(1)), category=np.array([0, 0, 1, 1]))
    found = pulled(cases, np.array([0.2, 1.0, 0.5, 0.5]), np.ones(4, dtype=np.bool_), 0.25)
    assert found == pytest.approx([0.3, 0.9, 0.5, 0.5])


def test_a_churn_takes_the_same_from_every_category_and_flips_43_percent() -> None:
    cell = next(cell for cell in version_cells() if cell.name == "3/churn/c10/fall1.5")
    flips = []
    for run in range(40):
        history = draw_history(cell, run, 1)
        before, after = history.paths.passing[0], history.paths.passing[-1]
        members = np.bincount(history.cases.category)
        fallen = np.bincount(history.cases.category, weights=before - after) / members
        assert fallen == pytest.approx(np.full(10, 0.015), abs=1e-9)
        flips.append(float((before * (1.0 - after) + after * (1.0 - before)).mean()))
    assert np.mean(flips) == pytest.approx(0.43, abs=0.01)


def test_a_late_collapse_falls_after_the_announcement_and_not_with_it() -> None:
    cell = replace(DROP, announced=True, harmless=3, size=0.5, means=(1.0, 1.0))
    history = draw_history(cell, 0, 1)
    nights = document(history, name="x")["nights"]
    assert isinstance(nights, list)
    announced = [night["version"] for night in nights].index("v2")
    assert cell.change_night - announced == 3
    assert (history.passes[: cell.change_night] == 1).all()
    assert true_means(history)[cell.change_night - 1 : cell.change_night + 1] == pytest.approx([1.0, 0.5], abs=1e-5)


def test_a_small_set_is_drawn_again_until_it_can_fall_far_enough() -> None:
    cell = replace(DROP, n=20, size=0.5, means=(0.62, 0.62))
    means = [true_means(draw_history(cell, run, 1))[[0, -1]] for run in range(30)]
    assert min(before for before, _ in means) >= 0.52
    assert [before - after for before, after in means] == pytest.approx([0.5] * 30, abs=1e-9)


def test_a_fall_that_no_set_of_the_cell_can_take_is_an_error() -> None:
    with pytest.raises(ValueError, match="test/drop: no set of means"):
        draw_history(replace(DROP, size=0.7, means=(0.3, 0.3)), 0, 1)


@pytest.mark.parametrize("cell", version_cells(), ids=lambda cell: cell.name)
def test_every_cell_of_a_new_version_changes_the_mean_by_its_size(cell: Cell) -> None:
    means = true_means(draw_history(cell, 0, 1))
    assert means[cell.change_night - 1] - means[cell.change_night] == pytest.approx(cell.size, abs=1e-9)


def test_alpha_is_spent_over_the_horizon_and_not_over_the_nights_that_were_drawn() -> None:
    assert document(draw_history(replace(NULL, horizon=180), 0, 1), name="x")["horizon"] == 180
    assert document(draw_history(NULL, 0, 1), name="x")["horizon"] == NULL.monitored


def test_the_mean_can_be_set_where_cases_are_saturated() -> None:
    cases = draw_cases(300, np.random.default_rng(1))
    assert with_mean(cases.passing, 0.5).mean() == pytest.approx(0.5, abs=1e-9)


def test_an_impossible_mean_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        with_mean(np.array([0.5]), 1.0)


def test_every_figure_has_cells_and_every_cell_its_own_name() -> None:
    assert all(cells_of(figure) for figure in range(1, 10))
    assert all(name == cell.name for name, cell in all_cells().items())
