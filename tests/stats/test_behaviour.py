import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from monitor.stats.behaviour import Floats, behaviour_scores
from monitor.stats.night_tally import NightTally

from .tallies import outcomes, pass_rates, passing_nights


def of_nights(*parts: Floats) -> Floats:
    return behaviour_scores(NightTally.of_values(np.concatenate(parts))).z[:, 0]


def test_another_model_with_the_same_mean_is_detected_on_its_first_night() -> None:
    seen = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rates = pass_rates(rng, 200)
        other = rng.permutation(rates)
        seen += of_nights(outcomes(rng, rates, 14), outcomes(rng, other, 1))[-1] < -4.0
    assert seen >= 19


def test_fewer_passes_where_passing_was_a_matter_of_luck_are_no_other_model() -> None:
    rng = np.random.default_rng(1)
    scores = of_nights(outcomes(rng, np.full(200, 0.5), 30), outcomes(rng, np.full(200, 0.2), 1))
    assert abs(scores[-1]) < 4.0


def test_without_a_change_the_scores_have_no_trend_and_unit_spread() -> None:
    rng = np.random.default_rng(2)
    z = np.array([behaviour_scores(passing_nights(rng, pass_rates(rng, 150), 24)).z[:, 0] for _ in range(150)])[:, 4:]
    nights = np.arange(z.shape[1]) - (z.shape[1] - 1) / 2.0
    slopes = z @ nights / (nights @ nights)
    assert abs(slopes.mean()) < 4.0 * slopes.std() / np.sqrt(150)
    assert abs(z.mean()) < 4.0 / np.sqrt(z.size)
    assert 0.9 < z.std() < 1.1
    assert abs(np.corrcoef(z[:, :-1].ravel(), z[:, 1:].ravel())[0, 1]) < 4.0 / np.sqrt(z.size)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_cutting_later_nights_changes_nothing(seed: int, cut: int) -> None:
    rng = np.random.default_rng(seed)
    tally = passing_nights(rng, pass_rates(rng, 15), 8)
    np.testing.assert_allclose(behaviour_scores(tally.between(0, cut)).z, behaviour_scores(tally).z[:cut], atol=1e-9)


@given(st.integers(0, 2**32 - 1))
def test_the_order_of_the_cases_and_cases_without_samples_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = outcomes(rng, pass_rates(rng, 15), 8)
    shuffled = np.concatenate([values[:, rng.permutation(15)], np.full((8, 2, 1), np.nan)], axis=1)
    np.testing.assert_allclose(of_nights(shuffled), of_nights(values), atol=1e-6)


def test_a_night_without_scores_and_the_first_night_say_nothing() -> None:
    values = outcomes(np.random.default_rng(3), np.full(30, 0.6), 6, 2)
    values[4] = np.nan
    known = ~np.isnan(of_nights(values))
    assert known.tolist() == [False, True, True, True, False, True]


def test_a_second_single_sample_has_no_score() -> None:
    values = outcomes(np.random.default_rng(3), np.full(30, 0.6), 3)  # a case that passed once of twice weighs nothing
    assert (~np.isnan(of_nights(values))).tolist() == [False, False, True]


def test_cases_that_never_changed_their_outcome_say_nothing() -> None:
    assert np.isnan(of_nights(np.tile([[1.0], [0.0]], (6, 1, 1)))).all()


def test_graded_scores_are_detected_as_well() -> None:
    rng = np.random.default_rng(4)
    centre = rng.random(150)
    values = np.clip(centre[None, :, None] + 0.1 * rng.normal(size=(15, 150, 1)), 0.0, 1.0)
    values[-1] = values[-1, rng.permutation(150)]
    z = of_nights(values)
    assert z[-1] < -4.0
    assert np.abs(z[4:-1]).max() < 4.0
