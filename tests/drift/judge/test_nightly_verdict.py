"""The verdict of a night for given results of the detector and of two runs."""

from dataclasses import replace
from typing import Any

from monitor.domain.evidence import CaseOverlap, Evidence
from monitor.domain.finding import Finding, Interval
from monitor.drift.detect.decision import Decision
from monitor.drift.detect.detector import DriftAlert
from monitor.drift.judge.baseline import Baseline, BaselineReason
from tests.drift.builders import FIRST_NIGHT, LESS_CONSISTENT, POLICY, find, results, run

QUIET = Evidence(
    phase="silent",
    nights=20,
    baseline_nights=19,
    baseline_first_run="run-0",
    baseline_last_run="run-18",
    case_overlap=CaseOverlap(cases=100, carried_over=100, revisions=1),
)
GOOD, LESS, BAD = (results([1.0] * n + [0.0] * (100 - n)) for n in (90, 88, 60))
DRIFT = DriftAlert(
    night=19,
    kind="score",
    trigger="silent",
    channel="overall",
    onset=17,
    delta=-0.02,
    ci=Interval(low=-0.03, high=-0.01),
    e=900.0,
)


def reported(alert: DriftAlert) -> Evidence:
    ci = alert.ci
    return replace(
        QUIET,
        kind=alert.kind,
        trigger=alert.trigger,
        channel=alert.channel,
        onset_run="run-17",
        onset_at=FIRST_NIGHT,
        delta=alert.delta,
        interval=None if ci is None else (ci.low, ci.high),
    )


def judged(after: Any = LESS, why: BaselineReason = BaselineReason.BEFORE_ONSET, **fields: Any) -> Finding:
    policy = fields.pop("policy", POLICY)
    alert = fields.get("alert") or fields.get("unidentified_version")
    consistency = fields.pop("consistency", None)
    evidence = replace(reported(alert) if alert else QUIET, consistency=consistency)
    decision = Decision(monitored=True, evidence=evidence, **fields)
    baseline = Baseline(run=run(16), why=why)
    return find(run(19, cases=100), after, baseline, GOOD, policy=policy, decision=decision)


def test_quiet_nights_are_ok_whatever_two_runs_alone_would_say() -> None:
    finding = judged(BAD)
    assert finding.verdict == "ok"
    assert finding.reason.endswith("within the noise of this set")
    assert finding.evidence == QUIET


def test_drift_is_a_regression_with_its_onset() -> None:
    finding = judged(alert=DRIFT)
    assert (finding.verdict, finding.severity, finding.alpha) == ("regression", "warning", POLICY.alpha_change)
    assert finding.reason.startswith(
        "the overall pass rate fell by 2.0 points (95 % interval -3.0 to -1.0) since the night of 2026-03-01; "
        "tonight 2 cases flipped to fail, 0 to pass"
    )


def test_a_drop_that_the_policy_allows_is_ok_but_none_of_a_category_or_of_a_kind_of_failure_is() -> None:
    lenient = replace(POLICY, min_effect=0.05)
    allowed = judged(alert=DRIFT, policy=lenient)
    assert allowed.verdict == "ok"
    assert allowed.reason.endswith("; a drop below 5.0 % is allowed by min_effect")
    assert judged(alert=replace(DRIFT, channel="general"), policy=lenient).verdict == "regression"
    mix = judged(alert=replace(DRIFT, kind="mix", channel="refused", delta=0.03), policy=lenient)
    assert mix.verdict == "regression"
    assert mix.reason.startswith("the share of failures called refused rose by 3.0 points")


def test_a_known_change_is_detected_by_the_nights_that_decided_and_not_by_two_runs() -> None:
    finding = judged(BAD, alert=replace(DRIFT, trigger="version", e=None, p=1e-9, delta=-0.3))
    assert finding.verdict == "regression"
    assert finding.reason.startswith("the overall pass rate fell by 30.0 points (95 % interval -3.0 to -1.0) since")
    assert finding.comparison is not None
    assert (finding.comparison.p_value, finding.comparison.mde) == (None, None), "the two runs did not decide"


def test_an_open_alert_stays_while_its_drop_is_not_ruled_out() -> None:
    assert judged(open_drop_persists=True, why=BaselineReason.OPEN_ALERT).verdict == "regression"
    assert judged(open_drop_persists=False, why=BaselineReason.OPEN_ALERT).verdict == "ok"
    assert judged(BAD, open_drop_persists=False, why=BaselineReason.OPEN_ALERT).verdict == "regression"


def test_another_judge_is_no_verdict_on_the_model() -> None:
    finding = judged(BAD, alert=replace(DRIFT, kind="judge", trigger="version", e=None, p=1e-9))
    assert finding.verdict == "insufficient"
    assert finding.reason.startswith("the judge changed, not necessarily the model")


def test_an_unidentified_version_is_detected_and_is_no_regression() -> None:
    finding = judged(unidentified_version=replace(DRIFT, kind="behaviour"))
    assert finding.verdict == "ok"
    assert finding.reason.startswith(
        "an unidentified version answers: the answers to the cases differ since the night of 2026-03-01"
    )


def test_too_few_pairs_stay_insufficient_under_an_alarm() -> None:
    finding = judged(alert=DRIFT, policy=replace(POLICY, min_cases=101))
    assert finding.verdict == "insufficient"


def test_a_noisier_version_stays_ok_with_a_reason() -> None:
    finding = judged(consistency=LESS_CONSISTENT)
    assert (finding.verdict, finding.severity) == ("ok", "info")
    assert finding.reason.endswith(
        "within the noise of this set; the new version is less consistent: two answers to one case differ "
        "in 12.1 % instead of 4.0 % (+8.1 points, 95 % interval +5.0 to +11.2)"
    )


def test_a_regression_of_a_noisier_version_stays_one() -> None:
    alone, beside = judged(BAD, alert=DRIFT), judged(BAD, alert=DRIFT, consistency=LESS_CONSISTENT)
    assert (beside.verdict, beside.severity, beside.decided) == (alone.verdict, alone.severity, alone.decided)
    assert beside.verdict == "regression"
    assert beside.reason.startswith(f"{alone.reason}; the new version is less consistent: ")
