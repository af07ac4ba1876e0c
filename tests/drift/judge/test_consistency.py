"""A version that is only noisier is reported as less consistent, in addition to the verdict."""

from dataclasses import replace

import numpy as np
import pytest

from monitor.domain.evidence import Evidence
from monitor.domain.finding import Verdict
from monitor.drift.detect.decision import decide
from monitor.drift.detect.nightly_history import build_nights
from monitor.drift.judge.consistency import add_consistency, describe_consistency
from monitor.drift.judge.paired_judgement import Judgement
from monitor.stats.two_versions.group_sequential import boundaries
from tests.drift.builders import LESS_CONSISTENT
from tests.drift.builders import POLICY as BUILT
from tests.drift.nights import rows

POLICY = replace(BUILT, baseline_nights=7)
BEFORE, CASES = 10, 300


def evidence(
    nights: int, *, noise: float = 0.4, scorers: str | None = None, version: str = "B", repeats: bool = False
) -> Evidence:
    """Cases always pass or fail under version A; the next one answers `noise` of them at random, as often right."""
    rng = np.random.default_rng(8)
    own = (np.arange(CASES) % 2).astype(np.float64)
    random = (np.arange(CASES) // 2 % 10) < 10 * noise
    rates = np.vstack([np.tile(own, (BEFORE, 1)), np.tile(np.where(random, 0.5, own), (nights, 1))])
    passes, second = (rng.random((2, *rates.shape)) < rates).astype(np.float64)
    served: list[str | None] = [*["A"] * BEFORE, *[version] * nights]
    stored = rows(passes, served, labels=None, repeats=second if repeats else None)
    if scorers is not None:
        since = [replace(night, judge=scorers) for night in stored.nights[BEFORE:]]
        stored = replace(stored, nights=(*stored.nights[:BEFORE], *since))
    found = decide(build_nights(stored, POLICY), f"run-{BEFORE + nights - 1}", None, None)
    assert found is not None
    assert found.alert is None
    return found.evidence


def test_a_version_that_is_only_noisier_is_detected_from_its_second_night_on() -> None:
    assert evidence(1).consistency is None
    found = evidence(2).consistency
    assert found is not None
    assert (found.direction, found.pairs, found.nights, found.cases) == ("less", "nights", 2, CASES)
    assert found.before == 0.0
    assert found.interval[0] < 0.2 < found.interval[1]  # 40 % of the cases differ half of the time
    assert found.p <= found.p_needed == pytest.approx(two_sided_tail(boundaries(POLICY.alpha_change / 2.0)[1]))


def two_sided_tail(z: float) -> float:
    from scipy.special import ndtr

    return float(2.0 * ndtr(-z))


def test_cases_with_two_samples_in_the_first_night_show_it_that_night() -> None:
    found = evidence(1, repeats=True).consistency
    assert found is not None
    assert (found.direction, found.pairs, found.nights) == ("less", "one_night", 1)


def test_the_nights_between_two_looks_report_what_the_last_look_found() -> None:
    assert evidence(4).consistency == evidence(3).consistency
    assert evidence(5).consistency != evidence(4).consistency


def test_a_version_that_is_as_steady_is_not_reported() -> None:
    found = evidence(7, noise=0.0).consistency
    assert found is None  # no two answers differ: nothing to compare


@pytest.mark.parametrize("change", [{"version": "A"}, {"scorers": "exact 2"}])
def test_without_a_change_of_version_or_with_other_scorers_nothing_is_tested(change: dict[str, str]) -> None:
    assert evidence(3, **change).consistency is None  # type: ignore[arg-type]


@pytest.mark.parametrize("verdict", list(Verdict))
def test_no_verdict_severity_or_basis_changes(verdict: Verdict) -> None:
    found = Judgement(verdict=verdict, severity="critical", reason="as it was", basis="nights")
    beside = add_consistency(found, LESS_CONSISTENT)
    assert replace(beside, reason="as it was") == found
    assert beside.reason.startswith("as it was; the new version is less consistent: ")


def test_what_is_not_reported_is_no_part_of_the_reason() -> None:
    found = Judgement(verdict=Verdict.OK, severity="info", reason="as it was", basis="nights")
    assert add_consistency(found, replace(LESS_CONSISTENT, direction=None)) == found
    assert add_consistency(found, None) == found


def test_the_sentence_has_both_rates_and_the_interval() -> None:
    assert describe_consistency(LESS_CONSISTENT) == (
        "the new version is less consistent: two answers to one case differ in 12.1 % instead of 4.0 % "
        "(+8.1 points, 95 % interval +5.0 to +11.2)"
    )
    steadier = replace(
        LESS_CONSISTENT, direction="more", before=0.121, after=0.04, delta=-0.081, interval=(-0.112, -0.05)
    )
    assert describe_consistency(steadier).startswith("the new version is more consistent: ")
