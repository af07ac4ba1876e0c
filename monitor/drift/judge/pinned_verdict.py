"""What it means that a set stands below its pinned golden run."""

from monitor.domain.evidence import GoldenEvidence
from monitor.domain.finding import Verdict
from monitor.domain.policy import DriftPolicy
from monitor.drift.judge.paired_judgement import Judgement
from monitor.drift.judge.wording import percent, signed_points


def add_pinned_run(judgement: Judgement, golden: GoldenEvidence | None, policy: DriftPolicy) -> Judgement:
    """A regression where nothing else is one; a slide is no emergency of tonight, and so a warning. What the policy
    allows overall is allowed here too.
    """
    if golden is None or golden.standing != "below" or judgement.verdict not in {Verdict.OK, Verdict.IMPROVEMENT}:
        return judgement
    if golden.channel == "overall" and golden.delta is not None and -golden.delta < policy.min_effect:
        allowance = f"a drop below {percent(policy.min_effect)} is allowed here"
        return Judgement(
            verdict=judgement.verdict,
            severity=judgement.severity,
            reason=f"{judgement.reason}; {describe_pinned_run(golden)}; {allowance}",
            basis=judgement.basis,
        )
    return Judgement(
        verdict=Verdict.REGRESSION,
        severity="warning",
        reason=f"{describe_pinned_run(golden)}; tonight: {judgement.reason}",
        basis="pinned_run",
    )


def describe_pinned_run(golden: GoldenEvidence) -> str:
    """Where the newest nights stand beside the pinned ones."""
    if golden.standing == "other_judge":
        return f"the scorers are no longer those of the pinned run {golden.run_id}: pin a newer one"
    if golden.delta is None or golden.interval is None:
        return f"none of the cases of the pinned run {golden.run_id} is asked any more"
    low, high = golden.interval
    difference = f"{signed_points(golden.delta)} points (95 % interval {signed_points(low)} to {signed_points(high)})"
    text = f"the newest nights stand {difference} beside the pinned run {golden.run_id}"
    if golden.standing in {"below", "accepted"}:
        category = "" if golden.channel in {None, "overall"} else f", clearest in {golden.channel}"
        return f"slid below the pinned run: {text}{category}"
    return text
