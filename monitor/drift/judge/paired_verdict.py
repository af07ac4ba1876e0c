"""The verdict from two runs alone: used on the first nights of a set, and for the baseline of an open alert."""

from collections.abc import Sequence

from monitor.domain.finding import CategoryEffect, Comparison, Verdict
from monitor.domain.policy import DriftPolicy
from monitor.drift.judge.compare import overall_p_adjusted
from monitor.drift.judge.deciding_test import two_runs_test
from monitor.drift.judge.finding_text import describe_detectable
from monitor.drift.judge.paired_judgement import Judgement, grade_regression
from monitor.drift.judge.pairing import Pair
from monitor.drift.judge.wording import describe, describe_categories, percent

WITHIN_NOISE = "within the noise of this set"


def judge_pair(comparison: Comparison, pairs: Sequence[Pair], alpha: float, policy: DriftPolicy) -> Judgement:
    """Return the verdict by the exact McNemar test, with Holm's adjustment over the overall test and all categories."""
    significant = overall_p_adjusted(comparison) < alpha
    moved = [row for row in comparison.categories if row.moved]
    fell = significant and comparison.effect < 0 and -comparison.effect >= policy.min_effect
    reason = pair_reason(comparison, moved)
    if fell or any(row.effect < 0 for row in moved):
        severity = grade_regression(comparison, pairs)
        return Judgement(verdict=Verdict.REGRESSION, severity=severity, reason=reason, basis="two_runs")
    if (significant and comparison.effect > 0) or moved:
        return Judgement(verdict=Verdict.IMPROVEMENT, severity="info", reason=reason, basis="two_runs")
    why = (
        allowed_drop(policy)
        if significant
        else f"{WITHIN_NOISE}{describe_detectable(two_runs_test(comparison, alpha))}"
    )
    return Judgement(verdict=Verdict.OK, severity="info", reason=f"{reason}; {why}", basis="two_runs")


def allowed_drop(policy: DriftPolicy) -> str:
    return f"a drop below {percent(policy.min_effect)} is allowed by min_effect"


def pair_reason(comparison: Comparison, moved: Sequence[CategoryEffect]) -> str:
    """Return one sentence. A regression that only a category shows names the category first."""
    overall, categories = describe(comparison), describe_categories(moved)
    if not categories:
        return overall
    hidden = comparison.effect >= 0 and any(row.effect < 0 for row in moved)
    return f"{categories}; overall {overall}" if hidden else f"{overall}; {categories}"
