import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.drift.detect.budget import Shares, announced_shares, unannounced_thresholds

alphas = st.floats(1e-4, 0.3)
horizons = st.integers(1, 100_000)
either = st.booleans()


def total(shares: Shares) -> float:
    return shares.score + shares.mix + shares.behaviour


@given(alphas, horizons, either, st.floats(1.5, 10.0))
def test_fewer_false_alarms_ask_for_more_evidence(alpha: float, horizon: int, labelled: bool, times: float) -> None:
    strict = unannounced_thresholds(alpha / times, horizon, labelled=labelled)
    loose = unannounced_thresholds(alpha, horizon, labelled=labelled)
    assert strict.score == pytest.approx(loose.score + math.log(times))
    assert strict.behaviour == pytest.approx(loose.behaviour + math.log(times))


@given(alphas, horizons, either)
def test_a_longer_horizon_asks_for_more_evidence(alpha: float, horizon: int, labelled: bool) -> None:
    short = unannounced_thresholds(alpha, horizon, labelled=labelled)
    longer = unannounced_thresholds(alpha, 4 * horizon, labelled=labelled)
    assert longer.score > short.score
    assert longer.behaviour > short.behaviour


def test_without_labels_no_mix_is_monitored_and_the_score_has_its_share() -> None:
    bare, named = (unannounced_thresholds(0.05, 180, labelled=labelled) for labelled in (False, True))
    assert bare.mix == math.inf
    assert math.isfinite(named.mix)
    assert bare.score < named.score


@pytest.mark.parametrize("labelled", [False, True])
def test_the_shares_of_a_known_change_add_up_to_alpha_and_leave_behaviour_out(labelled: bool) -> None:
    shares = announced_shares(labelled=labelled)
    assert total(shares) == pytest.approx(1.0)
    assert shares.behaviour == 0.0
    assert (shares.mix > 0.0) == labelled
