"""Which regression explains an alarm."""

from dataclasses import replace

import pytest

from monitor.domain.evidence import CaseOverlap, Evidence, PinnedRunEvidence
from monitor.domain.finding import CategoryEffect, Comparison, Interval
from monitor.drift.cause.regression_window import RegressionWindow, find_regression_window
from tests.drift.builders import run

HISTORY = [run(night) for night in range(30)]
TONIGHT = HISTORY[-1]
QUIET = Evidence(
    phase="silent",
    nights=30,
    baseline_nights=20,
    baseline_first_run="run-0",
    baseline_last_run="run-24",
    case_overlap=CaseOverlap(cases=1, carried_over=1, revisions=1),
)
WATCHED = replace(QUIET, kind="score", channel="even", delta=-0.1, onset_run="run-25")
BELOW = PinnedRunEvidence(
    pin_id="pin", run_id="run-4", nights=3, recent_nights=7, status="below", looks=2, channel="overall", delta=-0.05
)


def found(
    evidence: Evidence, comparison: Comparison | None = None, baseline: str | None = "run-28"
) -> RegressionWindow | None:
    return find_regression_window(TONIGHT, HISTORY, evidence, comparison, baseline)


def ids(drop: RegressionWindow | None) -> tuple[str, str, list[str], list[str]]:
    assert drop is not None
    samples = ([each.id for each in side] for side in (drop.before, drop.after))
    return (drop.channel.kind, drop.channel.name, *samples)  # type: ignore[return-value]  # two of them


def test_the_drop_of_the_detector_has_its_newest_nights_on_both_sides_of_the_onset() -> None:
    before, after = [f"run-{n}" for n in range(11, 25)], [f"run-{n}" for n in range(25, 30)]
    assert ids(found(WATCHED)) == ("score", "even", before, after)
    grown = replace(WATCHED, kind="mix", channel="format", delta=0.1)
    assert ids(found(grown))[:2] == ("mix", "format")


def test_what_rose_is_no_drop() -> None:
    assert found(replace(WATCHED, delta=0.1)) is None
    assert found(QUIET, _compared(high=-0.01)) is None


@pytest.mark.parametrize(("high", "channel"), [(-0.01, "overall"), (0.01, "even")])
def test_while_nights_are_too_few_it_is_that_of_two_runs(high: float, channel: str) -> None:
    learning = replace(QUIET, phase="learning")
    assert ids(found(learning, _compared(high=high))) == ("score", channel, ["run-28"], ["run-29"])
    assert found(learning, replace(_compared(high=0.01), categories=())) is None
    assert found(learning, _compared(high=-0.01), baseline=None) is None


def test_below_a_pinned_run_it_is_measured_by_the_pinned_nights() -> None:
    pinned, newest = ["run-2", "run-3", "run-4"], [f"run-{n}" for n in range(23, 30)]
    assert ids(found(replace(QUIET, pinned_run=BELOW))) == ("score", "overall", pinned, newest)
    assert found(replace(QUIET, pinned_run=replace(BELOW, status="level"))) is None


def test_expired_nights_cannot_be_compared() -> None:
    assert found(replace(WATCHED, baseline_first_run="gone")) is None
    assert found(replace(QUIET, pinned_run=replace(BELOW, run_id="gone"))) is None


def _compared(*, high: float) -> Comparison:
    fell = CategoryEffect(
        category="even",
        n=50,
        baseline=0.9,
        candidate=0.5,
        effect=-0.4,
        interval=Interval(low=-0.5, high=-0.3),
        flipped_to_fail=20,
        flipped_to_pass=0,
        p_value_adjusted=0.001,
        moved=True,
    )
    return Comparison(
        metric="pass_rate",
        baseline=0.9,
        candidate=0.8,
        effect=-0.1,
        interval=Interval(low=-0.2, high=high),
        p_value=0.01,
        flipped_to_fail=20,
        flipped_to_pass=10,
        n=100,
        mde=0.1,
        mde_discordance=0.1,
        mde_source="a/a",
        categories=(fell,),
        failure_shifts=(),
        worst_cases=(),
        flipped_case_ids=(),
    )
