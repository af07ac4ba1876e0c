"""The verdict on the last night of a set, from its nights."""

from collections.abc import Sequence

from monitor.domain.finding import Comparison, Verdict
from monitor.domain.policy import DriftPolicy
from monitor.drift.detect.decision import Decision
from monitor.drift.detect.detector import DriftAlert
from monitor.drift.judge.deciding_test import deciding_test, nights_test, overall_effect
from monitor.drift.judge.finding_text import describe_alert, describe_detectable, describe_flips, describe_move
from monitor.drift.judge.paired_judgement import Basis, Judgement, grade_regression
from monitor.drift.judge.paired_verdict import WITHIN_NOISE, allowed_drop, judge_pair
from monitor.drift.judge.pairing import Pair
from monitor.drift.judge.wording import describe


def judge_nights(
    decision: Decision, comparison: Comparison, pairs: Sequence[Pair], policy: DriftPolicy, *, open_alert: bool
) -> Judgement:
    """Return the verdict: an alarm of this night, else an open alert, else a changed judge, an improvement, or ok.

    An open alert persists until its nights rule its drop out and the run is not worse than the run that the alert was
    raised against.
    """
    alert = decision.alert
    if alert is not None and alert.kind == "judge":
        return _informational(Verdict.INSUFFICIENT, _reason(decision, comparison))
    too_small = alert is not None and _too_small(alert, policy)
    if alert is not None and not too_small:
        return _regression(
            _reason(decision, comparison),
            "nights",
            grade_regression(comparison, pairs, overall_effect(decision.evidence)),
        )
    if decision.open_drop_persists:
        return _regression(_open_alert_reason(decision, comparison), "open_alert", grade_regression(comparison, pairs))
    paired = judge_pair(comparison, pairs, policy.alpha_change, policy) if open_alert else None
    if paired is not None and paired.verdict is Verdict.REGRESSION:
        return paired
    detectable = describe_detectable(nights_test(decision.evidence))
    return _no_regression(decision, comparison, allowed_drop(policy) if too_small else f"{WITHIN_NOISE}{detectable}")


def _no_regression(decision: Decision, comparison: Comparison, why: str) -> Judgement:
    if decision.improvement is not None:
        return _informational(Verdict.IMPROVEMENT, _reason(decision, comparison))
    if decision.unidentified_version is not None:
        return _informational(Verdict.OK, _reason(decision, comparison))
    return _informational(Verdict.OK, f"{_reason(decision, comparison)}; {why}")


def _regression(reason: str, basis: Basis, severity: str) -> Judgement:
    return Judgement(verdict=Verdict.REGRESSION, severity=severity, reason=reason, basis=basis)


def _informational(verdict: Verdict, reason: str) -> Judgement:
    return Judgement(verdict=verdict, severity="info", reason=reason, basis="nights")


def _too_small(alert: DriftAlert, policy: DriftPolicy) -> bool:
    """Return whether the policy accepts the drop. It accepts small drops of the whole set only, not of a category."""
    overall = alert.kind == "score" and alert.channel == "overall"
    return overall and alert.delta is not None and -alert.delta < policy.min_effect


def _reason(decision: Decision, comparison: Comparison) -> str:
    """Return the numbers of the nights, which decided; of the two runs only the number of flipped cases."""
    decided = nights_test(decision.evidence)
    flipped = describe_flips(comparison.flipped_to_fail, comparison.flipped_to_pass)
    if decision.reported is not None:
        return f"{describe_alert(decision.evidence, decided)}; {flipped}"
    return f"{describe_move(decided)}; {flipped}" if decided.effect is not None else describe(comparison)


def _open_alert_reason(decision: Decision, comparison: Comparison) -> str:
    decided = deciding_test("open_alert", comparison, decision.evidence, 0.0)
    flipped = describe_flips(comparison.flipped_to_fail, comparison.flipped_to_pass)
    size = "" if decided is None or decided.effect is None else f": {describe_move(decided)}"
    return f"recovery is not confirmed yet{size}; {flipped}"
