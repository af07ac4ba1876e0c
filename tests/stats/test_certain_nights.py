import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from monitor.stats.certain_nights import draw_certain
from monitor.stats.conformal_z import Floats, conformal_z
from monitor.stats.night_tally import NightTally
from monitor.stats.studentise import studentise

from .tallies import everyone, outcomes, pass_rates


def scores(values: Floats, ties: Floats) -> Floats:
    tally, members = NightTally.of_values(values), everyone(values.shape[1])
    return draw_certain(conformal_z(tally, members, ties), tally, members, ties)


@given(st.integers(0, 2**32 - 1))
def test_a_score_that_is_known_stays_as_it_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, ties = outcomes(rng, pass_rates(rng, 10), 6), rng.random((6, 1))
    plain = conformal_z(NightTally.of_values(values), everyone(10), ties)
    known = ~np.isnan(plain)
    np.testing.assert_array_equal(scores(values, ties)[known], plain[known])


def test_nothing_asked_and_nothing_to_compare_with_stay_unknown() -> None:
    values = np.ones((6, 4, 1))
    values[2] = np.nan
    values[:4, 1:] = np.nan
    values[4, 0] = np.nan  # on this night only cases that were never asked before
    z = scores(values, np.full((6, 1), 0.3))[:, 0]
    assert np.isnan(z).tolist() == [True, False, True, False, True, False]


def test_rare_failures_leave_the_scores_standard_normal() -> None:
    from scipy.stats import kstest

    rng = np.random.default_rng(1)
    z = np.concatenate([scores(outcomes(rng, np.full(20, 0.995), 20), rng.random((20, 1)))[1:, 0] for _ in range(150)])
    assert not np.isnan(z).any()
    assert kstest(z, "norm").pvalue > 0.001
    pairs = z.reshape(150, 19)
    assert abs(np.corrcoef(pairs[:, :-1].ravel(), pairs[:, 1:].ravel())[0, 1]) < 4.0 / np.sqrt(150 * 18)


def test_a_set_that_always_passed_has_a_yardstick_for_its_first_failures() -> None:
    values = np.ones((20, 30, 1))
    values[19, :8] = 0.0
    ties = np.random.default_rng(2).random((20, 1))
    plain = conformal_z(NightTally.of_values(values), everyone(30), ties)
    assert np.isnan(studentise(plain)[19, 0])
    assert studentise(scores(values, ties))[19, 0] < -4.0
