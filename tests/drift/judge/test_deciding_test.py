"""One test decides; its numbers are those of the finding, and no other test's are in it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from monitor.domain.deciding_test import DecidingTest
from monitor.domain.finding import Finding
from monitor.drift.detect.decision import decide
from monitor.drift.detect.nightly_history import build_nights
from monitor.drift.judge.baseline import Baseline, BaselineReason
from tests.drift.builders import POLICY, find, results, run
from tests.drift.nights import quiet, rows

CATEGORIES = ("orders", "refunds", "billing") * 80
REFUNDS = np.array([name == "refunds" for name in CATEGORIES])


def judged(passes: np.ndarray, versions: Sequence[str | None]) -> Finding:
    """The finding of the last night, as the daemon makes it: nights first, then the two runs beside them."""
    nights = build_nights(rows(passes, list(versions), categories=CATEGORIES), POLICY)
    last = len(passes) - 1
    decision = decide(nights, f"run-{last}", None, None)
    assert decision is not None
    before, after = (
        [replace(row, category=name) for row, name in zip(results(list(night)), CATEGORIES, strict=True)]
        for night in (passes[-2], passes[-1])
    )
    return find(
        run(last, cases=passes.shape[1]),
        after,
        Baseline(run=run(last - 1), why=BaselineReason.BEFORE_ONSET),
        before,
        decision=decision,
    )


def dropped(category_drop: float, *, nights_after: int = 1, seed: int = 4) -> Finding:
    """A new version that is worse in refunds alone."""
    passes = quiet(14 + nights_after, cases=len(CATEGORIES), seed=seed)
    lost = np.random.default_rng(seed).random((nights_after, len(CATEGORIES))) < category_drop
    passes[-nights_after:] = np.where(lost & REFUNDS, 0.0, passes[-nights_after:])
    return judged(passes, ["A"] * 14 + ["B"] * nights_after)


def two_nights() -> Finding:
    """The first night of another version, before there are nights to judge by: refunds are lost."""
    passes = quiet(2, cases=len(CATEGORIES))
    passes[1] = np.where(REFUNDS, 0.0, passes[1])
    return judged(passes, ["A", "B"])


def silent_drop() -> Finding:
    """A drop of all cases that nobody announced, on the night that it is found."""
    passes = quiet(30, cases=len(CATEGORIES), seed=5)
    lost = np.random.default_rng(5).random((10, len(CATEGORIES))) < 0.35
    for end in range(21, 31):
        tried = passes[:end].copy()
        tried[20:] = np.where(lost[: end - 20], 0.0, tried[20:])
        finding = judged(tried, ["A"] * end)
        if finding.verdict == "regression":
            return finding
    raise AssertionError("the drop was not found within ten nights")


def decided_of(finding: Finding) -> DecidingTest:
    assert finding.decided is not None
    return finding.decided


def test_a_category_that_the_nights_find_is_named_with_their_numbers() -> None:
    finding = dropped(0.5)
    decided = decided_of(finding)
    assert finding.verdict == "regression"
    assert (decided.test, decided.channel) == ("known_change", "refunds")
    assert [row.channel for row in decided.categories_moved] == ["refunds"]
    assert decided.p is not None
    assert decided.p_needed is not None
    assert decided.p <= decided.p_needed
    assert finding.evidence is not None
    assert (decided.p, decided.p_needed) == (finding.evidence.p, finding.evidence.p_needed)
    assert (decided.effect, decided.interval) == (finding.evidence.delta, finding.evidence.interval)
    assert decided.before is not None
    assert decided.after is not None
    assert decided.effect == pytest.approx(decided.after - decided.before)
    assert decided.cases == REFUNDS.sum()


def test_the_table_of_channels_holds_the_p_value_of_the_alarm() -> None:
    finding = dropped(0.5)
    assert finding.evidence is not None
    (row,) = [row for row in finding.evidence.channels if row.p is not None and row.channel == "refunds"]
    assert row.p == decided_of(finding).p


def test_the_two_runs_keep_their_flips_and_lose_the_numbers_of_a_test_that_did_not_decide() -> None:
    comparison = dropped(0.5).comparison
    assert comparison is not None
    assert (comparison.p_value, comparison.mde) == (None, None)
    assert {row.p_value_adjusted for row in comparison.categories} == {None}
    assert [row.category for row in comparison.categories if row.moved] == ["refunds"]
    assert comparison.flipped_to_fail > 0


def test_before_the_nights_are_enough_the_two_runs_decide_and_keep_their_numbers() -> None:
    finding = two_nights()
    decided = decided_of(finding)
    assert finding.verdict == "regression"
    assert decided.test == "two_runs"
    assert decided.p_needed == finding.alpha
    assert finding.comparison is not None
    assert finding.comparison.p_value is not None
    assert [row.channel for row in decided.categories_moved] == ["refunds"]


def test_the_smallest_effect_is_that_of_the_same_test_channel_and_nights() -> None:
    one, three, ten = (decided_of(dropped(0.6, nights_after=nights)).detectable for nights in (1, 3, 10))
    assert [(each.scenario, each.nights) for each in one] == [("announced", 1), ("announced", 7)]
    assert [each.nights for each in three] == [3, 7]
    assert [each.nights for each in ten] == [10], "a week is over"
    assert one[0].effect > three[0].effect > three[1].effect > ten[0].effect > 0.0


def test_what_this_test_could_see_is_found_four_times_in_five() -> None:
    """A drop of refunds as large as it says is found, by this test on this night, in about 80 % of tries."""
    passes = quiet(15, cases=len(CATEGORIES), seed=11)
    rates = passes[:14].mean(axis=0)
    smallest = decided_of(judged(passes, ["A"] * 14 + ["B"])).detectable[0].effect
    rng = np.random.default_rng(2)
    share = smallest / rates.mean()
    found = 0
    for _ in range(40):
        tried = passes.copy()
        tried[14] = (rng.random(rates.size) < rates * (1.0 - share)).astype(float)
        found += judged(tried, ["A"] * 14 + ["B"]).verdict == "regression"
    assert 24 <= found <= 40, f"{found} of 40"


def test_quiet_nights_show_the_evidence_that_was_required_and_no_p_value() -> None:
    finding = judged(quiet(20, cases=len(CATEGORIES), seed=3), ["A"] * 20)
    decided = decided_of(finding)
    assert (finding.verdict, decided.test, decided.p, decided.moved) == ("ok", "silent_drift", None, ())
    assert decided.e is not None
    assert decided.e_needed is not None
    assert decided.e < decided.e_needed
    assert [(each.scenario, each.nights) for each in decided.detectable] == [("silent", 1), ("silent", 7)]
    tonight, week = (100 * each.effect for each in decided.detectable)
    assert finding.reason.endswith(
        f"can detect a fall of {tonight:.1f} points tonight and of {week:.1f} within 7 nights"
    )


def test_a_silent_drop_shows_e_and_no_p_value() -> None:
    alarm = silent_drop()
    decided = decided_of(alarm)
    assert (decided.test, decided.p) == ("silent_drift", None)
    assert decided.e is not None
    assert decided.e_needed is not None
    assert decided.e >= decided.e_needed
    assert alarm.evidence is not None
    assert decided.e == alarm.evidence.e


def test_where_all_cases_moved_as_well_the_headline_is_theirs_from_the_same_test() -> None:
    passes = quiet(15, cases=len(CATEGORIES), seed=4)
    passes[14] = np.where(REFUNDS, 0.0, passes[14])
    decided = decided_of(judged(passes, ["A"] * 14 + ["B"]))
    assert decided.channel == "refunds"
    assert decided.overall is not None
    assert (decided.lead.channel, decided.lead.cases) == ("overall", len(CATEGORIES))
    assert decided.overall.p is not None
    assert decided.overall.p_needed is not None
    assert decided.overall.p <= decided.overall.p_needed
