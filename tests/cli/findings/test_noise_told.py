"""The noise in `driftd drift explain` and `driftd plan`: value, basis and interval."""

from typing import Any

import pytest

from monitor.api.schema import ConsistencyEvidenceItem, EvidenceItem, NoiseEvidenceItem, PinnedRunEvidenceItem
from monitor.cli.findings.explain import _consistency, _noise, _pinned_run
from monitor.cli.findings.plan import PlanItem
from monitor.cli.findings.plan import _noise as planned_noise

NOISE: dict[str, Any] = {
    "nights": 9,
    "within_variance": 0.0405,
    "night_variance": 0.0001,
    "night_interval": (0.0, 0.0004),
    "detectable": [{"scenario": "announced", "nights": 7, "effect": 0.021}],
    "within_interval": (0.03, 0.051),
    "repeats": 360,
    "flip_rate": 0.081,
    "flip_interval": (0.06, 0.102),
}


def told(**fields: Any) -> str:
    noise = NoiseEvidenceItem.model_validate(NOISE | fields)
    known: dict[str, Any] = dict.fromkeys(EvidenceItem.model_fields) | {"noise": noise}
    return _noise(EvidenceItem.model_construct(**known))


def test_repeats_of_a_night_are_reported_with_how_often_they_differ() -> None:
    assert told() == (
        "within a case the variance is 0.0405 in one night: 360 cases were repeated, and two "
        "answers get different scores in 8.1 % of the pairs (95 % 6.0 % to 10.2 %), night effect 1.00 points "
        "(95 % +0.0 to +2.0)."
    )


def test_without_repeats_it_reports_that_nights_are_in_it() -> None:
    bare = told(repeats=0, flip_rate=None, flip_interval=None, within_interval=None)
    assert bare.startswith(
        "within a case the variance is 0.0405 from night to night (no case was repeated in one night)"
    )


def test_graded_scores_have_a_variance_and_no_flips() -> None:
    assert "0.0405 in one night (360 repeated cases)" in told(flip_rate=None, flip_interval=None)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "measured noise: variance within a case 0.0405 (95 % 0.0300 to 0.0510, from 360 repeats in one night)"),
        ({"within_interval": None, "repeats": 0}, "0.0405 (from night to night: no case was repeated in one night)"),
        (
            {"case_night_variance": 0.01},
            "variance of single cases between nights 0.0100, night effect 1.00 points",
        ),
        ({"measured": False, "within_interval": None}, "given noise: variance within a case 0.0405, night effect"),
    ],
)
def test_a_plan_names_where_its_noise_comes_from(fields: dict[str, Any], said: str) -> None:
    known: dict[str, Any] = {
        "effect_points": 2.0,
        "power": 0.8,
        "alpha": 0.05,
        "within_variance": 0.0405,
        "within_interval": (0.03, 0.051),
        "case_night_variance": 0.0,
        "night_sd_points": 1.0,
        "measured": True,
        "repeats": 360,
        "alternatives": [],
        "floors": [],
    }
    assert said in planned_noise(PlanItem(**known | fields))


def test_a_pinned_run_is_reported_with_its_newest_look() -> None:
    pinned = PinnedRunEvidenceItem(
        pin_id="p",
        run_id="run-7",
        nights=14,
        recent_nights=7,
        status="below",
        looks=3,
        delta=-0.03,
        interval=(-0.04, -0.02),
        interval_new_cases=(-0.06, 0.0),
        channel="overall",
        p=0.00001,
        p_needed=0.000097,
        detected_run="run-21",
    )
    assert _pinned_run(pinned) == (
        "14 nights up to run run-7 are pinned. The set is below it (3 weeks were tested; the newest: overall, "
        "p = 1e-05, at most 9.7e-05 needed). The newest 7 nights differ by -3.0 points from it; 95 % interval for "
        "these cases -4.0 to -2.0, for new cases of the same kind -6.0 to +0.0."
    )
    others = pinned.model_copy(update={"status": "other_judge", "delta": None})
    assert _pinned_run(others).endswith("no comparison is possible.")


def test_the_consistency_of_a_new_version_is_reported_with_its_test() -> None:
    found = ConsistencyEvidenceItem(
        cases=300,
        nights=2,
        pairs="nights",
        before=0.04,
        after=0.121,
        delta=0.081,
        interval=(0.05, 0.112),
        p=0.00012,
        p_needed=0.0213,
        direction="less",
    )
    assert _consistency(found) == (
        "the new version is less consistent: two answers to one case differ in 12.1 % instead of 4.0 % (+8.1 points, "
        "95 % interval +5.0 to +11.2); answers of two nights on 300 cases, 2 nights after the change; p = 0.00012, at "
        "most 0.0213 needed. This is no regression."
    )
    quiet = found.model_copy(update={"direction": None})
    assert _consistency(quiet).startswith("the new version is as consistent as the old one, as far as is known: ")
