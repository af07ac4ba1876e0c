"""The verdict on a run: its severity and the sentence that gives the reason."""

from collections.abc import Sequence

from monitor.domain.finding import Comparison, Verdict
from monitor.domain.policy import DriftPolicy
from monitor.domain.run import CaseResult, Run, RunState
from monitor.domain.version import Change
from monitor.drift.detect.decision import Decision
from monitor.drift.judge.baseline import Baseline, BaselineReason
from monitor.drift.judge.consistency import add_consistency
from monitor.drift.judge.nightly_verdict import judge_nights
from monitor.drift.judge.paired_judgement import Judgement
from monitor.drift.judge.paired_verdict import judge_pair
from monitor.drift.judge.pairing import Pair
from monitor.drift.judge.pinned_verdict import add_pinned_run
from monitor.drift.judge.wording import count, percent


def choose_alpha(
    candidate: Run,
    baseline: Baseline | None,
    change: Change | None,
    policy: DriftPolicy,
    decision: Decision | None = None,
) -> float:
    """Return the error rate of the comparison of two runs, family-wise over the overall test and all categories.

    An announced change (a triggering change, or another version than that of the baseline) uses `alpha_change`. So does
    a night with an alarm of the detector: there the comparison shows what moved, not whether anything moved. Any other
    night uses the share of one night of the horizon. During the first nights of a set this is the only test, and it
    still detects a collapse.
    """
    if decision is not None and decision.monitored and decision.reported is not None:
        return policy.alpha_change
    other_version = (
        baseline is not None
        and candidate.version is not None
        and baseline.run.version is not None
        and candidate.version != baseline.run.version
    )
    if change is not None or candidate.change_id is not None or other_version:
        return policy.alpha_change
    return policy.alpha_silent / policy.horizon_nights


def judge(
    *,
    candidate: Run,
    results: Sequence[CaseResult],
    baseline: Baseline | None,
    pairs: Sequence[Pair],
    comparison: Comparison | None,
    alpha: float,
    policy: DriftPolicy,
    decision: Decision | None = None,
) -> Judgement:
    """Return the verdict: failed, else insufficient, else by the nights, or by the two runs when there is no `decision`
    yet.

    Then a pinned run can turn it into a regression, and a less consistent new version adds a sentence. `results` are
    all cases of the revision of the candidate.
    """
    if candidate.state is RunState.FAILED:
        return Judgement(verdict=Verdict.FAILED, severity="warning", reason=_failure(candidate))
    missing = _missing(candidate, results, baseline, len(pairs), policy)
    if missing is not None:
        return Judgement(verdict=Verdict.INSUFFICIENT, severity="info", reason=missing)
    if comparison is None:
        raise ValueError(f"run {candidate.id} has {len(pairs)} paired cases but no comparison")
    if decision is None or not decision.monitored:
        found = judge_pair(comparison, pairs, alpha, policy)
    else:
        open_alert = baseline is not None and baseline.why is BaselineReason.OPEN_ALERT
        found = judge_nights(decision, comparison, pairs, policy, open_alert=open_alert)
    if decision is None:
        return found
    found = add_pinned_run(found, decision.evidence.pinned_run, policy)
    return add_consistency(found, decision.evidence.consistency)


def _failure(candidate: Run) -> str:
    return f"the run failed: {candidate.error or 'no error recorded'}"


def _missing(
    candidate: Run, results: Sequence[CaseResult], baseline: Baseline | None, n: int, policy: DriftPolicy
) -> str | None:
    """Return what is missing for a verdict as a sentence; None when nothing is."""
    cases = max(candidate.cases, len(results)) if candidate.cases_attempted is None else candidate.cases_attempted
    scored = sum(row.value is not None for row in results)
    if cases == 0 or scored / cases < policy.min_scored_share:
        share = percent(scored / cases) if cases else "none"
        needed = _needed(cases, policy.min_scored_share)
        return (
            f"only {scored} of {count(cases, 'case')} ({share}) have a verdict in this run, "
            f"{percent(policy.min_scored_share)} are needed: {needed - scored} are missing"
        )
    if baseline is None:
        return "there is no earlier complete run of this set to compare with"
    if n < policy.min_cases:
        return (
            f"only {count(n, 'case')} can be paired with the baseline, {policy.min_cases} are needed: "
            f"{policy.min_cases - n} are missing"
        )
    return None


def _needed(cases: int, share: float) -> int:
    """Return the smallest count of scored cases that is a large enough share."""
    return next((k for k in range(cases + 1) if cases and k / cases >= share), cases)
