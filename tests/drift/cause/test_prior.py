"""The odds of suspects are those that the mix of worlds gives them."""

from collections import Counter

import numpy as np
import pytest

from bench.cause_study.mix import MADE_BY, causes, draw_plan
from monitor.drift.cause.prior import MIN_ODDS, SUSPECT_RATES, Suspect
from monitor.drift.cause.suspects import NOTHING, RecordedEvidence, prior

DRAWN = 20_000


def test_the_shares_of_the_mix_are_the_prior_before_any_record() -> None:
    shares = causes()
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares[frozenset({Suspect.MODEL})] / shares[frozenset({Suspect.PROMPT})] == pytest.approx(
        SUSPECT_RATES[Suspect.MODEL].share / SUSPECT_RATES[Suspect.PROMPT].share
    )


def test_the_prior_is_how_often_each_cause_made_the_drop_of_alarms_with_these_records() -> None:
    """Of the plans drawn with the same records, the share of each cause; of every record that is frequent enough."""
    rng = np.random.default_rng(5)
    seen: dict[RecordedEvidence, Counter[frozenset[Suspect]]] = {}
    for _ in range(DRAWN):
        plan = draw_plan(rng)
        seen.setdefault(plan.evidence, Counter())[plan.truth] += 1
    frequent = {records: counts for records, counts in seen.items() if counts.total() >= 500}
    assert len(frequent) >= 8
    for records, counts in frequent.items():
        beliefs = prior(records)
        for held in (NOTHING, *(frozenset({suspect}) for suspect in MADE_BY)):
            share = counts[held] / counts.total()
            error = (beliefs[held] * (1.0 - beliefs[held]) / counts.total()) ** 0.5
            assert share == pytest.approx(beliefs[held], abs=4.0 * error + 3.0 * MIN_ODDS + 0.01)
