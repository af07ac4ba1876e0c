"""What the nights of a set mean for the last of them."""

from collections.abc import Sequence

from monitor.domain.finding import Comparison, Verdict
from monitor.domain.policy import DriftPolicy
from monitor.drift.decision import Decision
from monitor.drift.judgement import Judgement
from monitor.drift.paired_verdict import NOTHING, allowed, judge_pair, reason_of
from monitor.drift.pairing import Pair
from monitor.drift.severity import grade_regression
from monitor.drift.told import tell
from monitor.drift.watch import DriftAlert
from monitor.drift.wording import describe


def judge_watched(
    decision: Decision, comparison: Comparison, pairs: Sequence[Pair], policy: DriftPolicy, *, open_alert: bool
) -> Judgement:
    """An alarm of tonight, then an open alert that is not over, then the judge, a rise, a stranger, nothing.

    An open alert stays as long as its nights do not rule its drop out, or the run itself is worse than the one that
    the alert was raised against.
    """
    alert = decision.alert
    numbers = describe(comparison)
    if alert is not None and alert.kind == "judge":
        return _quietly(Verdict.INSUFFICIENT, f"{tell(decision.evidence)}; {numbers}")
    too_small = alert is not None and _too_small(alert, policy)
    if alert is not None and not too_small:
        return _worse(_why(decision, comparison), comparison, pairs)
    if decision.still:
        return _worse(f"what opened the alert is not ruled out yet; {numbers}", comparison, pairs)
    paired = judge_pair(comparison, pairs, policy.alpha_change, policy) if open_alert else None
    if paired is not None and paired.verdict is Verdict.REGRESSION:
        return paired
    return _no_worse(decision, comparison, allowed(policy) if too_small else NOTHING)


def _no_worse(decision: Decision, comparison: Comparison, why: str) -> Judgement:
    if decision.better is not None:
        return _quietly(Verdict.IMPROVEMENT, _why(decision, comparison))
    numbers = describe(comparison)
    if decision.stranger is not None:
        return _quietly(Verdict.OK, f"{tell(decision.evidence)}; {numbers}")
    return _quietly(Verdict.OK, f"{numbers}; {why}")


def _worse(reason: str, comparison: Comparison, pairs: Sequence[Pair]) -> Judgement:
    return Judgement(verdict=Verdict.REGRESSION, severity=grade_regression(comparison, pairs), reason=reason)


def _quietly(verdict: Verdict, reason: str) -> Judgement:
    return Judgement(verdict=verdict, severity="info", reason=reason)


def _too_small(alert: DriftAlert, policy: DriftPolicy) -> bool:
    """A drop of the whole set that the policy accepts; of a category, and a kind of failure, none is."""
    overall = alert.kind == "score" and alert.channel == "overall"
    return overall and alert.delta is not None and -alert.delta < policy.min_effect


def _why(decision: Decision, comparison: Comparison) -> str:
    """The two runs, where they show what the nights say; else the nights first."""
    moved = [row for row in comparison.categories if row.moved]
    told, numbers = decision.told, reason_of(comparison, moved)
    assert told is not None, "only an alarm has a reason"
    if told.trigger == "version" and told.kind == "score" and _shows(told, comparison):
        return numbers
    return f"{tell(decision.evidence)}; tonight alone: {numbers}"


def _shows(told: DriftAlert, comparison: Comparison) -> bool:
    """Whether the two runs move as the alarm does, in its channel and beyond their own interval."""
    effects = {row.category: (row.effect, row.interval) for row in comparison.categories}
    effect, interval = effects.get(told.channel, (comparison.effect, comparison.interval))
    clear = interval.high < 0 or interval.low > 0
    return clear and told.delta is not None and effect * told.delta > 0
