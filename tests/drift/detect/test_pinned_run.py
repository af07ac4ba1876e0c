"""A pinned run: a slow decline is detected despite accepted baselines, and unchanged nights raise no alarm."""

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from monitor.domain.baseline import Pin
from monitor.domain.evidence import PinnedRunEvidence
from monitor.domain.finding import Verdict
from monitor.domain.nights import NightRows
from monitor.domain.policy import DriftPolicy
from monitor.drift.detect.nightly_history import Nights, build_nights
from monitor.drift.detect.pinned_run import (
    SHARE,
    _test_week,
    _weeks,
    look_alpha,
    nights_to_pin,
    pinned_run_evidence,
    policy_with_pin,
)
from monitor.drift.detect.window import Window
from monitor.drift.judge.paired_judgement import Judgement
from monitor.drift.judge.pinned_verdict import add_pinned_run, describe_pinned_run
from tests.drift.builders import FIRST_NIGHT, POLICY
from tests.drift.nights import rows

Floats = NDArray[np.float64]
CASES, PINNED = 200, 14
OWN = np.random.default_rng(1).beta(3.0, 1.0, size=CASES)
QUIET = Judgement(verdict=Verdict.OK, severity="info", reason="nothing moved")


def pin(last: int = PINNED - 1, first: int = 0) -> Pin:
    start, end = (FIRST_NIGHT + timedelta(days=t) for t in (first, last))
    return Pin(
        id="pin-1",
        deployment="support-bot",
        set_name="primes",
        run_id=f"run-{last}",
        first_run=f"run-{first}",
        counts_from=start,
        counts_to=end,
        at=end,
        who="ana",
        reason="launch",
    )


def nights(drop: Floats, *, seed: int = 2, night_sd: float = 0.0, **fields: object) -> Nights:
    """One night for each entry of `drop`, which every case's rate is lowered by."""
    rng = np.random.default_rng(seed)
    moods = rng.normal(scale=night_sd, size=(drop.size, 1)) if night_sd else 0.0
    passes = (rng.random((drop.size, CASES)) < OWN - drop[:, None] + moods).astype(np.float64)
    return build_nights(rows(passes, **fields), POLICY)  # type: ignore[arg-type]


def standing(known: Nights, accepted_at: datetime | None = None) -> PinnedRunEvidence:
    found = pinned_run_evidence(known, pin(), POLICY, accepted_at=accepted_at)
    assert found is not None
    return found


def after(*drop: float) -> Floats:
    return np.concatenate([np.zeros(PINNED), drop])


def test_a_slide_of_a_tenth_of_a_point_a_night_is_reported_with_its_intervals() -> None:
    slide = after(*np.linspace(0.0, 0.14, 70))
    stands = [standing(nights(slide[: PINNED + n])) for n in range(7, 71, 7)]
    assert [found.status for found in stands[:2]] == ["level", "level"]
    assert stands[-1].status == "below"
    last = stands[-1]
    assert last.interval is not None
    assert last.interval_new_cases is not None
    assert last.interval[0] < -0.13 < last.interval[1] < 0.0
    assert last.interval_new_cases[0] <= last.interval[0]
    assert (last.looks, last.nights, last.recent_nights) == (10, PINNED, 7)
    assert last.p is not None
    assert last.p_needed is not None
    assert last.p <= last.p_needed < SHARE * POLICY.alpha_silent


def test_an_alarm_stays_active_until_a_week_reaches_the_pinned_level_again() -> None:
    fallen = standing(nights(after(*[0.2] * 7, *[0.2] * 3)))
    assert (fallen.status, fallen.looks, fallen.detected_run) == ("below", 1, f"run-{PINNED + 6}")
    assert standing(nights(after(*[0.2] * 7, *[0.0] * 6))).status == "below"
    assert standing(nights(after(*[0.2] * 7, *[0.0] * 7))).status == "level"


def test_only_a_baseline_accepted_after_the_alarm_resolves_it() -> None:
    known = nights(after(*[0.2] * 7))
    reported = known.nights[-1].at
    assert standing(known, reported - timedelta(days=2)).status == "below"
    assert standing(known, reported + timedelta(hours=1)).status == "accepted"


def test_nothing_is_tested_before_a_week_is_over_and_its_days_may_lack_nights() -> None:
    assert standing(nights(after(*[0.3] * 6))).status == "waiting"
    assert standing(nights(after())).status == "waiting"
    gone = nights(after(*[0.3] * 9))
    thin = build_nights(_without(gone, PINNED + 6), POLICY)  # the seventh night failed: the eighth tells
    assert (standing(thin).looks, standing(thin).status) == (1, "below")


def _without(known: Nights, night: int) -> NightRows:
    tally = known.history.tally
    passes = np.where(tally.count > 0, tally.first, np.nan)
    kept = [t for t in range(known.history.nights) if t != night]
    found = rows(passes[kept])
    return type(found)(
        **{**{n: getattr(found, n) for n in found.__slots__}, "nights": tuple(known.nights[t] for t in kept)}
    )


def test_a_category_that_slides_alone_is_named() -> None:
    drop = after(*[0.35] * 7)
    rng = np.random.default_rng(3)
    hit = np.arange(CASES) % 10 == 0
    passes = (rng.random((drop.size, CASES)) < OWN - drop[:, None] * hit).astype(np.float64)
    found = standing(build_nights(rows(passes, categories=tuple("rare" if h else "usual" for h in hit)), POLICY))
    assert (found.status, found.channel) == ("below", "rare")


def test_another_judge_and_other_cases_are_not_compared() -> None:
    passes = (np.random.default_rng(4).random((PINNED + 8, CASES)) < OWN).astype(np.float64)
    found = rows(passes)
    judged = tuple(replace(n, judge="exact 2" if t > PINNED else n.judge) for t, n in enumerate(found.nights))
    reported = standing(build_nights(replace(found, nights=judged), POLICY))
    assert (reported.status, reported.delta, reported.looks) == ("other_judge", None, 0)
    passes[:PINNED, : CASES // 2] = np.nan
    passes[PINNED:, CASES // 2 :] = np.nan
    strangers = standing(build_nights(_asked(passes), POLICY))
    assert (strangers.status, strangers.delta) == ("level", None)


def _asked(passes: Floats) -> NightRows:
    found = rows(passes)
    return replace(found, nights=tuple(replace(n, cases=CASES // 2) for n in found.nights))


@pytest.mark.parametrize("night_sd", [0.0, 0.02])
def test_half_a_year_without_a_change_alarms_at_most_at_its_share(night_sd: float) -> None:
    """At a budget large enough to be counted: the share is then 8 %, where 10 of 120 are expected at the most."""
    loud = replace(POLICY, alpha_silent=0.8)
    reported = 0
    for run in range(120):
        known = nights(np.zeros(PINNED + 182), seed=100 + run, night_sd=night_sd)
        found = pinned_run_evidence(known, pin(), loud, accepted_at=None)
        assert found is not None
        assert found.looks == 26
        reported += any_told(known, loud)
    assert reported <= 16


def any_told(known: Nights, policy: DriftPolicy) -> bool:
    """Whether any look reported, also one that a later look took back."""
    pinned, after_it = Window(start=0, end=PINNED), Window(start=PINNED, end=known.history.nights)
    return any(_test_week(known, pinned, week, policy).worse for week in _weeks(known, pin(), after_it))


def test_the_detector_and_the_pin_share_one_budget() -> None:
    looks = [look_alpha(POLICY, 7)] * (POLICY.horizon_nights // 7)
    assert sum(looks) + policy_with_pin(POLICY).alpha_silent <= POLICY.alpha_silent + 1e-12
    assert look_alpha(POLICY, 1) * POLICY.horizon_nights == pytest.approx(SHARE * POLICY.alpha_silent)


def test_the_nights_of_one_version_and_judge_up_to_the_run_are_pinned() -> None:
    known = nights(np.zeros(10), versions=["A"] * 4 + ["B"] * 6)
    assert [night.run_id for night in nights_to_pin(known, "run-7", 14)] == ["run-4", "run-5", "run-6", "run-7"]
    assert [night.run_id for night in nights_to_pin(known, "run-7", 2)] == ["run-6", "run-7"]
    assert nights_to_pin(known, "run-99", 14) == ()


def test_a_night_that_nothing_else_makes_worse_is_a_regression_when_the_set_slid() -> None:
    pinned_run = standing(nights(after(*[0.2] * 7)))
    found = add_pinned_run(QUIET, pinned_run, POLICY)
    assert (found.verdict, found.severity) == (Verdict.REGRESSION, "warning")
    assert found.reason.startswith("slid below the pinned run: the newest nights differ by -")
    assert found.reason.endswith("tonight: nothing moved")
    worse = Judgement(verdict=Verdict.REGRESSION, severity="critical", reason="fell")
    assert add_pinned_run(worse, pinned_run, POLICY) == worse
    accepted = standing(nights(after(*[0.2] * 7)), known_end())
    assert add_pinned_run(QUIET, accepted, POLICY) == QUIET
    assert add_pinned_run(QUIET, None, POLICY) == QUIET


def known_end() -> datetime:
    return FIRST_NIGHT + timedelta(days=PINNED + 20)


def test_the_sentence_explains_a_missing_number() -> None:
    found = standing(nights(after(0.0)))
    assert "pin a newer run" in describe_pinned_run(replace(found, status="other_judge"))
    assert "is in the set any more" in describe_pinned_run(replace(found, delta=None))
