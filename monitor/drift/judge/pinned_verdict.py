"""The verdict when a set is below its pinned run."""

from monitor.domain.evidence import PinnedRunEvidence
from monitor.domain.finding import Verdict
from monitor.domain.policy import DriftPolicy
from monitor.drift.judge.paired_judgement import Judgement
from monitor.drift.judge.wording import percent, signed_points


def add_pinned_run(judgement: Judgement, pinned_run: PinnedRunEvidence | None, policy: DriftPolicy) -> Judgement:
    """Return a regression when nothing else is one. A slow decline is not urgent, so its severity is warning.

    A drop that the policy allows overall is allowed here too.
    """
    if pinned_run is None or pinned_run.status != "below" or judgement.verdict not in {Verdict.OK, Verdict.IMPROVEMENT}:
        return judgement
    if pinned_run.channel == "overall" and pinned_run.delta is not None and -pinned_run.delta < policy.min_effect:
        allowance = f"a drop below {percent(policy.min_effect)} is allowed by min_effect"
        return Judgement(
            verdict=judgement.verdict,
            severity=judgement.severity,
            reason=f"{judgement.reason}; {describe_pinned_run(pinned_run)}; {allowance}",
            basis=judgement.basis,
        )
    return Judgement(
        verdict=Verdict.REGRESSION,
        severity="warning",
        reason=f"{describe_pinned_run(pinned_run)}; tonight: {judgement.reason}",
        basis="pinned_run",
    )


def describe_pinned_run(pinned_run: PinnedRunEvidence) -> str:
    """Return the difference of the newest nights to the pinned run as a sentence."""
    if pinned_run.status == "other_judge":
        return f"the scorers differ from those of the pinned run {pinned_run.run_id}: pin a newer run"
    if pinned_run.delta is None or pinned_run.interval is None:
        return f"no case of the pinned run {pinned_run.run_id} is in the set any more"
    low, high = pinned_run.interval
    difference = (
        f"{signed_points(pinned_run.delta)} points (95 % interval {signed_points(low)} to {signed_points(high)})"
    )
    text = f"the newest nights differ by {difference} from the pinned run {pinned_run.run_id}"
    if pinned_run.status in {"below", "accepted"}:
        category = "" if pinned_run.channel in {None, "overall"} else f", most in {pinned_run.channel}"
        return f"slid below the pinned run: {text}{category}"
    return text
