"""What a comparison means: the verdict, its severity and the sentence that says why."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.finding import CategoryEffect, Comparison, Verdict
from monitor.domain.policy import DriftPolicy
from monitor.domain.run import CaseResult, Run, RunState
from monitor.domain.version import Change
from monitor.drift.baseline import Baseline
from monitor.drift.compare import overall_p_adjusted
from monitor.drift.pairing import Pair
from monitor.drift.severity import grade_regression
from monitor.drift.wording import count, describe, describe_categories, percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    verdict: Verdict
    severity: str  # "critical", "warning" or "info"
    reason: str


def choose_alpha(candidate: Run, baseline: Baseline | None, change: Change | None, policy: DriftPolicy) -> float:
    """The error rate of this one comparison, family-wise over the overall test and all categories.

    A known change (a triggering change, or another version than the baseline's) spends `alpha_change`. A silent night
    spends its share of the horizon: alpha_silent / horizon_nights (Bonferroni over nights, valid although all nights
    share one baseline).
    """
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
) -> Judgement:
    """Failed, then insufficient, then what the numbers say. `results` are all cases of the candidate's revision."""
    if candidate.state is RunState.FAILED:
        return Judgement(verdict=Verdict.FAILED, severity="warning", reason=_failure(candidate))
    missing = _missing(candidate, results, baseline, len(pairs), policy)
    if missing is not None:
        return Judgement(verdict=Verdict.INSUFFICIENT, severity="info", reason=missing)
    if comparison is None:
        raise ValueError(f"run {candidate.id} has {len(pairs)} paired cases but no comparison was made of them")
    return _judge_comparison(comparison, pairs, alpha, policy)


def _failure(candidate: Run) -> str:
    return f"the run failed: {candidate.error or 'it left no reason'}"


def _missing(
    candidate: Run, results: Sequence[CaseResult], baseline: Baseline | None, n: int, policy: DriftPolicy
) -> str | None:
    """The sentence that says what is missing for a verdict; None when nothing is."""
    cases = max(candidate.cases, len(results))
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
    """The smallest count of scored cases that is a large enough share."""
    return next((k for k in range(cases + 1) if cases and k / cases >= share), cases)


def _judge_comparison(comparison: Comparison, pairs: Sequence[Pair], alpha: float, policy: DriftPolicy) -> Judgement:
    significant = overall_p_adjusted(comparison) < alpha
    moved = [row for row in comparison.categories if row.moved]
    fell = significant and comparison.effect < 0 and -comparison.effect >= policy.min_effect
    reason = _reason(comparison, moved)
    if fell or any(row.effect < 0 for row in moved):
        severity = grade_regression(comparison, pairs)
        return Judgement(verdict=Verdict.REGRESSION, severity=severity, reason=reason)
    if (significant and comparison.effect > 0) or moved:
        return Judgement(verdict=Verdict.IMPROVEMENT, severity="info", reason=reason)
    why = _why_ok(policy, significant=significant)
    return Judgement(verdict=Verdict.OK, severity="info", reason=f"{reason}; {why}")


def _why_ok(policy: DriftPolicy, *, significant: bool) -> str:
    if significant:
        return f"a drop below {percent(policy.min_effect)} is allowed here"
    return "no more than this set varies by itself"


def _reason(comparison: Comparison, moved: Sequence[CategoryEffect]) -> str:
    """One sentence; a regression that only a category shows names it first."""
    overall, categories = describe(comparison), describe_categories(moved)
    if not categories:
        return overall
    hidden = comparison.effect >= 0 and any(row.effect < 0 for row in moved)
    return f"{categories}; overall {overall}" if hidden else f"{overall}; {categories}"
