from dataclasses import replace

import numpy as np

from monitor.health.exposure import exposure_of
from monitor.health.overfitting import Overfitting, Trend
from monitor.health.redundancy import Redundancy
from monitor.health.report import SetHealth, concerns
from monitor.health.saturation import LabelNoise, saturation_of
from monitor.health.staleness import Staleness
from tests.health.test_exposure import seen

WELL = SetHealth(
    saturation=saturation_of(["a", "b"], np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])),
    label_noise=LabelNoise(failed_by_better_versions=("a",), expected=1.0, never_passed=(), unstable=()),
    staleness=Staleness(
        calls=500, cases=50, distant=0.12, distant_low=0.09, distant_high=0.15, uncovered=0.02, uncovered_categories={}
    ),
    redundancy=Redundancy(cases=50, groups=(("a", "b"),), redundant=1),
    exposure=exposure_of([seen("a", 3)], 10, 30.0),
    overfitting=Overfitting(trend=Trend.FELL_TOO, runs=12),
)


def test_a_set_that_is_well_has_no_concerns() -> None:
    assert concerns(WELL) == []
    assert concerns(replace(WELL, exposure=None, overfitting=None)) == []


def test_each_problem_is_a_sentence_the_most_serious_first() -> None:
    ill = SetHealth(
        saturation=saturation_of(["a", "b"], np.array([[1.0, 0.0]] * 4)),
        label_noise=LabelNoise(
            failed_by_better_versions=("a", "b", "c"), expected=1.0, never_passed=("d",), unstable=("e", "f")
        ),
        staleness=replace(WELL.staleness, distant=0.6, distant_low=0.55, uncovered_categories={"visas": 0.2}),
        redundancy=Redundancy(cases=20, groups=(("a", "b", "c"),), redundant=2),
        exposure=exposure_of([seen("a", 30)], 10, 30.0),
        overfitting=Overfitting(trend=Trend.OVERFITTING, runs=12),
    )
    told = concerns(ill)
    assert len(told) == 9
    assert told[0].startswith("probable overfitting")
    assert told[1].startswith("1 of 1 cases reached the exposure budget")
    assert told[2].startswith("60% of production is near no case")
    assert told[3] == "20% of production has the category 'visas', but no case has it"
    assert told[4].startswith("better versions fail 3 cases (1.0 expected by chance)")
    assert told[7].startswith("100% of the cases had the same score under every one of 4 versions")
    assert told[8] == "2 of 20 cases repeat another case"
